// SPDX-License-Identifier: GPL-2.0
/*
 * From power on to the first task: what init/main.c does for the parts that
 * are linked in, in the same order, and the tables that firmware would give.
 */
#include <linux/cgroup.h>
#include <linux/cpu.h>
#include <linux/cpuset.h>
#include <linux/completion.h>
#include <linux/cred.h>
#include <linux/init.h>
#include <linux/interrupt.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/pid_namespace.h>
#include <linux/sched/clock.h>
#include <linux/sched/init.h>
#include <linux/sched/isolation.h>
#include <linux/sched/numa_balancing.h>
#include <linux/sched/mm.h>
#include <linux/sched/topology.h>
#include <linux/seq_file.h>
#include <linux/signal.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/tick.h>
#include <linux/timekeeping.h>
#include <linux/timer.h>
#include <linux/utsname.h>

#include <linux/sched/cputime.h>

#include <kernel/sched/sched.h>
#include "sim.h"

/* The dynamic part of a CPU's area: task groups of a fuzz run fit in */
#define PERCPU_DYNAMIC	(1UL << 20)

unsigned long __per_cpu_offset[NR_CPUS];
struct sim_cpu_masks sim_cpu_masks[NR_CPUS];
struct cpumask sim_node_masks[MAX_NUMNODES];
unsigned char sim_distances[MAX_NUMNODES][MAX_NUMNODES];
unsigned long sim_capacities[NR_CPUS];
struct pglist_data *node_data[MAX_NUMNODES];
DEFINE_PER_CPU(int, numa_node);
unsigned int nr_node_ids = 1;
unsigned int nr_online_nodes = 1;
enum system_states system_state;
bool early_boot_irqs_disabled;
unsigned long loops_per_jiffy = 4096;

/* What the trampolines of cost.list add */
unsigned int sim_cost_scan, sim_cost_tick;

static void (*init_fn)(void *arg);
static void *init_arg;
static DECLARE_COMPLETION(kthreadd_done);

const struct cpumask *cpu_coregroup_mask(int cpu)
{
	return &sim_cpu_masks[cpu].llc;
}

const struct cpumask *cpu_clustergroup_mask(int cpu)
{
	return &sim_cpu_masks[cpu].cluster;
}

static const unsigned int default_costs[SIM_NR_COSTS] = {
	[SIM_COST_IRQ]		= 300,
	[SIM_COST_TICK]		= 700,
	[SIM_COST_SWITCH]	= 500,
	[SIM_COST_WAKEUP]	= 400,
	[SIM_COST_FORK]		= 20000,
	[SIM_COST_EXEC]		= 200000,
	[SIM_COST_EXIT]		= 10000,
	[SIM_COST_SYSCALL]	= 150,
	[SIM_COST_SCAN]		= 30,
	[SIM_COST_IPI]		= 600,
	[SIM_COST_IPI_SEND]	= 150,
	[SIM_COST_IDLE_EXIT]	= 500,
	[SIM_COST_TIMER]	= 100,
	[SIM_COST_RELAX]	= 50,
};

static const char * const cost_names[SIM_NR_COSTS] = {
	[SIM_COST_IRQ]		= "irq",
	[SIM_COST_TICK]		= "tick",
	[SIM_COST_SWITCH]	= "switch",
	[SIM_COST_WAKEUP]	= "wakeup",
	[SIM_COST_FORK]		= "fork",
	[SIM_COST_EXEC]		= "exec",
	[SIM_COST_EXIT]		= "exit",
	[SIM_COST_SYSCALL]	= "syscall",
	[SIM_COST_SCAN]		= "scan",
	[SIM_COST_IPI]		= "ipi",
	[SIM_COST_IPI_SEND]	= "ipi-send",
	[SIM_COST_IDLE_EXIT]	= "idle-exit",
	[SIM_COST_TIMER]	= "timer",
	[SIM_COST_RELAX]	= "relax",
};

void sim_defaults(struct sim_params *p)
{
	memset(p, 0, sizeof(*p));
	memcpy(p->cost, default_costs, sizeof(p->cost));
	p->jitter = 100;
	p->imbalance_periods = 64;
}

const char *sim_cost_name(int cost)
{
	return cost >= 0 && cost < SIM_NR_COSTS ? cost_names[cost] : NULL;
}

const char *sim_release(void)
{
	return init_uts_ns.name.release;
}

/* x86 with nodes inside a package: the nodes' masks say where the package is */
static struct sched_domain_topology_level numa_in_package_topology[] = {
	{ cpu_smt_mask, cpu_smt_flags, SD_INIT_NAME(SMT) },
	SIM_CLS_LEVEL
	{ cpu_coregroup_mask, cpu_core_flags, SD_INIT_NAME(MC) },
	{ NULL, },
};

