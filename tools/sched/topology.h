/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCHEDPLACE_TOPOLOGY_H
#define _SCHEDPLACE_TOPOLOGY_H

#include <stdbool.h>

#include "schedplace.h"

/* Four times what the kernels in question support; bounds what a file may claim. */
#define MAX_CPUS	4096

struct cpuset {
	u64 bits[MAX_CPUS / 64];
};

static inline bool cpuset_has(const struct cpuset *set, int cpu)
{
	return set->bits[cpu / 64] >> (cpu % 64) & 1;
}

static inline void cpuset_add(struct cpuset *set, int cpu)
{
	set->bits[cpu / 64] |= 1ULL << (cpu % 64);
}

/**
 * struct topology - which CPUs share a cluster, a last-level cache and a NUMA node
 * @known: CPUs that have been described
 * @has_clusters: there are clusters between core and LLC
 * @cluster: cluster id of each CPU, or -1 without clusters
 * @llc: LLC id of each CPU
 * @node: NUMA node of each CPU
 * @nr: one more than the highest known CPU
 */
struct topology {
	struct cpuset known;
	bool has_clusters;
	int cluster[MAX_CPUS];
	int llc[MAX_CPUS];
	int node[MAX_CPUS];
	int nr;
};

int cpuset_parse(struct cpuset *set, const char *list);
char *cpuset_format(const struct cpuset *set);
int cpuset_count(const struct cpuset *set);

int topology_add(struct topology *topo, int cpu, int llc, int node, int cluster);
void topology_read_sys(struct topology *topo);
void topology_read_file(struct topology *topo, const char *path);

#endif
