/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_SIM_MMU_CONTEXT_H
#define _ASM_SIM_MMU_CONTEXT_H

#include <asm-generic/mm_hooks.h>

struct mm_struct;
struct task_struct;

/* An address space is a name for a group of threads: nothing to switch. */
static inline void enter_lazy_tlb(struct mm_struct *mm, struct task_struct *tsk)
{
}

static inline int init_new_context(struct task_struct *tsk, struct mm_struct *mm)
{
	return 0;
}

static inline void destroy_context(struct mm_struct *mm)
{
}

static inline void switch_mm(struct mm_struct *prev, struct mm_struct *next,
			     struct task_struct *tsk)
{
}

static inline void activate_mm(struct mm_struct *prev, struct mm_struct *next)
{
}

static inline void deactivate_mm(struct task_struct *tsk, struct mm_struct *mm)
{
}

#endif /* _ASM_SIM_MMU_CONTEXT_H */
