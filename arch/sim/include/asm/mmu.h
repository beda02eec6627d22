/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_SIM_MMU_H
#define _ASM_SIM_MMU_H

typedef struct {
	unsigned long unused;
} mm_context_t;

#endif /* _ASM_SIM_MMU_H */
