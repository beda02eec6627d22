/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_SIM_SYSCALL_H
#define _ASM_SIM_SYSCALL_H

static inline int syscall_get_arch(struct task_struct *task)
{
	return 0;
}

#endif /* _ASM_SIM_SYSCALL_H */
