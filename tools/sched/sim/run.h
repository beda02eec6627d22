/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_RUN_H
#define SIM_RUN_H

#include "metrics.h"
#include "topo.h"
#include "workload.h"

#define MAX_FEATURES	64
#define MAX_SEEDS	1000	/* as many runs as lab-result takes */

/**
 * struct run_options - what the command line says
 * @machine: name or path
 * @workload: name or path
 * @cpus: where the workload may run, or NULL
 * @json: file, or NULL
 * @trace: file, or NULL
 * @base: base kernel in the JSON, or NULL to take it from the release
 * @variant: variant in the JSON, or NULL to take it from the features
 * @disturb: file, or NULL
 * @feature: scheduler features to set, with NO_ in front to clear
 * @nr_features: their number
 * @nr_on: how many of them are set
 * @first_seed: the first seed
 * @last_seed: the last one
 * @max_ns: virtual time after which the run is ended
 * @max_given: that was asked for, so it is no failure
 * @warmup: runs of the workload before the one that counts
 * @barrier: the workload's threads wait for each other
 * @per_task: report each task
 * @params: the kernel's parameters
 */
struct run_options {
	const char *machine, *workload, *cpus, *json, *trace, *base, *variant, *disturb;
	const char *feature[MAX_FEATURES];
	int nr_features, nr_on;
	sim_u64 first_seed, last_seed;
	sim_u64 max_ns;
	int barrier, per_task, warmup, max_given;
	struct sim_params params;
};

/**
 * struct run_task - one task of a run; goes through a pipe as it is
 * @m: figures from the events
 * @name: its name in the workload, which is loaded before a process a seed
 *	forks off; NULL for the main thread of a process
 * @instance: its number among the tasks of this name, or -1
 * @loops: loops that it completed
 */
struct run_task {
	struct metrics_task m;
	const char *name;
	int instance;
	sim_u64 loops;
};

/**
 * struct run_result - one run; goes through a pipe as it is
 * @seed: its seed
 * @m: figures from the events
 * @loops: loops that the workload's tasks completed
 * @status: what workload_main() returned
 * @timed_out: it was ended before the workload was
 * @disturb_failed: disturbances that the kernel refused
 * @nr_first: first placements
 * @nr_tasks: entries of @tasks
 * @violations: of invariants
 * @boot_host_ns: the host's time for booting
 * @host_ns: the host's time for the run
 * @virtual_ns: virtual time of the run
 * @events: events of the simulator meanwhile
 * @first: CPUs of the first placements; its own allocation
 * @tasks: what became of each, NULL without --per-task; its own allocation
 */
struct run_result {
	sim_u64 seed;
	struct metrics_result m;
	sim_u64 loops;
	int status, timed_out, disturb_failed, nr_first, nr_tasks;
	sim_u64 violations;
	sim_u64 boot_host_ns, host_ns, virtual_ns, events;
	int *first;
	struct run_task *tasks;
};

int run(const struct run_options *o);

/**
 * struct run_names - what the reports say of all runs
 * @kernel: release
 * @base: base kernel
 * @variant: variant
 * @machine: name of the machine
 * @workload: name of the workload
 * @command: as schedplace would have recorded it
 * @cpus: CPU list, or NULL
 * @m: the machine
 */
struct run_names {
	char kernel[128], base[32], variant[64];
	char machine[MACHINE_NAME_LEN], workload[256], command[512];
	const char *cpus;
	const struct sim_machine *m;
};

void report_text(const struct run_names *names, const struct run_result *r, int nr);
void report_tasks(const struct run_result *r, int nr);
void report_host(const struct run_result *r, int nr, sim_u64 wall_ns);
void report_json(const char *path, const struct run_names *names, const struct run_result *r,
		 int nr);

void report_check(const char *path);

int bench(const char *list, double seconds, int per_cpu, const struct sim_params *params);

#endif /* SIM_RUN_H */
