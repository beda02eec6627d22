/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sets sched_domain::imb_numa_nr on bases whose domains do not have it yet.
 */
#ifndef _KERNEL_SCHED_NUMA_IMBALANCE_SD_H
#define _KERNEL_SCHED_NUMA_IMBALANCE_SD_H

#include "numa_imbalance.h"

static inline struct sched_domain *sd_parent(struct sched_domain *sd)
{
	return rcu_dereference_protected(sd->parent,
					 lockdep_is_held(&sched_domains_mutex));
}

/**
 * sd_set_numa_imbalance - give a CPU's domains their allowed NUMA imbalance
 * @bottom: the lowest domain of the CPU; spans, flags and parents are set
 *
 * The domain right above the LLC stands for the node. A NUMA domain that holds
 * a multiple of the first NUMA domain's CPUs is allowed that multiple.
 *
 * Context: while domains are built, under sched_domains_mutex; nobody else
 * sees them yet. The field is read-only once they are attached.
 */
static inline void sd_set_numa_imbalance(struct sched_domain *bottom)
{
	struct sched_domain *sd, *llc = NULL;
	unsigned int limit = 1, unit;

	for (sd = bottom; sd && (sd->flags & SD_SHARE_PKG_RESOURCES); sd = sd_parent(sd))
		llc = sd;
	if (!sd)
		return;

	if (llc)
		limit = numa_imbalance_limit(sd->span_weight,
					     sd->span_weight / llc->span_weight);
	sd->imb_numa_nr = limit;

	unit = sd->span_weight;
	for (sd = sd_parent(sd); sd; sd = sd_parent(sd)) {
		if (sd->flags & SD_NUMA) {
			unit = sd->span_weight;
			break;
		}
		sd->imb_numa_nr = limit;
	}
	for (; sd; sd = sd_parent(sd))
		sd->imb_numa_nr = limit * max(1U, sd->span_weight / unit);
}

#endif /* _KERNEL_SCHED_NUMA_IMBALANCE_SD_H */
