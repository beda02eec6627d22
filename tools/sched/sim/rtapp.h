/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A workload as the parser (workload.c) hands it to the interpreter (rtapp.c).
 */
#ifndef SIM_RTAPP_H
#define SIM_RTAPP_H

#include "workload.h"

/* What rt-app's own fields take, each an int. */
#define RT_MAX_USEC	2147483647
#define RT_MAX_SEC	2147483647
#define RT_MAX_LOOP	2147483647
/* Threads that a file may ask for; each has a stack of SIM_STACK_SIZE. */
#define RT_MAX_THREADS	16384
/* rt-app's limit of forks of one task. */
#define RT_MAX_FORKS	1024
/* rt-app's limit of task groups. */
#define RT_MAX_GROUPS	32

struct rt_thread;

/* Threads that wait, FIFO; see rtapp.c */
struct rt_queue {
	struct rt_queue *next;
	struct sim_waitq *q;
	struct rt_thread *head, *tail;
};

struct rt_timer {
	int init, absolute;
	sim_u64 next;
};

/* Names are by kind: a suspended thread has a wait and a mutex of one name. */
enum rt_kind { RT_MUTEX, RT_COND, RT_BARRIER, RT_TIMER };

struct rt_res {
	struct rt_res *next;
	enum rt_kind kind;
	char *name;
	struct rt_queue queue;		/* mutex, condition, barrier */
	struct rt_thread *owner;	/* mutex */
	int users, arrived;		/* barrier */
	struct rt_timer timer;
};

enum rt_type {
	RT_RUN, RT_RUNTIME, RT_SLEEP, RT_TIMER_EV, RT_SUSPEND, RT_RESUME, RT_LOCK, RT_UNLOCK,
	RT_WAIT, RT_SIGNAL, RT_BROAD, RT_SYNC, RT_BARRIER_EV, RT_FORK, RT_YIELD,
};

/**
 * struct rt_event - one event of a phase
 * @type: what to do
 * @ns: for how long, or the timer's period
 * @res: condition, mutex (lock, unlock), barrier or shared timer
 * @mutex: mutex of a wait, sync, suspend or resume
 * @unique: number of the thread's own timer, if @res is NULL
 * @ref: task to fork
 */
struct rt_event {
	enum rt_type type;
	sim_u64 ns;
	struct rt_res *res, *mutex;
	int unique;
	struct rt_task *ref;
};

/* Where a task or phase may run; @set: "cpus", "nodes" or both are given. */
struct rt_place {
	int set, has_cpus, has_nodes;
	struct sim_mask cpus, mask;
	sim_u64 nodes;
};

/* How it is scheduled; policy and what belongs to it count if @set. */
struct rt_sched {
	int set;
	struct sim_attr attr;
};

struct rt_phase {
	char *name;
	int loop;
	struct rt_place place;
	struct rt_sched sched;
	const char *group;
	struct rt_event *events;
	int nr_events;
};

/**
 * struct rt_process - tasks that are threads of a process of their own
 * @next: in the order of the file
 * @name: comm of its main thread
 * @w: the workload
 * @nr: threads that it starts with
 * @left: threads of those made that have not ended
 * @made: it was made
 * @done: its main thread has ended
 * @join: its main thread, waiting for @left to be 0
 */
struct rt_process {
	struct rt_process *next;
	char *name;
	struct workload *w;
	int nr, left, made, done;
	struct rt_queue join;
};

/**
 * struct rt_task - a task as the file describes it
 * @next: in the order of the file
 * @name: name
 * @process: process that they belong to, NULL for the main one
 * @instance: threads to make at the start
 * @loop: times that the phases are run, -1 for ever
 * @delay: before the first loop, ns
 * @place: for phases without one
 * @sched: at the start
 * @group: at the start
 * @phases: phases
 * @nr_phases: how many
 * @unique: names of its threads' own timers
 * @absolute: their modes
 * @nr_unique: how many
 * @made: threads made so far
 * @forks: of them by a fork event
 */
struct rt_task {
	struct rt_task *next;
	char *name;
	struct rt_process *process;
	int instance, loop;
	sim_u64 delay;
	struct rt_place place;
	struct rt_sched sched;
	const char *group;
	struct rt_phase *phases;
	int nr_phases;
	char **unique;
	int *absolute;
	int nr_unique;
	int made, forks;
};

/**
 * struct workload - a workload
 * @file: path of the file
 * @nr_cpus: CPUs of the machine
 * @nr_nodes: its nodes
 * @need_nodes: some place names nodes and workload_machine() was not called
 * @duration: seconds, -1 for none
 * @nr_initial: threads made at the start
 * @tasks: what to run
 * @processes: processes beside the main one
 * @res: mutexes and so on
 * @groups: task groups without the leading slash
 * @group_made: path components made for them, to be removed
 * @nr_groups: how many
 * @nr_group_made: how many
 *
 * The rest is the run's:
 *
 * @opts: options
 * @started: workload_main() was called
 * @threads: all threads ever made, then those of @max_threads
 * @nr_threads: how many
 * @max_threads: size of @threads
 * @live: threads that have not ended
 * @blocked: threads that only another thread can wake
 * @making: processes whose main threads are still making threads
 * @timed: the main thread sleeps until the duration is over
 * @stop: the duration is over
 * @fail: -errno if the run is given up
 * @why: the line that says so
 * @zero: when the first thread started
 * @has_zero: it has
 * @start: threads at the starting barrier
 * @nr_start: how many of @nr_initial are there
 * @join: the main thread, waiting for @joins to end
 * @joins: what it waits for: the "done" of a thread or process
 * @queues: all queues
 */
struct workload {
	char *file;
	int nr_cpus, nr_nodes, need_nodes;
	int duration, sync;
	int nr_initial;
	struct rt_task *tasks;
	struct rt_process *processes;
	struct rt_res *res;
	char *groups[RT_MAX_GROUPS];
	int nr_groups;
	char **group_made;
	int nr_group_made;

	struct workload_opts opts;
	int started;
	struct rt_thread **threads;
	int nr_threads, max_threads;
	int live, blocked, making, timed, stop, fail;
	char why[512];
	sim_u64 zero;
	int has_zero;
	struct rt_queue start;
	int nr_start;
	struct rt_queue join;
	const int *joins;
	struct rt_queue *queues;
};

/* Of rtapp.c: forget the threads. */
void rt_free_threads(struct workload *w);

#endif /* SIM_RTAPP_H */
