/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_SIM_PERCPU_H
#define _ASM_SIM_PERCPU_H

extern unsigned long sim_my_cpu_offset;
#define __my_cpu_offset	sim_my_cpu_offset

#include <asm-generic/percpu.h>

#endif /* _ASM_SIM_PERCPU_H */
