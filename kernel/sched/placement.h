/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Placement of a task that may use only some CPUs of a domain.
 *
 * find_idlest_group() compares groups by weight, capacity and type. All three
 * describe the whole group, so that to a task with a short cpumask a group
 * whose allowed CPUs are all taken still looks idle: its other CPUs are. The
 * functions here make the statistics those of the CPUs that the task may use.
 *
 * The walk that gathers the statistics visits just those CPUs, so they are
 * counted there: what is counted is online and in the group, whatever bits the
 * task's mask has beside that. Whether a task is limited is asked once a domain,
 * so that all of its groups are judged by one rule.
 *
 * Part of fair.c: included behind struct sg_lb_stats and capacity_of(). All of
 * it works on statistics on the caller's stack; no field is shared.
 */
#ifndef _KERNEL_SCHED_PLACEMENT_H
#define _KERNEL_SCHED_PLACEMENT_H

#include "steer_compat.h"

/**
 * task_limited - is a task to be placed by counting its CPUs?
 * @sd: domain whose groups are compared
 * @p: the task to place
 *
 * A task with fewer CPUs than its part of the machine has (the topmost domain:
 * a cpuset partition has its own) is limited in every domain, also in those
 * that it may use whole: all of its siblings are sent to the same few CPUs.
 *
 * Numbers do not tell where the mask names CPUs that are offline: with CPUs 4
 * to 7 of 8 gone, 0x55 names as many as are left, and only two of them. A task
 * whose mask is neither shorter than that nor as long as the machine has to be
 * asked by mask. A task that may go anywhere gets by with one comparison; one
 * confined to all that is there, by a cpuset or beside isolated CPUs, pays a
 * cpumask_subset() a domain.
 *
 * Context: RCU read side; @p's affinity is stable (pi_lock, or not yet woken).
 *
 * Return: true if @p is limited in @sd; false with the feature off.
 */
static inline bool task_limited(struct sched_domain *sd, struct task_struct *p)
{
	struct sched_domain *top = sd, *parent;

	if (!sched_feat(NUMA_AFFINITY) || likely(p->nr_cpus_allowed >= nr_cpu_ids))
		return false;

	while ((parent = rcu_dereference(top->parent)))
		top = parent;
	if (p->nr_cpus_allowed < top->span_weight)
		return true;

	return !cpumask_subset(sched_domain_span(top), p->cpus_ptr);
}

/* Does @p count as SCHED_IDLE on a runqueue: by its policy or by a group of it? */
static inline bool task_is_background(struct task_struct *p)
{
	return task_has_idle_policy(p) || steer_task_group_idle(p);
}

/**
 * sgs_count_allowed - account a CPU that a limited task may use
 * @sgs: statistics of the CPU's group
 * @p: the task to place
 * @cpu: the CPU that is visited
 *
 * A CPU with nothing but SCHED_IDLE tasks is as good as an idle one, as it is
 * where find_idlest_group_cpu() takes it, unless @p is such a task itself.
 *
 * Context: RCU read side, as for update_sg_wakeup_stats(). The runqueue may
 * change between two reads; the counts are then off by what came or went.
 */
static inline void sgs_count_allowed(struct sg_lb_stats *sgs,
				     struct task_struct *p, int cpu)
{
	sgs->allowed_weight++;
	sgs->allowed_capacity += capacity_of(cpu);
	if (sched_idle_cpu(cpu) && !task_is_background(p)) {
		sgs->sched_idle_cpus++;
		sgs->sched_idle_running += cpu_rq(cpu)->nr_running;
	}
}

/*
 * The type of a group for a task with few CPUs, from counts alone: tasks that
 * were just forked have hardly any utilization, and a group packed with them
 * would pass for one with spare capacity. A failed balance below the group
 * (group_imbalanced) says nothing about which allowed CPU is idle.
 */
static inline enum group_type sgs_allowed_type(const struct sg_lb_stats *sgs)
{
	if (!sgs->idle_cpus && sgs->sum_nr_running > sgs->group_weight)
		return group_overloaded;

	if (sgs->group_misfit_task_load)
		return group_misfit_task;

	return sgs->idle_cpus ? group_has_spare : group_fully_busy;
}

/**
 * sgs_limit - let the statistics be those of the allowed CPUs
 * @sgs: statistics of one group, with all CPUs that the task may use counted
 *	and with the weight and capacity of the whole group
 *
 * Called for every group of a domain in which the task is limited, or for none.
 *
 * Context: any.
 */
static inline void sgs_limit(struct sg_lb_stats *sgs)
{
	sgs->group_limited = true;
	sgs->group_weight = sgs->allowed_weight;
	sgs->group_capacity = max(1UL, sgs->allowed_capacity);
	sgs->idle_cpus += sgs->sched_idle_cpus;
	lsub_positive(&sgs->sum_nr_running, sgs->sched_idle_running);
	sgs->group_type = sgs_allowed_type(sgs);
}

/**
 * sgs_cmp_taken - compare two groups without an idle allowed CPU
 * @a: statistics of one group of a domain in which the task is limited
 * @b: statistics of another group of the domain
 *
 * A task with few CPUs goes where the fewest tasks share an allowed CPU. The
 * load comes second: its margins let a node gather three tasks on a CPU before
 * they tell it from a node with one, and within a task group it says little.
 *
 * Against the local group it has no say at all. What differs there, with equal
 * counts, is the load that tasks now asleep have left, and the parent: it is
 * one of the tasks counted, and often waits for its children.
 *
 * Context: any; pure.
 *
 * Return: negative, zero or positive as @a has fewer, as many or more tasks a
 * CPU than @b; negative if @b is no group yet but what a search starts from.
 */
static inline int sgs_cmp_taken(const struct sg_lb_stats *a,
				const struct sg_lb_stats *b)
{
	u64 ta = (u64)a->sum_nr_running * b->group_weight;
	u64 tb = (u64)b->sum_nr_running * a->group_weight;

	if (!b->group_weight)
		return -1;

	return ta < tb ? -1 : ta > tb;
}

#endif /* _KERNEL_SCHED_PLACEMENT_H */
