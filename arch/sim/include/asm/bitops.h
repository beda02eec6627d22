/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_SIM_BITOPS_H
#define _ASM_SIM_BITOPS_H

#ifndef _LINUX_BITOPS_H
#error only <linux/bitops.h> can be included directly
#endif

#include <linux/compiler.h>
#include <asm/barrier.h>
#include <asm-generic/bitops/builtin-__ffs.h>
#include <asm-generic/bitops/ffz.h>
#include <asm-generic/bitops/builtin-fls.h>
#include <asm-generic/bitops/builtin-__fls.h>
#include <asm-generic/bitops/fls64.h>
#include <asm-generic/bitops/sched.h>
/* 6.1 has moved it to linux/find.h */
#if __has_include(<asm-generic/bitops/find.h>)
#include <asm-generic/bitops/find.h>
#endif
#include <asm-generic/bitops/builtin-ffs.h>
#include <asm-generic/bitops/hweight.h>
#include <asm-generic/bitops/lock.h>
#include <asm-generic/bitops/atomic.h>
#include <asm-generic/bitops/non-atomic.h>
#include <asm-generic/bitops/le.h>
#include <asm-generic/bitops/ext2-atomic.h>

#endif /* _ASM_SIM_BITOPS_H */
