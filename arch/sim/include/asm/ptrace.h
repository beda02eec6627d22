/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_SIM_PTRACE_H
#define _ASM_SIM_PTRACE_H

#include <uapi/asm/ptrace.h>

#ifndef __ASSEMBLY__
/* What an interrupt needs to know of what it interrupted. */
struct pt_regs {
	unsigned long pc, sp, user;
};

#define user_mode(r)		((r)->user)
#define instruction_pointer(r)	((r)->pc)
#define user_stack_pointer(r)	((r)->sp)
#define profile_pc(r)		instruction_pointer(r)
#define kernel_stack_pointer(r)	((r)->sp)
#endif

#endif /* _ASM_SIM_PTRACE_H */
