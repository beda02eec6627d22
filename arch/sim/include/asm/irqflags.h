/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_SIM_IRQFLAGS_H
#define _ASM_SIM_IRQFLAGS_H

/* Interrupts of the CPU whose code runs; the engine looks at it in cpu_relax(). */
extern unsigned long sim_irq_on;

static inline unsigned long arch_local_save_flags(void)
{
	return sim_irq_on;
}

#define arch_local_save_flags arch_local_save_flags

static inline void arch_local_irq_restore(unsigned long flags)
{
	sim_irq_on = flags;
}

#define arch_local_irq_restore arch_local_irq_restore

#include <asm-generic/irqflags.h>

#endif /* _ASM_SIM_IRQFLAGS_H */
