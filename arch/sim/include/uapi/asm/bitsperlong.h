/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
#ifndef _UAPI_ASM_SIM_BITSPERLONG_H
#define _UAPI_ASM_SIM_BITSPERLONG_H

#define __BITS_PER_LONG	64

#include <asm-generic/bitsperlong.h>

#endif /* _UAPI_ASM_SIM_BITSPERLONG_H */
