/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between the bases, so that no other file of ours has to ask for
 * the kernel's version.
 */
#ifndef _KERNEL_SCHED_STEER_COMPAT_H
#define _KERNEL_SCHED_STEER_COMPAT_H

#include <linux/version.h>

/* cpu.idle: a group whose tasks count as SCHED_IDLE whatever their policy */
#if defined(CONFIG_FAIR_GROUP_SCHED) && LINUX_VERSION_CODE >= KERNEL_VERSION(5, 15, 0)
static inline bool steer_task_group_idle(struct task_struct *p)
{
	struct task_group *tg;

	for (tg = task_group(p); tg; tg = tg->parent) {
		if (tg->idle)
			return true;
	}
	return false;
}
#else
static inline bool steer_task_group_idle(struct task_struct *p)
{
	return false;
}
#endif

/*
 * What a wakeup asks of one CPU: the CPU if it is to be taken, or -1. For fair.c,
 * behind the functions that are named here.
 */
#if KERNEL_VERSION(5, 12, 0) <= LINUX_VERSION_CODE
#define steer_probe_cpu(p, cpu)	__select_idle_cpu(cpu, p)
#else
static inline int steer_probe_cpu(struct task_struct *p, int cpu)
{
	return available_idle_cpu(cpu) || sched_idle_cpu(cpu) ? cpu : -1;
}
#endif

/*
 * For tests: exchange what limits a waker's scan of an LLC. 6.1 has a limit for
 * the LLC, 5.10 compares the waker's idle time with what a scan costs.
 */
#if KERNEL_VERSION(6, 0, 0) <= LINUX_VERSION_CODE
#define STEER_SCAN_ALL	(INT_MAX / 2)
static inline u64 steer_swap_scan_limit(struct rq *rq, struct sched_domain_shared *sds, u64 limit)
{
	return xchg(&sds->nr_idle_scan, (int)limit);
}
#else
#define STEER_SCAN_ALL	BIT_ULL(40)
static inline u64 steer_swap_scan_limit(struct rq *rq, struct sched_domain_shared *sds, u64 limit)
{
	return xchg(&rq->avg_idle, limit);
}
#endif

#endif /* _KERNEL_SCHED_STEER_COMPAT_H */
