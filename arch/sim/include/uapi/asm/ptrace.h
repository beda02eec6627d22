/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
#ifndef _UAPI_ASM_SIM_PTRACE_H
#define _UAPI_ASM_SIM_PTRACE_H

#ifndef __ASSEMBLY__
struct user_regs_struct {
	unsigned long pc, sp;
};
#endif

#endif /* _UAPI_ASM_SIM_PTRACE_H */
