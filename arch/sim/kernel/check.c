// SPDX-License-Identifier: GPL-2.0
#include <linux/kernel.h>
#include <linux/sched.h>
#include "sim.h"

static unsigned long violations;

void sim_violation(const char *invariant, const char *fmt, ...)
{
	static char text[1024];
	va_list ap;

	violations++;
	va_start(ap, fmt);
	vscnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	host_violation(invariant, text);
}

unsigned long sim_violations(void)
{
	return violations;
}

void sim_check_invariants(int on)
{
	sim_params.invariants = on;
}

void sim_check_event(int cpu)
{
}

void sim_check_switch(struct task_struct *next)
{
}

void sim_check_start(void)
{
}
