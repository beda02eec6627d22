/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of the cluster level share: what sysfs says of clusters, what
 * the scheduler made of them, and pairs of processes that wake each other.
 */
#ifndef _SELFTESTS_CLUSTER_UTIL_H
#define _SELFTESTS_CLUSTER_UTIL_H

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

#include "sched_util.h"

#define CLUSTER_FEATURE	"CLUSTER_WAKEUP"

/*
 * Clusters, of the CPUs that are online
 */
struct cluster_cpu {
	int package;
	int id;
	cpu_set_t core;		/* It and its hardware threads */
	cpu_set_t cluster;
	cpu_set_t upper;	/* What a cluster divides: LLC or package, in the node */
	cpu_set_t in_package;
};

struct clusters {
	cpu_set_t online;
	struct cluster_cpu cpu[CPU_SETSIZE];
};

int clusters_read(struct clusters *cl);
bool cluster_is_level(const struct clusters *cl, int cpu);
int clusters_count(const struct clusters *cl, const cpu_set_t *cpus);
int clusters_check(const struct clusters *cl);
const char *clusters_problem(const struct clusters *cl, int err);

const char *level_problem(const struct clusters *cl);

/* Return: what is wrong with their domains, each of which it tells, or -ENOENT */
int cluster_domains_check(const struct clusters *cl, bool level, int *nr_judged);

/*
 * Pairs: a client writes a byte into a pipe, its server reads it and answers.
 * Each notes whether it was woken in the cluster of the CPU that woke it.
 */
#define MAX_PAIRS	32

struct pair {
	int rounds;
	int wakeups;
	int near;		/* Of them, in the waker's cluster */
};

struct pairs {
	int stop;
	int nr;
	int undo;
	pid_t pid;
	struct pair pair[MAX_PAIRS];
};

struct pairs *pairs_start(int nr, const cpu_set_t *mask, const struct clusters *cl);
int pairs_wait(struct pairs *pairs, int nr_more);
int pairs_stop(struct pairs *pairs);
int pairs_near(const struct pairs *pairs, int *wakeups);

#endif /* _SELFTESTS_CLUSTER_UTIL_H */
