// SPDX-License-Identifier: GPL-2.0
/* The domains as a kernel with sched_verbose prints them, and what is right of them. */
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

/* Only the balance of a CPU whose own group it is keeps a group's capacity up to date. */
static bool somebodys_own(struct sched_group *g)
{
	struct sched_domain *sd;
	int cpu;

	for_each_cpu(cpu, group_balance_mask(g)) {
		/* In the middle of a change */
		if (!rcu_access_pointer(cpu_rq(cpu)->sd))
			return true;
		for_each_domain(cpu, sd)
			if (sd->groups->sgc == g->sgc)
				return true;
	}
	return false;
}

static void tell(int cpu, struct sched_domain *sd, const struct cpumask *mask, const char *what)
{
	sim_violation("domains", "CPU %d: %s %*pbl: %*pbl %s", cpu, sd->name,
		      cpumask_pr_args(sched_domain_span(sd)), cpumask_pr_args(mask), what);
}

/**
 * sim_check_domains - look at what balancing relies on
 * @cpu: whose domains
 *
 * A domain's groups lie in it and make it up, and the first is the CPU's own.
 */
void sim_check_domains(int cpu)
{
	static struct cpumask all;
	struct sched_domain *sd;

	rcu_read_lock();
	for_each_domain(cpu, sd) {
		struct sched_group *g = sd->groups;

		if (!cpumask_test_cpu(cpu, sched_group_span(g)))
			tell(cpu, sd, sched_group_span(g), "is its own group without it");
		cpumask_clear(&all);
		do {
			cpumask_or(&all, &all, sched_group_span(g));
			if (!cpumask_subset(sched_group_span(g), sched_domain_span(sd)))
				tell(cpu, sd, sched_group_span(g), "is a group that reaches out");
			else if (!somebodys_own(g))
				tell(cpu, sd, sched_group_span(g), "is updated by nobody");
			g = g->next;
		} while (g != sd->groups);
		if (!cpumask_subset(sched_domain_span(sd), &all))
			tell(cpu, sd, &all, "is all that is in a group");
	}
	rcu_read_unlock();
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
	sim_check_domains(cpu);
}
