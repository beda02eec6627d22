/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the bases differ: the names of today's kernel on top of the older one.
 * Nothing else looks at the version, but asm/thread_info.h, which every header
 * needs before this one could be included.
 */
#ifndef _ARCH_SIM_KERNEL_COMPAT_H
#define _ARCH_SIM_KERNEL_COMPAT_H

#include <linux/version.h>
#include <linux/sched.h>
#include <linux/sched/task.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 18, 0)
#define SIM_COPY_THREAD_ARGS	struct task_struct *p, const struct kernel_clone_args *args
#define SIM_COPY_FN		((void *)args->fn)
#define SIM_COPY_ARG		(args->fn_arg)
#define SIM_CLONE_FN(f, a)	.fn = (f), .fn_arg = (a)
#include <linux/resume_user_mode.h>
#else
#define SIM_COPY_THREAD_ARGS	unsigned long clone_flags, unsigned long usp,		\
				unsigned long arg, struct task_struct *p, unsigned long tls
#define SIM_COPY_FN		((void *)usp)
#define SIM_COPY_ARG		((void *)arg)
#define SIM_CLONE_FN(f, a)	.stack = (unsigned long)(f), .stack_size = (unsigned long)(a)
#define user_mode_thread	kernel_thread
#include <linux/tracehook.h>
#define resume_user_mode_work	tracehook_notify_resume
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 14, 0)
#define sim_task_state(p)	((p)->state)
#else
#define sim_task_state(p)	READ_ONCE((p)->__state)
#endif

/* sched_switch has told the previous task's state since 5.18 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 18, 0)
#define SIM_SWITCH_PROBE_ARGS	void *unused, bool preempt, struct task_struct *prev,	\
				struct task_struct *next, unsigned int prev_state
#define SIM_SWITCH_STATE	prev_state
#else
#define SIM_SWITCH_PROBE_ARGS	void *unused, bool preempt, struct task_struct *prev,	\
				struct task_struct *next
#define SIM_SWITCH_STATE	(prev->state)
#endif

/* The cluster's level came with 5.16; with our series an older base has it too */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 16, 0) || __has_include(<linux/cluster_topology.h>)
#define SIM_CLS_LEVEL	{ cpu_clustergroup_mask, cpu_cluster_flags, SD_INIT_NAME(CLS) },
#else
#define SIM_CLS_LEVEL
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
void maple_tree_init(void);

#define sim_maple_tree_init()	maple_tree_init()
#else
#define sim_maple_tree_init()	do { } while (0)
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 15, 0)
#define SIM_PRINTK		_printk
#define SIM_PRINTK_DEFERRED	_printk_deferred
#else
#define SIM_PRINTK		printk
#define SIM_PRINTK_DEFERRED	printk_deferred
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 0, 0)
#define SIM_FLUSH_WORKQUEUE	__flush_workqueue
#define SIM_WORK_ON_CPU_ARGS	work_on_cpu_key(int cpu, long (*fn)(void *arg), void *arg, \
						struct lock_class_key *key)
#else
#define SIM_FLUSH_WORKQUEUE	flush_workqueue
#define SIM_WORK_ON_CPU_ARGS	work_on_cpu(int cpu, long (*fn)(void *arg), void *arg)
#endif

/* Once out of line; a name that nobody calls where it is inline */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0)
#define SIM_FINISH_RCUWAIT	finish_rcuwait
#else
#define SIM_FINISH_RCUWAIT	sim_finish_rcuwait
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 17, 0)
#define SIM_RCU_NEEDS_CPU	int rcu_needs_cpu(void)
#define sim_rcu_no_event()	do { } while (0)
#else
#define SIM_RCU_NEEDS_CPU	int rcu_needs_cpu(u64 basemono, u64 *nextevt)
#define sim_rcu_no_event()	(*nextevt = KTIME_MAX)
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 15, 0)
#define SIM_DEBUGFS_RESULT	void
#define SIM_DEBUGFS_NOTHING
#else
#define SIM_DEBUGFS_RESULT	struct dentry *
#define SIM_DEBUGFS_NOTHING	NULL
#endif

/* Inline in the older one, which calls kmalloc_order() */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 0, 0)
#define SIM_KMALLOC_LARGE(size, flags)	kmalloc_large(size, flags)
#else
#define SIM_KMALLOC_LARGE(size, flags)	kmalloc_order(size, flags, unsigned int order)
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 14, 0)
#define sim_rq_locked(rq)	raw_spin_is_locked(&(rq)->__lock)
#else
#define sim_rq_locked(rq)	raw_spin_is_locked(&(rq)->lock)
#endif

/* Groups can be SCHED_IDLE since then */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 15, 0)
#define sim_cfs_rq_idle(cfs_rq)	((cfs_rq)->idle)
#else
#define sim_cfs_rq_idle(cfs_rq)	false
#endif

#endif /* _ARCH_SIM_KERNEL_COMPAT_H */
