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
 * All visits of 2. and 4. share the limit that a scan has without clusters.
 *
 * Part of fair.c: included before select_idle_cpu(). What is read here is
 * written while domains are attached, see cluster_sd.h.
 */
#ifndef _KERNEL_SCHED_CLUSTER_H
#define _KERNEL_SCHED_CLUSTER_H

#include "steer_compat.h"

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
	unsigned int cpu = target;
	int found;

	for (;;) {
		cpu = cpumask_next_and(cpu, cluster, cpus);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first_and(cluster, cpus);
		if (cpu >= nr_cpu_ids || (nr && *nr == 1))
			return -1;
		if (nr)
			--*nr;
		found = probe(p, cpu, cpus, idle_cpu);
		if (found >= 0)
			return found;
		cpumask_clear_cpu(cpu, cpus);
	}
}

#ifdef CONFIG_SCHED_CLUSTER
/*
 * Are wakeups to mind clusters? Where capacities differ, a CPU that fits the
 * task is worth more than a near one, and the wakeup is left as it is.
 */
static __always_inline bool cluster_wakeup(void)
{
	return static_branch_unlikely(&sched_cluster_present) && sched_feat(CLUSTER_WAKEUP) &&
	       !static_branch_unlikely(&sched_asym_cpucapacity);
}

static int cluster_probe_cpu(struct task_struct *p, int cpu, struct cpumask *cpus, int *idle_cpu)
{
	return steer_probe_cpu(p, cpu);
}

static int cluster_probe_core(struct task_struct *p, int core, struct cpumask *cpus, int *idle_cpu)
{
	const struct cpumask *threads = topology_sibling_cpumask(core);
	bool idle = true;
	int cpu;

	for_each_cpu(cpu, threads) {
		if (!available_idle_cpu(cpu))
			idle = false;
		if (*idle_cpu < 0 && cpumask_test_cpu(cpu, cpus))
			*idle_cpu = steer_probe_cpu(p, cpu);
	}
	if (idle)
		return core;
	cpumask_andnot(cpus, cpus, threads);

	return -1;
}

/* Out of line, so that wakeups elsewhere are what they were but for a nop */
static noinline bool __cluster_apart(int cpu, int target)
{
	struct sched_domain *sd = rcu_dereference(per_cpu(sd_cluster, target));

	return sd && !cpumask_test_cpu(cpu, sched_domain_span(sd));
}

static noinline int __select_idle_cluster(struct task_struct *p, struct cpumask *cpus,
					  int target, int spare, bool core, int *nr,
					  int *idle_cpu)
{
	struct sched_domain *sd = rcu_dereference(per_cpu(sd_cluster, target));
	int cpu;

	if (!sd)
		return -1;

	if (core)
		cpu = cluster_scan(sched_domain_span(sd), cpus, target, NULL,
				   cluster_probe_core, p, idle_cpu);
	else
		cpu = cluster_scan(sched_domain_span(sd), cpus, target, nr,
				   cluster_probe_cpu, p, idle_cpu);

	if (cpu >= 0)
		return cpu;
	/*
	 * A task of the cluster that is woken by another one is not sent away
	 * from it for an idle core: each would pull the other after it.
	 */
	if (core && spare < 0 && in_task() && target == smp_processor_id() &&
	    cpumask_test_cpu(task_cpu(p), sched_domain_span(sd)))
		return *idle_cpu;

	return spare;
}

/**
 * cluster_apart - is an idle CPU to be passed over for nearer ones?
 * @cpu: an idle CPU that shares the target's cache
 * @target: where the wakeup would go best, but which is busy
 *
 * Context: RCU read side. The domains may be exchanged between two calls; an
 * idle CPU is then taken from the old cluster, once.
 *
 * Return: true if @target is in a cluster, and @cpu in another one; false with
 * asymmetric capacities, and with the feature off.
 */
static __always_inline bool cluster_apart(int cpu, int target)
{
	return cluster_wakeup() && __cluster_apart(cpu, target);
}

/**
 * cluster_spare - remember a CPU that was passed over
 * @p: the task that wakes
 * @spare: what is remembered already, or -1
 * @cpu: an idle CPU, of which cluster_apart() said true
 *
 * Return: @spare, or @cpu if that is the first one that @p may use.
 */
static __always_inline int cluster_spare(struct task_struct *p, int spare, int cpu)
{
	return spare < 0 && cpumask_test_cpu(cpu, p->cpus_ptr) ? cpu : spare;
}

/**
 * select_idle_cluster - look into the target's cluster before the LLC is scanned
 * @p: the task that wakes
 * @cpus: CPUs of the LLC that @p may use; those that need no second visit are
 *	taken out
 * @target: the busy CPU near which @p should run
 * @spare: idle CPU of another cluster, or -1
 * @core: look for an idle core; the LLC has one
 * @nr: limit of visits, as for cluster_scan(); NULL with @core, since cores are
 *	not limited in the LLC either, and ignored there
 * @idle_cpu: NULL, or -1 and set to an idle CPU without an idle core that is seen
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
	int cpu, left, seen;

	if (!cluster_wakeup())
		return -1;

	/* Copies, so that the caller's own can stay in registers */
	left = nr ? *nr : 0;
	seen = -1;
	cpu = __select_idle_cluster(p, cpus, target, spare, core, &left, &seen);
	if (nr)
		*nr = left;
	if (idle_cpu)
		*idle_cpu = seen;

	return cpu;
}
#else
static __always_inline bool cluster_apart(int cpu, int target)
{
	return false;
}

static __always_inline int cluster_spare(struct task_struct *p, int spare, int cpu)
{
	return spare;
}

static __always_inline int select_idle_cluster(struct task_struct *p, struct cpumask *cpus,
					       int target, int spare, bool core, int *nr,
					       int *idle_cpu)
{
	return -1;
}
#endif /* CONFIG_SCHED_CLUSTER */

#endif /* _KERNEL_SCHED_CLUSTER_H */
