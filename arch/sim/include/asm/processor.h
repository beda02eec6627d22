/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_SIM_PROCESSOR_H
#define _ASM_SIM_PROCESSOR_H

#include <asm/page.h>

struct task_struct;
struct pt_regs;

/**
 * struct thread_struct - a task's coroutine
 * @sp: stack pointer while it is suspended
 * @fn: what the task does, called once
 * @arg: its argument
 * @seen: clock of the CPU that did something with the task last
 */
struct thread_struct {
	unsigned long sp;
	void (*fn)(void *arg);
	void *arg;
	unsigned long long seen;
};

#define INIT_THREAD		{ }
#define TASK_SIZE		(1UL << 47)
#define TASK_UNMAPPED_BASE	(TASK_SIZE / 3)
#define STACK_TOP		TASK_SIZE
#define STACK_TOP_MAX		TASK_SIZE
#define task_pt_regs(t)		((struct pt_regs *)NULL)
#define KSTK_EIP(t)		0UL
#define KSTK_ESP(t)		0UL
#define start_thread(r, pc, sp)	do { } while (0)

/* 5.10 calls it without, later kernels with the underscores */
unsigned long get_wchan(struct task_struct *p);
unsigned long __get_wchan(struct task_struct *p);

void release_thread(struct task_struct *p);

#include <asm/vdso/processor.h>

#endif /* _ASM_SIM_PROCESSOR_H */