static void setup_topology(const struct sim_machine *m)
{
	int a, b;

	for (a = 0; a < m->nr_cpus; a++) {
		const struct sim_cpu_topo *t = &m->cpu[a];
		struct sim_cpu_masks *masks = &sim_cpu_masks[a];

		masks->package_id = t->package;
		masks->core_id = t->core;
		masks->cluster_id = m->has_clusters ? t->cluster : t->core;
		sim_capacities[a] = t->capacity;
		cpumask_set_cpu(a, &sim_node_masks[t->node]);
		node_set_state(t->node, N_CPU);
		for (b = 0; b < m->nr_cpus; b++) {
			const struct sim_cpu_topo *o = &m->cpu[b];

			if (t->core == o->core)
				cpumask_set_cpu(b, &masks->core);
			if (m->has_clusters ? t->cluster == o->cluster : t->core == o->core)
				cpumask_set_cpu(b, &masks->cluster);
			if (t->llc == o->llc)
				cpumask_set_cpu(b, &masks->llc);
			if (t->package == o->package)
				cpumask_set_cpu(b, &masks->package);
		}
	}
	if (m->numa_in_package)
		set_sched_topology(numa_in_package_topology);
	nr_node_ids = m->nr_nodes;
	nr_online_nodes = m->nr_nodes;
	for (a = 0; a < m->nr_nodes; a++) {
		for (b = 0; b < m->nr_nodes; b++)
			sim_distances[a][b] = m->distance[a][b];
		node_data[a] = kzalloc(sizeof(*node_data[a]), GFP_KERNEL);
		node_data[a]->node_id = a;
		node_set_state(a, N_ONLINE);
		node_set_state(a, N_POSSIBLE);
		node_set_state(a, N_MEMORY);
		node_set_state(a, N_NORMAL_MEMORY);
	}
	node_reclaim_distance = m->reclaim_distance ?: RECLAIM_DISTANCE;
}

static void setup_percpu(const struct sim_machine *m)
{
	size_t used = __per_cpu_end - __per_cpu_start;
	/* A multiple of a page would put all runqueues into the same cache sets */
	size_t size = ALIGN(used + PERCPU_DYNAMIC, PAGE_SIZE) + 9 * SMP_CACHE_BYTES;
	char *area = host_map(size * m->nr_cpus);
	int cpu;

	if (!area)
		panic("no memory for %d CPUs", m->nr_cpus);
	for (cpu = 0; cpu < m->nr_cpus; cpu++) {
		memcpy(area + cpu * size, __per_cpu_start, used);
		__per_cpu_offset[cpu] = area + cpu * size - __per_cpu_start;
		per_cpu(numa_node, cpu) = m->cpu[cpu].node;
		set_cpu_possible(cpu, true);
		set_cpu_present(cpu, true);
	}
	/* What boot writes for CPU 0 goes to its area, no longer to the master copy */
	sim_my_cpu_offset = __per_cpu_offset[0];
	sim_percpu_init(__per_cpu_start, used, size);
}

static void run_initcalls(initcall_entry_t *from, initcall_entry_t *to)
{
	for (; from < to; from++)
		initcall_from_entry(from)();
}

static int kernel_init(void *unused)
{
	wait_for_completion(&kthreadd_done);
	set_mems_allowed(node_states[N_MEMORY]);
	sim_workqueue_start();
	run_initcalls(__sim_initcall_early, __sim_initcall_start);
	smp_init();
	sched_init_smp();
	cpuset_init_smp();
	run_initcalls(__sim_initcall_start, __sim_initcall_end);
	system_state = SYSTEM_RUNNING;
	sim_cgroup_start();

	/* As after exec of /sbin/init: a user task with an address space */
	sim_exec("init");
	kernel_sigaction(SIGCHLD, SIG_IGN);
	sim_trace_start();
	sim_check_start();
	/* Boot is over when all is quiet */
	sim_sleep(50 * NSEC_PER_MSEC);
	init_fn(init_arg);
	sim_engine_stop();
	return 0;
}

static void rest_init(void)
{
	int pid = user_mode_thread(kernel_init, NULL, CLONE_FS);
	struct task_struct *init = find_task_by_pid_ns(pid, &init_pid_ns);

	/* Migration works from sched_init_smp() on, which lets it go */
	init->flags |= PF_NO_SETAFFINITY;
	set_cpus_allowed_ptr(init, cpumask_of(0));
	pid = kernel_thread(kthreadd, NULL, CLONE_FS | CLONE_FILES);
	kthreadd_task = find_task_by_pid_ns(pid, &init_pid_ns);
	system_state = SYSTEM_SCHEDULING;
	complete(&kthreadd_done);
	schedule_preempt_disabled();
	cpu_startup_entry(CPUHP_ONLINE);
}

static void start_kernel_sim(void *unused)
{
	sched_init();
	sim_lib_init();
	housekeeping_init();
	tick_init();
	init_timers();
	hrtimers_init();
	softirq_init();
	/* CLOCK_MONOTONIC starts with the virtual clock, and timers rely on it */
	sim_charged = 0;
	timekeeping_init();
	sim_register_clocks();
	sim_timer_start(0);
	local_irq_enable();
	sched_clock_init();
	/* As the memory policy's init does: by default, with more than one node */
	if (num_online_nodes() > 1)
		set_numabalancing_state(true);
	pid_idr_init();
	cred_init();
	fork_init();
	proc_caches_init();
	signals_init();
	seq_file_init();
	cpuset_init();
	cgroup_init();
	rest_init();
}

void sim_boot(const struct sim_machine *m, const struct sim_params *p,
	      void (*init)(void *arg), void *arg)
{
	sim_params = *p;
	/* Without it a CPU that waits for another would stop the clock */
	sim_params.cost[SIM_COST_RELAX] = max(sim_params.cost[SIM_COST_RELAX], 1U);
	sim_reseed(p->seed);
	sim_cost_scan = p->cost[SIM_COST_SCAN];
	sim_cost_tick = p->cost[SIM_COST_TICK];
	init_fn = init;
	init_arg = arg;

	sim_current = &init_task;
	sim_shim_init();
	cgroup_init_early();
	setup_topology(m);
	setup_percpu(m);
	setup_nr_cpu_ids();
	boot_cpu_init();
	boot_cpu_hotplug_init();
	init_task.stack = host_stack_alloc();
	sim_new_stack(&init_task, start_kernel_sim, NULL);
	sim_engine_init(m->nr_cpus, &init_task);
	sim_engine_run();
}
