/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_SIM_THREAD_INFO_H
#define _ASM_SIM_THREAD_INFO_H

#include <linux/version.h>

#define THREAD_SIZE_ORDER	4
#define THREAD_SIZE		(4096UL << THREAD_SIZE_ORDER)

#ifndef __ASSEMBLY__
struct thread_info {
	unsigned long flags;
	int preempt_count;
	unsigned int cpu;
};

#define INIT_THREAD_INFO(tsk)	{ .flags = 0, .preempt_count = INIT_PREEMPT_COUNT }

struct task_struct;

/* CONFIG_ARCH_THREAD_STACK_ALLOCATOR */
unsigned long *arch_alloc_thread_stack_node(struct task_struct *tsk, int node);
void arch_free_thread_stack(struct task_struct *tsk);

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 18, 0)
#define alloc_thread_stack_node	arch_alloc_thread_stack_node
#define free_thread_stack	arch_free_thread_stack
#endif
#endif /* !__ASSEMBLY__ */

#define TIF_SYSCALL_TRACE	0
#define TIF_NOTIFY_RESUME	1
#define TIF_SIGPENDING		2
#define TIF_NEED_RESCHED	3
#define TIF_RESTORE_SIGMASK	6
#define TIF_NOTIFY_SIGNAL	7
#define TIF_MEMDIE		8
#define TIF_POLLING_NRFLAG	9

#define _TIF_SYSCALL_TRACE	(1 << TIF_SYSCALL_TRACE)
#define _TIF_NOTIFY_RESUME	(1 << TIF_NOTIFY_RESUME)
#define _TIF_SIGPENDING		(1 << TIF_SIGPENDING)
#define _TIF_NEED_RESCHED	(1 << TIF_NEED_RESCHED)
#define _TIF_NOTIFY_SIGNAL	(1 << TIF_NOTIFY_SIGNAL)
#define _TIF_POLLING_NRFLAG	(1 << TIF_POLLING_NRFLAG)
#define _TIF_WORK_MASK		0xff

#endif /* _ASM_SIM_THREAD_INFO_H */
