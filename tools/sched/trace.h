/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCHEDPLACE_TRACE_H
#define _SCHEDPLACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>

#include "schedplace.h"
#include "spread.h"
#include "topology.h"

enum event_type {
	EV_SWITCH,
	EV_WAKEUP,
	EV_WAKEUP_NEW,
	EV_MIGRATE,
	EV_FORK,
	EV_EXEC,
	EV_EXIT,
	EV_WAKING,
	EV_NR,
};

extern const char *const event_names[EV_NR];

/**
 * struct event - one scheduler event
 * @ts: time in ns
 * @type: which event
 * @runs: the previous task of a switch stays runnable
 * @dead: the previous task of a switch is a zombie or dead
 * @irq: an interrupt logged it, not the task
 * @cpu: CPU that logged it
 * @to: target_cpu or dest_cpu
 * @from: orig_cpu
 * @curr: pid of the task that logged it
 * @pid: prev_pid, pid, or the parent of a fork
 * @pid2: next_pid, child_pid or old_pid
 * @task: index of @pid's task in the trace, or -1
 * @task2: likewise for @pid2, or for @curr if this is a sched_waking
 * @comm: name of @pid, or NULL
 * @comm2: name of @pid2, or NULL
 */
struct event {
	u64 ts;
	u8 type;
	bool runs;
	bool dead;
	bool irq;
	s16 cpu;
	s16 to;
	s16 from;
	int curr;
	int pid;
	int pid2;
	int task;
	int task2;
	const char *comm;
	const char *comm2;
};

enum distance {
	SAME_LLC,
	CROSS_LLC,
	CROSS_NODE,
	NR_DISTANCES,
};

extern const char *const distance_names[NR_DISTANCES];

/* The nearest that a waker's CPU and the one it chose have in common. */
enum wake_distance {
	WAKE_CPU,
	WAKE_CLUSTER,
	WAKE_LLC,
	WAKE_FURTHER,
	NR_WAKE_DISTANCES,
};

extern const char *const wake_names[NR_WAKE_DISTANCES];

/* How long a task ran on one CPU. */
struct cpu_time {
	int cpu;
	u64 ns;
};

enum task_state {
	TASK_UNKNOWN,
	TASK_NEW,
	TASK_SLEEPS,
	TASK_QUEUED,
	TASK_RUNS,
};

/**
 * struct task - one task of the trace, found by resolve() and account()
 * @pid: its last pid
 * @comm: its last name, or NULL
 * @root: it is the recorded command
 * @forked: its fork is in the trace
 * @selected: it is reported
 * @counted: it enters the summary
 * @dead: it exited
 * @woken_new: its sched_wakeup_new has been seen (resolve() only)
 * @ran: it has been seen running (resolve() only)
 * @first_event: index of the first event that names it
 * @born: time of that event
 * @state: what it does now (account() only)
 * @cpu: CPU it is on now (account() only)
 * @since: when it began to run (account() only)
 * @waker: CPU of the task that is about to wake it, or -1 (account() only)
 * @first_cpu: first CPU it was placed on, or -1
 * @times: CPUs it ran on
 * @nr_times: number of them
 * @cap_times: room in @times
 * @run_ns: time it ran
 * @migrations: changes of CPU
 * @migrations_settled: those after the settle time
 * @in_cluster: migrations that stay in the cluster
 * @in_cluster_settled: those after the settle time
 * @wakeups: wakeups other than the first
 */
struct task {
	int pid;
	const char *comm;
	bool root;
	bool forked;
	bool selected;
	bool counted;
	bool dead;
	bool woken_new;
	bool ran;
	size_t first_event;
	u64 born;
	enum task_state state;
	int cpu;
	u64 since;
	int waker;
	int first_cpu;
	struct cpu_time *times;
	int nr_times;
	size_t cap_times;
	u64 run_ns;
	unsigned long migrations[NR_DISTANCES];
	unsigned long migrations_settled[NR_DISTANCES];
	unsigned long in_cluster;
	unsigned long in_cluster_settled;
	unsigned long wakeups;
};

/* A stretch of time in which a task ran; task -1: one that isn't reported. */
struct segment {
	u64 start;
	u64 end;
	int task;
	int cpu;
};

struct trace {
	const char *path;
	struct event *events;
	size_t nr_events;
	size_t cap_events;

	int root;		/* pid, or 0 */
	int version;		/* of schedplace's header, or 0 */
	char *command;
	char *kernel;
	bool complete;		/* the footer is there */
	u64 lost;
	bool lost_some;		/* lost, but how many isn't known */

	struct topology topo;
	bool has_topo;
	struct cpuset allowed;
	bool has_allowed;

	struct task *tasks;
	int nr_tasks;
	size_t cap_tasks;

	/* Results of account() */
	u64 start;		/* first event of a reported task */
	u64 end;		/* last event of a reported task */
	u64 first_fork;		/* of the counted tasks */
	u64 last_fork;
	unsigned long burst_migrations;	/* of counted tasks, until the last fork */
	unsigned long burst_sleeps;
	int worst_tasks;
	int worst_cpu;
	u64 worst_at;
	u64 worst_ns;
	u64 stacked_ns;
	struct spread spread;	/* of the counted tasks, if there are clusters */
	bool has_waking;
	unsigned long wakes[NR_WAKE_DISTANCES];	/* of a counted task by another task */

	bool want_segments;
	struct segment *segments;
	size_t nr_segments;
	size_t cap_segments;

	char **strings;		/* interned comms, a hash table */
	size_t nr_strings;
	size_t cap_strings;
};

void trace_read(struct trace *tr, const char *path);
void trace_resolve(struct trace *tr);
int trace_select(struct trace *tr, const char *comm_glob);
void trace_account(struct trace *tr, u64 settle_ns);
void trace_free(struct trace *tr);

#endif
