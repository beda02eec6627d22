/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a cluster of CPUs is to the scheduler, whatever firmware says of it.
 *
 * Domains of one level must be equal or disjoint, and lie in one domain of the
 * next level: otherwise the scheduler warns and builds no domains at all. So a
 * cluster that cannot be a level of its own is none. All members of a cluster
 * come to the same verdict.
 */
#ifndef _LINUX_CLUSTER_TOPOLOGY_H
#define _LINUX_CLUSTER_TOPOLOGY_H

#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/kconfig.h>
#include <linux/topology.h>

/* What the levels next to that of clusters span, in this configuration */
#ifdef CONFIG_SCHED_SMT
#define cluster_base_mask(cpu)	topology_sibling_cpumask(cpu)
#else
#define cluster_base_mask(cpu)	cpumask_of(cpu)
#endif
#ifdef CONFIG_SCHED_MC
#define cluster_above_mask(cpu)	cpu_coregroup_mask(cpu)
#else
#define cluster_above_mask(cpu)	cpu_cpu_mask(cpu)
#endif

/**
 * cluster_span - the CPUs that the cluster level of a CPU spans
 * @base: what the level below spans, the whole core or, without SMT, the CPU
 * @cluster: the CPU's cluster
 * @above: what the level above spans, the cache or the node
 * @core: the threads of a CPU's core, also where @base is a single CPU
 * @cpu: the CPU
 *
 * Return: @cluster if it is larger than the core, smaller than @above and made
 * of whole cores; else @base, so that the level is dropped.
 */
static inline const struct cpumask *
cluster_span(const struct cpumask *base, const struct cpumask *cluster,
	     const struct cpumask *above, const struct cpumask *(*core)(int cpu), int cpu)
{
	int i;

	if (cpumask_subset(cluster, core(cpu)) || !cpumask_subset(cluster, above) ||
	    cpumask_equal(cluster, above))
		return base;
	for_each_cpu(i, cluster) {
		if (!cpumask_subset(core(i), cluster))
			return base;
	}
	return cluster;
}

/**
 * cluster_cache_span - the CPUs that the level of the last cache spans
 * @cluster: the CPU's cluster
 * @node: its node
 * @cache: the CPUs that share a CPU's last known cache
 * @cpu: the CPU
 *
 * Some clusters share no cache that the firmware knows of, but a snoop filter
 * or a cache on the memory's side. Then the cluster stands in for the cache.
 *
 * Return: @cluster if it is in the node and made of whole caches, else the
 * CPUs of the cache.
 */
static inline const struct cpumask *
cluster_cache_span(const struct cpumask *cluster, const struct cpumask *node,
		   const struct cpumask *(*cache)(int cpu), int cpu)
{
	const struct cpumask *own = cache(cpu);
	int i;

	if (!IS_ENABLED(CONFIG_SCHED_CLUSTER) || cpumask_subset(cluster, own) ||
	    !cpumask_subset(cluster, node))
		return own;
	for_each_cpu(i, cluster) {
		if (!cpumask_subset(cache(i), cluster))
			return own;
	}
	return cluster;
}

/**
 * cluster_pptt_level - which of the processors above a CPU is its cluster
 * @thread: the CPU is a thread of a core
 * @package: how many steps it is from the CPU up to its package
 *
 * It is the one above the core, if that is neither the package nor outside it.
 * Steps are counted because IDs do not tell levels apart: a cluster may have
 * the ID that another device, such as a core, has as well.
 *
 * Return: steps from the CPU up to its cluster, or -1 if it has none.
 */
static inline int cluster_pptt_level(bool thread, int package)
{
	int level = thread ? 2 : 1;

	return level < package ? level : -1;
}

/**
 * cluster_cache_id - a number for a cache of an x86 CPU
 * @apicid: the CPU's APIC ID
 * @threads: how many APIC IDs share the cache, 0 if that is not known
 *
 * IDs are given out in powers of two, whatever the number of threads.
 *
 * Return: the first APIC ID of those that share the cache, or -1.
 */
static inline int cluster_cache_id(unsigned int apicid, unsigned int threads)
{
	if (!threads)
		return -1;
	return apicid & ~(BIT(get_count_order(threads)) - 1);
}

#endif /* _LINUX_CLUSTER_TOPOLOGY_H */
