/* SPDX-License-Identifier: GPL-2.0 */
/* The groups of NUMA domains that overlap, on bases that let them reach out. */
#ifndef _KERNEL_SCHED_OVERLAP_GROUPS_H
#define _KERNEL_SCHED_OVERLAP_GROUPS_H

#include "numa_imbalance_sd.h"

/* The domain below, if that is one that overlaps others as well */
static inline struct sched_domain *overlap_child(struct sched_domain *sd)
{
	struct sched_domain *child;

	child = rcu_dereference_protected(sd->child, lockdep_is_held(&sched_domains_mutex));
	return child && (child->flags & SD_OVERLAP) ? child : NULL;
}

/**
 * overlap_group_domain - whose own group is to stand for a CPU in a larger domain
 * @top: the CPU's domain of the level whose groups are built
 * @span: what the domain spans that gets the group
 *
 * The group is what the child of the domain returned spans. With more than two
 * hops between nodes, the neighbours of a neighbour may be too far away; so the
 * CPU's domains are climbed, from that of its node on, as long as they lie in
 * @span. The capacity of such a group belongs to the level of the domain
 * returned: there it is the own group of some CPUs, which keep it up to date.
 *
 * Context: while domains are built, under sched_domains_mutex; nobody else sees
 * them yet.
 *
 * Return: a domain of the CPU, at the level of @top or below.
 */
static inline struct sched_domain *
overlap_group_domain(struct sched_domain *top, const struct cpumask *span)
{
	struct sched_domain *sd = top, *child;

	while ((child = overlap_child(sd)))
		sd = child;
	while (sd != top && cpumask_subset(sched_domain_span(sd), span))
		sd = sd_parent(sd);

	return sd;
}

#endif /* _KERNEL_SCHED_OVERLAP_GROUPS_H */
