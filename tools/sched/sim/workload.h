/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Workloads: the files that rt-app 1.0 reads, carried out by simulated tasks.
 */
#ifndef SIM_WORKLOAD_H
#define SIM_WORKLOAD_H

#include <stddef.h>

#include "sim_host.h"

/* An opaque workload: what the file says and how far its tasks have come. */
struct workload;

/**
 * workload_load - read a workload and check it
 * @path: the file, as rt-app 1.0 takes it
 * @nr_cpus: CPUs of the machine that it will run on
 * @nr_nodes: NUMA nodes of that machine
 * @err: takes what is wrong, one line without a newline
 * @len: its size
 *
 * Not in task context. Nothing in the file is ignored silently: a key that
 * means nothing here is an error, except those in "global" that are about the
 * real machine (calibration, lock_pages, log files, ftrace, gnuplot), which
 * every rt-app file has.
 *
 * Return: the workload, or NULL with @err filled in.
 */
struct workload *workload_load(const char *path, int nr_cpus, int nr_nodes, char *err, size_t len);

/**
 * workload_machine - tell which CPU is on which node
 * @w: the workload
 * @m: the machine, of as many CPUs and nodes as workload_load() was told
 * @err: takes what is wrong, one line without a newline
 * @len: its size
 *
 * To be called before workload_main(), which refuses a workload that uses
 * "nodes" on a machine with more than one node without it.
 *
 * Return: 0, or -1 with @err filled in if a task or phase has no CPU left.
 */
int workload_machine(struct workload *w, const struct sim_machine *m, char *err, size_t len);

/**
 * workload_free - forget a workload
 * @w: what workload_load() returned, or NULL; none of its tasks may be left
 */
void workload_free(struct workload *w);

/**
 * struct workload_opts - how the program around the workload behaves
 * @settle_ns: CPU time of the main thread before it makes the first thread
 * @gap_ns: CPU time of the main thread between making two threads
 * @barrier: as rt-app 1.0, hold all threads until all exist; 0: each starts at
 *	once (the lab preloads lab/nobarrier.c for that)
 */
struct workload_opts {
	sim_u64 settle_ns;
	sim_u64 gap_ns;
	int barrier;
};

/**
 * workload_defaults - the options' defaults
 * @o: to be filled in: 2 ms, 60 us, with the barrier
 */
void workload_defaults(struct workload_opts *o);

/**
 * workload_main - run a workload
 * @w: the workload; it can be run once
 * @o: options
 *
 * Task context: called by the main thread of a process, named "rt-app". Makes
 * the threads and returns when all of them, forked ones too, have ended.
 *
 * Return: 0, or -errno after a line to host_write() that says which task and
 * what failed.
 */
int workload_main(struct workload *w, const struct workload_opts *o);

/**
 * struct workload_task_stat - what became of one task
 * @name: name of the task in the file (valid as long as the workload)
 * @instance: its number among the tasks with this name, from 0
 * @pid: its PID
 * @loops: full loops of the task
 * @phases: phases completed
 * @run_ns: CPU time asked for by its run and runtime events
 */
struct workload_task_stat {
	const char *name;
	int instance, pid;
	sim_u64 loops, phases, run_ns;
};

/**
 * workload_stats - what became of the tasks
 * @w: the workload, at any time
 * @s: array to be filled in, in the order in which the tasks were made
 * @max: its size, 0 to ask for the number alone
 *
 * Return: how many tasks were ever made.
 */
int workload_stats(const struct workload *w, struct workload_task_stat *s, int max);

#endif /* SIM_WORKLOAD_H */
