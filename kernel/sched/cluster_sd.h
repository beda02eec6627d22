/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which domain is a CPU's cluster, and whether any is.
 *
 * Part of topology.c. Writers hold sched_domains_mutex and the CPU hotplug lock,
 * as for all domains; wakeups read the pointer under RCU and the key unlocked.
 */
#ifndef _KERNEL_SCHED_CLUSTER_SD_H
#define _KERNEL_SCHED_CLUSTER_SD_H

#ifdef CONFIG_SCHED_CLUSTER
/**
 * cluster_attach - note the domain of a CPU's cluster
 * @cpu: the CPU, whose domains have just been exchanged
 * @llc: its LLC's domain, or NULL
 *
 * A cluster is what lies right below the LLC and is more than a core: it has no
 * flag of its own. A level that the machine has not, or that equals one of its
 * neighbours, has been dropped from the domains by now.
 *
 * Context: sched_domains_mutex and RCU read side.
 */
static inline void cluster_attach(int cpu, struct sched_domain *llc)
{
	struct sched_domain *sd = llc ? rcu_dereference(llc->child) : NULL;

	if (sd && (sd->flags & SD_SHARE_CPUCAPACITY))
		sd = NULL;
	rcu_assign_pointer(per_cpu(sd_cluster, cpu), sd);
}

/* Has a partition clusters? Perhaps not on every CPU. */
static inline bool cluster_in_partition(const struct cpumask *cpu_map)
{
	int cpu;

	for_each_cpu(cpu, cpu_map) {
		if (rcu_access_pointer(per_cpu(sd_cluster, cpu)))
			return true;
	}
	return false;
}

/**
 * cluster_hold - a partition with its domains attached holds the key
 * @cpu_map: CPUs of the partition
 *
 * Context: sched_domains_mutex and the CPU hotplug lock.
 */
static inline void cluster_hold(const struct cpumask *cpu_map)
{
	if (cluster_in_partition(cpu_map))
		static_branch_inc_cpuslocked(&sched_cluster_present);
}

/**
 * cluster_release - a partition whose domains are about to go drops the key
 * @cpu_map: CPUs of the partition, as given to cluster_hold()
 *
 * Context: sched_domains_mutex and the CPU hotplug lock.
 */
static inline void cluster_release(const struct cpumask *cpu_map)
{
	if (cluster_in_partition(cpu_map))
		static_branch_dec_cpuslocked(&sched_cluster_present);
}
#else
static inline void cluster_attach(int cpu, struct sched_domain *llc) { }
static inline void cluster_hold(const struct cpumask *cpu_map) { }
static inline void cluster_release(const struct cpumask *cpu_map) { }
#endif /* CONFIG_SCHED_CLUSTER */

#endif /* _KERNEL_SCHED_CLUSTER_SD_H */
