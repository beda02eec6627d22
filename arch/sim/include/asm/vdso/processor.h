/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_SIM_VDSO_PROCESSOR_H
#define _ASM_SIM_VDSO_PROCESSOR_H

/* Whoever waits for another CPU lets virtual time pass. */
void sim_cpu_relax(void);
#define cpu_relax()	sim_cpu_relax()

#endif /* _ASM_SIM_VDSO_PROCESSOR_H */
