/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the scheduler placement tests share: topology, scheduler features,
 * tasks that record where they run, and a way back for every change made.
 */
#ifndef _SELFTESTS_SCHED_UTIL_H
#define _SELFTESTS_SCHED_UTIL_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(arr)	(sizeof(arr) / sizeof((arr)[0]))
#endif

#define MAX_LLCS	16
#define MAX_SPINNERS	64

/* Functions return 0, or a negative errno, where not said otherwise */

/* Emulated CPUs may share one host CPU; none of these limits is a measurement */
#define WAIT_MS		60000

/*
 * Files and sysfs
 */
int read_file(const char *path, char *buf, size_t size);
int write_file(const char *path, const char *text);
int parse_cpus(const char *text, cpu_set_t *set);
const char *show_cpus(const cpu_set_t *set);
int nth_cpu(const cpu_set_t *set, int n);
int this_cpu(void);
void sleep_ms(int ms);

/*
 * What undo_*() has noted is taken back, last first, by undo_to(), at exit and
 * on a deadly signal.
 */
void undo_init(void);
int undo_mark(void);
void undo_to(int mark);
void undo_write(const char *path, const char *text);
void undo_rmdir(const char *path);
void undo_group(pid_t pgid);

/*
 * CPUs that go and come. Note how to bring one back before it goes.
 */
const char *online_file(int cpu);
bool read_online(cpu_set_t *set);
int set_online(int cpu, bool on);

/*
 * Topology of the CPUs that are online and that this process may use
 */
struct topology {
	int nr_llcs;
	cpu_set_t cpus;
	cpu_set_t llc[MAX_LLCS];	/* The first ones; ordered by their first CPU */
	cpu_set_t heads[MAX_LLCS];	/* The first CPU of each core or cluster there */
};

bool llc_of(int cpu, cpu_set_t *set);
void topology_init(struct topology *topo);
void pick_per_llc(const struct topology *topo, int per_llc, int max, cpu_set_t *set);

/*
 * Scheduler features
 */
#define FEATURE		"NUMA_AFFINITY"

enum feature_state {
	FEATURE_NO_FILE,	/* No root, no debugfs or no SCHED_DEBUG */
	FEATURE_ABSENT,
	FEATURE_OFF,
	FEATURE_ON,
};

const char *features_file(void);
enum feature_state feature_read(const char *name);
int feature_write(const char *name, bool on);
const char *feature_problem(enum feature_state state);

/*
 * Spinners: tasks that are busy from their first instruction. A process of its
 * own, the creator, makes them one after another without a pause. It counts as
 * one more running task until all of them are made.
 *
 * The CPU that fork chose is not always the one of a task's first instruction:
 * on a CPU with others, it waits for its turn, and load balance may move it
 * before. So ask the kernel, at once, where the tasks are and whether they have
 * been moved.
 */
enum spin_kind {
	SPIN_THREADS,
	SPIN_FORKS,
};

struct spinner {
	unsigned int seq;	/* Odd while the mask is changing */
	unsigned int seen;	/* Last seq for which a sample was taken */
	cpu_set_t mask;		/* Where it may run */
	pid_t tid;
	pid_t pid;		/* Set by the creator, when it is a process */
	int first;		/* CPU of its first instruction */
	int placed;		/* CPU when all were made */
	int creator;		/* CPU of the creator, -1 if that moved meanwhile */
	int stray;		/* CPU outside of the mask it was seen on, or -1 */
};

struct spin {
	int nr;
	int nr_started;
	int stop;
	int error;		/* Negative errno of what the creator failed with */
	int moves_before;	/* Migrations of the creator before it began */
	int ready;		/* Pipe that the creator writes to when all are made */
	int undo;		/* Mark to go back to */
	enum spin_kind kind;
	pid_t creator;		/* Leads a process group */
	struct spinner task[MAX_SPINNERS];
};

/*
 * Runs in the creator in place of setting its affinity to the mask, and has to
 * have that effect.
 */
typedef int (*spin_hook_t)(void *arg);

struct spin *spin_start(enum spin_kind kind, int nr, const cpu_set_t *mask,
			spin_hook_t hook, void *arg);
int spin_wait_made(struct spin *spin);
int spin_wait_started(struct spin *spin);
void spin_mask_begin(struct spinner *task);
void spin_mask_end(struct spinner *task, const cpu_set_t *mask);
int spin_wait_seen(struct spin *spin);
int spin_strays(struct spin *spin);
void spin_stop(struct spin *spin);

/*
 * Spread: where spinners are placed that may use few CPUs
 */
struct spread {
	int nr;			/* Spinners */
	int nr_cpus;		/* CPUs they may use */
	int moved;		/* Not zero: load balance interfered, do not judge */
	int most;		/* Spinners on the CPU that got the most */
	int strays;		/* Spinners that started on none of these CPUs */
	int beside_creator;	/* Spinners that were put on the creator's CPU */
	char text[512];		/* CPUs in order of creation */
};

/* Rounds to judge, and tries to get as many that load balance leaves alone */
#define SPREAD_ROUNDS	5
#define SPREAD_TRIES	15

/* What spreads over some rounds amount to */
struct spread_sum {
	const char *title;
	int rounds;		/* Without interference */
	int most;
	int strays;		/* All rounds */
	int beside_creator;
	const char *skip;	/* Why the rounds say nothing, or NULL */
	int err;
};

int spread_run(enum spin_kind kind, int nr, const cpu_set_t *mask,
	       spin_hook_t hook, void *arg, struct spread *res);
void spread_rounds(const char *title, enum spin_kind kind, int nr, const cpu_set_t *mask,
		   spin_hook_t hook, void *arg, struct spread_sum *sum);

/*
 * Churn: a process that makes short tasks without end, which check that they
 * run where they may
 */
struct churn {
	int stop;
	int error;		/* Negative errno of a fork that failed */
	int strays;		/* Tasks that ran outside of the mask */
	int nr_done;
	int undo;
	pid_t pid;
};

struct churn *churn_start(enum spin_kind kind, const cpu_set_t *mask);
int churn_wait(struct churn *churn, int nr_more);
void churn_stop(struct churn *churn);

#endif /* _SELFTESTS_SCHED_UTIL_H */
