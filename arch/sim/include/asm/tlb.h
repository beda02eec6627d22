/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_SIM_TLB_H
#define _ASM_SIM_TLB_H

#define tlb_flush(tlb)			do { } while (0)
#define __pte_free_tlb(tlb, pte, a)	do { } while (0)

#include <asm-generic/tlb.h>

#endif /* _ASM_SIM_TLB_H */
