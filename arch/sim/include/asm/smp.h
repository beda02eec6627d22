/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_SIM_SMP_H
#define _ASM_SIM_SMP_H

#include <linux/cpumask.h>

extern int sim_this_cpu;
#define raw_smp_processor_id()	(sim_this_cpu)

struct task_struct;

void arch_send_call_function_single_ipi(int cpu);
void arch_send_call_function_ipi_mask(const struct cpumask *mask);
int __cpu_up(unsigned int cpu, struct task_struct *idle);
int __cpu_disable(void);
void __cpu_die(unsigned int cpu);

#endif /* _ASM_SIM_SMP_H */
