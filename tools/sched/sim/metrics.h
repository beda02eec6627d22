/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tasks of a run met with, worked out while it runs. Names and
 * meanings are those of 'schedplace report' where it has the same figure.
 */
#ifndef SIM_METRICS_H
#define SIM_METRICS_H

#include "../spread.h"
#include "events.h"

/* Migrations after this long without a fork count as settled: schedplace's */
#define METRICS_SETTLE_NS	(NSEC_PER_SEC / 2)

/* Distances of a migration, as schedplace has them ... */
enum { SAME_LLC, CROSS_LLC, CROSS_NODE, NR_DISTANCES };
/* ... and in more detail */
enum {
	MOVE_CORE, MOVE_CLUSTER, MOVE_LLC, MOVE_CROSS_LLC, MOVE_CROSS_NODE,
	MOVE_CROSS_SOCKET, NR_MOVES
};

/* The nearest that a waker's CPU and the one it chose have in common */
enum { WAKE_CPU, WAKE_CLUSTER, WAKE_LLC, WAKE_FURTHER, NR_WAKES };

enum { PCT_50, PCT_90, PCT_99, PCT_999, PCT_MAX, NR_PCTS };

extern const char *const metrics_distance_name[NR_DISTANCES];
extern const char *const metrics_move_name[NR_MOVES];
extern const char *const metrics_wake_name[NR_WAKES];
extern const char *const metrics_pct_name[NR_PCTS];

/**
 * struct metrics_latency - times until a task runs
 * @nr: how many
 * @pct: percentiles, ns, each at most 0.4 % too large; the maximum is exact
 */
struct metrics_latency {
	sim_u64 nr;
	sim_u64 pct[NR_PCTS];
};

/**
 * struct metrics_result - the figures of a run
 * @start: first event of the workload
 * @end: its last one
 * @tasks: tasks that were counted: all descendants of the root
 * @distinct: CPUs, LLCs, nodes, clusters of the first placements
 * @used: CPUs, LLCs, nodes, clusters of the whole run
 * @max_stack_first: most tasks first placed on one CPU
 * @migrations: by distance
 * @settled: those after settling
 * @moves: migrations by distance in more detail
 * @moves_settled: those after settling
 * @burst_ns: from the first fork to the last
 * @burst_migrations: migrations meanwhile
 * @burst_sleeps: sleeps meanwhile
 * @worst_tasks: most tasks on one CPU while an allowed one was idle
 * @worst_cpu: that CPU
 * @worst_at: when
 * @worst_ns: how long
 * @stacked_ns: how long there was such a CPU
 * @waiting_ns: how long a task waited while a CPU that it may use was idle
 * @lost_ns: likewise, times the CPUs that could have been used
 * @run_ns: CPU time of the counted tasks
 * @wakeups: of the counted tasks, but the first of each
 * @wakeups_beside_idle: those to a busy CPU while an allowed one was idle
 * @wakes: wakeups of a counted task by one of the workload's, by distance
 * @spread: of the counted tasks over the clusters
 * @wakeup: from sched_waking, when another task or an interrupt wants the task
 *	to run, to its running
 * @queue: likewise from sched_wakeup, when it is on a runqueue
 * @first: latency of the first wakeup of each task
 * @switches: context switches of the machine
 */
struct metrics_result {
	sim_u64 start, end;
	int tasks;
	int distinct[4], used[4];
	int max_stack_first;
	sim_u64 migrations[NR_DISTANCES], settled[NR_DISTANCES];
	sim_u64 moves[NR_MOVES], moves_settled[NR_MOVES];
	sim_u64 burst_ns, burst_migrations, burst_sleeps;
	int worst_tasks, worst_cpu;
	sim_u64 worst_at, worst_ns;
	sim_u64 stacked_ns;
	sim_u64 waiting_ns, lost_ns;
	sim_u64 run_ns, wakeups, wakeups_beside_idle;
	sim_u64 wakes[NR_WAKES];
	struct spread spread;
	struct metrics_latency wakeup, queue, first;
	sim_u64 switches;
};

/**
 * struct metrics_task - the figures of one of the counted tasks
 * @pid: its PID
 * @comm: its name when it was made
 * @run_ns: CPU time
 * @wait_ns: time on a runqueue without running
 * @first_cpu: where it was first placed, or -1
 * @last_cpu: where it was last, or -1
 * @migrations: from one CPU to another
 */
struct metrics_task {
	int pid;
	char comm[SIM_COMM_LEN];
	sim_u64 run_ns, wait_ns;
	int first_cpu, last_cpu;
	sim_u64 migrations;
};

void metrics_start(const struct sim_machine *m, const struct sim_mask *allowed);
void metrics_arm(int init_pid);
int metrics_root(void);
int metrics_event(const struct event *e);
int metrics_class(const struct sim_mask *mask);
void metrics_finish(struct metrics_result *r);
int *metrics_first_placements(int *nr);
struct metrics_task *metrics_tasks(int *nr);

#endif /* SIM_METRICS_H */
