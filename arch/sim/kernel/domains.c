// SPDX-License-Identifier: GPL-2.0
/* The domains as a kernel with sched_verbose prints them. */
#include <linux/cpumask.h>
#include <linux/sched/cputime.h>
#include <linux/sched/topology.h>

#include <kernel/sched/sched.h>

#include "sim.h"

static __printf(1, 2) void print(const char *fmt, ...)
{
	char line[1024];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vscnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	host_write('0', line, n);
}

void sim_print_domains(int cpu)
{
	struct sched_domain *sd;
	int level = 0;

	print("CPU%d attaching sched-domain(s):\n", cpu);
	rcu_read_lock();
	for_each_domain(cpu, sd) {
		struct sched_group *g = sd->groups;

		level++;
		print("%*s domain-%d: span=%*pbl level=%s\n%*s groups:", level, "", level - 1,
		      cpumask_pr_args(sched_domain_span(sd)), sd->name, level + 1, "");
		do {
			print(" %d:{ span=%*pbl", g->sgc->id, cpumask_pr_args(sched_group_span(g)));
			if ((sd->flags & SD_OVERLAP) &&
			    !cpumask_equal(group_balance_mask(g), sched_group_span(g)))
				print(" mask=%*pbl", cpumask_pr_args(group_balance_mask(g)));
			if (g->sgc->capacity != SCHED_CAPACITY_SCALE)
				print(" cap=%lu", g->sgc->capacity);
			print(" }");
			g = g->next;
			print("%s", g != sd->groups ? "," : "\n");
		} while (g != sd->groups);
	}
	if (!level)
		print("CPU%d attaching NULL sched-domain.\n", cpu);
	rcu_read_unlock();
}
