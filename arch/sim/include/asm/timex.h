/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_SIM_TIMEX_H
#define _ASM_SIM_TIMEX_H

typedef unsigned long cycles_t;

unsigned long long sched_clock(void);

static inline cycles_t get_cycles(void)
{
	return sched_clock();
}

#endif /* _ASM_SIM_TIMEX_H */
