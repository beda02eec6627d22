/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The NUMA imbalance that placement and load balance tolerate.
 *
 * A node may hold a few tasks more than its neighbour before the benefit of
 * local memory is outweighed by sharing caches and memory channels.
 */
#ifndef _KERNEL_SCHED_NUMA_IMBALANCE_H
#define _KERNEL_SCHED_NUMA_IMBALANCE_H

#include <linux/minmax.h>
#include <linux/sched/topology.h>

/* A pair of communicating tasks is left on one node, up to the limit below. */
#define NUMA_IMBALANCE_PAIR	2

/**
 * numa_imbalance_limit - running tasks up to which a node may be uneven
 * @node_weight: CPUs of the node
 * @nr_llcs: last-level caches of the node, at least 1
 *
 * With several LLCs each of the tasks can have one to itself, so their number
 * is the limit. With one LLC it is an eighth of the CPUs: about the point at
 * which SMT siblings and memory channels begin to be shared.
 *
 * Context: any; pure.
 *
 * Return: a number of tasks, at least 1.
 */
static inline unsigned int numa_imbalance_limit(unsigned int node_weight,
						unsigned int nr_llcs)
{
	if (nr_llcs > 1)
		return nr_llcs;

	return max(1U, node_weight / 8);
}

/**
 * numa_imbalance_tolerated - may a node stay ahead of another?
 * @imbalance: tasks, or idle CPUs, by which the two nodes differ
 * @dst_running: tasks that the favoured node would run, the new one included
 * @limit: numa_imbalance_limit(), or less for a task with few CPUs there
 *
 * Context: any; pure.
 *
 * Return: true when evening the nodes out is not worth a remote placement.
 */
static inline bool numa_imbalance_tolerated(long imbalance,
					    unsigned int dst_running,
					    unsigned int limit)
{
	return dst_running <= limit && imbalance <= NUMA_IMBALANCE_PAIR;
}

#endif /* _KERNEL_SCHED_NUMA_IMBALANCE_H */
