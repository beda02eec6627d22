/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
#ifndef _UAPI_ASM_SIM_UNISTD_H
#define _UAPI_ASM_SIM_UNISTD_H

#define __ARCH_WANT_NEW_STAT
#define __ARCH_WANT_SYS_CLONE3

#include <asm-generic/unistd.h>

#endif /* _UAPI_ASM_SIM_UNISTD_H */
