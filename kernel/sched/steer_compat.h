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

#endif /* _KERNEL_SCHED_STEER_COMPAT_H */
