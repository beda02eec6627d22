/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Wakeups on a machine with clusters: an idle CPU of the target's cluster comes
 * before the rest of the LLC.
 *
 * The order in which a wakeup looks for an idle CPU, once the target itself is
 * found busy:
 *
 *   1. the previous, then the recently used CPU, if in the target's cluster;
 *   2. the target's cluster: an idle core if the LLC has any, else an idle CPU;
 *   3. the previous, the recently used CPU, or an idle sibling of the previous
 *      one, in another cluster of the LLC;
 *   4. the rest of the LLC.
 *
 * All visits of 2. and 4. share the limit that the wakeup has without clusters,
 * so that a scan is never longer; it only begins elsewhere.
 *
 * Part of fair.c: included before select_idle_cpu(). What is read here is
 * written while domains are attached, see cluster_sd.h.
 */
#ifndef _KERNEL_SCHED_CLUSTER_H
#define _KERNEL_SCHED_CLUSTER_H

#include "steer_compat.h"

#ifdef CONFIG_SCHED_CLUSTER
/**
 * cluster_domain - the domain of a CPU's cluster, if wakeups are to mind it
 * @cpu: the CPU
 *
 * Where capacities differ, a CPU that fits the task is worth more than a near
 * one, and the wakeup is left as it is.
 *
 * Context: RCU read side. The domains may be exchanged between two calls; an
 * idle CPU is then taken from the old cluster, once.
 *
 * Return: the domain; NULL if the machine, the LLC or the CPU has no clusters,
 * with asymmetric capacities, and with the feature off.
 */
static __always_inline struct sched_domain *cluster_domain(int cpu)
{
	if (!static_branch_unlikely(&sched_cluster_present))
		return NULL;
	if (!sched_feat(CLUSTER_WAKEUP) || static_branch_unlikely(&sched_asym_cpucapacity))
		return NULL;

	return rcu_dereference(per_cpu(sd_cluster, cpu));
}
#else
static __always_inline struct sched_domain *cluster_domain(int cpu)
{
	return NULL;
}
#endif /* CONFIG_SCHED_CLUSTER */

/**
 * cluster_keeps - may a wakeup take an idle CPU without looking further?
 * @p: the task that wakes
 * @cpu: an idle CPU that shares the target's cache
 * @target: where the wakeup would go best, but which is busy
 * @spare: -1 or a CPU to fall back to; set to @cpu if it is the first that is
 *	in another cluster, and @p may run there
 *
 * Context: RCU read side, see cluster_domain().
 *
 * Return: true if @cpu is as near to @target as can be.
 */
static __always_inline bool cluster_keeps(struct task_struct *p, int cpu, int target,
					  int *spare)
{
	struct sched_domain *sd = cluster_domain(target);

	if (!sd || cpumask_test_cpu(cpu, sched_domain_span(sd)))
		return true;
	if (*spare < 0 && cpumask_test_cpu(cpu, p->cpus_ptr))
		*spare = cpu;

	return false;
}

/*
 * What becomes of a visit: the CPU to take, or -1. The mask is that of the CPUs
 * still to be visited, of which a probe of a core takes all siblings out.
 */
typedef int (*cluster_probe_t)(struct task_struct *p, int cpu, struct cpumask *cpus,
			       int *idle_cpu);

/**
 * cluster_scan - visit the CPUs of a cluster
 * @cluster: CPUs of the cluster
 * @cpus: CPUs that may be taken; those of @cluster are taken out
 * @target: the CPU behind which to begin, and where to end
 * @nr: NULL, or one more than the CPUs that may yet be visited, as the scan of
 *	the LLC counts them; stays at 1 when none is left
 * @probe: looks at one CPU
 * @p: for @probe
 * @idle_cpu: for @probe
 *
 * Context: any; pure but for @probe. At most as many visits as the cluster has
 * CPUs, and a pass over the words of two cpumasks.
 *
 * Return: what the first successful probe did, or -1.
 */
static __always_inline int cluster_scan(const struct cpumask *cluster, struct cpumask *cpus,
					int target, int *nr, cluster_probe_t probe,
					struct task_struct *p, int *idle_cpu)
{
	int cpu, found;

	for_each_cpu_wrap(cpu, cluster, target + 1) {
		if (!cpumask_test_cpu(cpu, cpus))
			continue;
		if (nr && !--*nr) {
			*nr = 1;
			return -1;
		}
		found = probe(p, cpu, cpus, idle_cpu);
		if (found >= 0)
			return found;
	}
	cpumask_andnot(cpus, cpus, cluster);

	return -1;
}

static __always_inline int cluster_probe_cpu(struct task_struct *p, int cpu,
					     struct cpumask *cpus, int *idle_cpu)
{
	return steer_probe_cpu(p, cpu);
}

static __always_inline int cluster_probe_core(struct task_struct *p, int core,
					      struct cpumask *cpus, int *idle_cpu)
{
	return steer_probe_core(p, core, cpus, idle_cpu);
}

/**
 * select_idle_cluster - look into the target's cluster before the LLC is scanned
 * @p: the task that wakes
 * @cpus: CPUs of the LLC that @p may use; those that need no second visit are
 *	taken out
 * @target: the busy CPU near which @p should run
 * @spare: idle CPU of another cluster, or -1
 * @core: look for an idle core; the LLC has one
 * @nr: limit of visits, as for cluster_scan(); cores are not limited, as they
 *	are not in the LLC
 * @idle_cpu: set to an idle CPU without an idle core, if one is seen; -1 before
 *
 * @spare is taken before an idle core further away: without clusters it would
 * have been taken at once.
 *
 * Context: RCU read side, interrupts off, as for the scan of the LLC.
 *
 * Return: the CPU to take, or -1 to go on with @cpus.
 */
static __always_inline int select_idle_cluster(struct task_struct *p, struct cpumask *cpus,
					       int target, int spare, bool core, int *nr,
					       int *idle_cpu)
{
	struct sched_domain *sd = cluster_domain(target);
	int cpu;

	if (!sd)
		return -1;

	if (core)
		cpu = cluster_scan(sched_domain_span(sd), cpus, target, NULL,
				   cluster_probe_core, p, idle_cpu);
	else
		cpu = cluster_scan(sched_domain_span(sd), cpus, target, nr,
				   cluster_probe_cpu, p, idle_cpu);

	return cpu >= 0 ? cpu : spare;
}

#endif /* _KERNEL_SCHED_CLUSTER_H */
