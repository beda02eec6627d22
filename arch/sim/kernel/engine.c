// SPDX-License-Identifier: GPL-2.0
/*
 * The machine: CPUs, interrupts and the order of events in virtual time.
 *
 * A CPU is always in one of the modes below, and the task that is current on
 * it is suspended there. Its next event is the earliest of its few sources
 * (timer, IPIs, end of a computation, ...); a heap over the CPUs finds the
 * earliest of all. An event resumes the task, which runs kernel code as an
 * interrupted CPU would, and comes back here in the same or another mode. So
 * the cost of an event grows with the logarithm of the number of CPUs.
 *
 * Kernel code takes virtual time (sim_charge()), but is not interrupted: what
 * arrives meanwhile waits until it is done. Its effects on other CPUs are seen
 * by them at the event's time, early by at most what the code had cost by then.
 */
#include <linux/clockchips.h>
#include <linux/clocksource.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/hardirq.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/sched/clock.h>
#include <linux/sched/hotplug.h>
#include <linux/sched/mm.h>
#include <linux/sched/task_stack.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>

#include <asm/irq_regs.h>

#include "sim.h"

enum sim_mode {
	SIM_OFF,	/* not started, or taken down */
	SIM_USER,	/* computing */
	SIM_HALT,	/* in the idle loop */
	SIM_SPIN,	/* in cpu_relax(), interrupts on */
	SIM_SPIN_IRQOFF,
};

enum sim_source {
	SRC_TIMER,
	SRC_RESCHED,
	SRC_CALL,
	SRC_BURST,	/* the end of a computation */
	SRC_RELAX,	/* the end of a cpu_relax() */
	SRC_START,	/* power on */
	NR_SRC
};

#define SRC(s)	(1U << SRC_##s)

static const unsigned int eligible[] = {
	[SIM_OFF]		= SRC(START),
	[SIM_USER]		= SRC(TIMER) | SRC(RESCHED) | SRC(CALL) | SRC(BURST),
	[SIM_HALT]		= SRC(TIMER) | SRC(RESCHED) | SRC(CALL),
	[SIM_SPIN]		= SRC(TIMER) | SRC(RESCHED) | SRC(CALL) | SRC(RELAX),
	[SIM_SPIN_IRQOFF]	= SRC(RELAX),
};

#define SIM_NEVER	U64_MAX

/* A CPU that spins so many turns of cpu_relax() on end does so for ever */
#define MAX_TURNS	20000000

/* A task that makes one system call after the other lets others catch up, ns */
#define MAX_AHEAD	2000

/* When, and the order of what happens at one time */
struct sim_slot {
	u64 t, tie;
};

/**
 * struct sim_cpu - a simulated CPU
 * @slot: when each source has its event
 * @pending: the sources that have one, a bit each
 * @cur: the task that is current on it
 * @free_at: end of the kernel code that ran last
 * @mode: how the task was left
 * @src: the event that it was resumed for
 * @best: source of the next event
 * @pos: place in the heap
 * @turns: of cpu_relax() since it was in user mode or idle
 */
struct sim_cpu {
	struct sim_slot slot[NR_SRC];
	unsigned int pending;
	struct task_struct *cur;
	u64 free_at;
	enum sim_mode mode;
	enum sim_source src, best;
	int pos;
	unsigned int turns;
} ____cacheline_aligned;

/* The next event of a CPU, in the heap */
struct sim_next {
	struct sim_slot key;
	int cpu;
};

struct task_struct *sim_current;
int sim_this_cpu;
unsigned long sim_my_cpu_offset;
unsigned long sim_irq_on;
u64 sim_time, sim_charged;
struct sim_params sim_params;

static struct sim_cpu cpus[NR_CPUS];
static struct clock_event_device timers[NR_CPUS];
static struct sim_next heap[NR_CPUS];	/* the earliest event first */
static int nr_cpus;
static int nr_spinning;
static int running = -1;	/* CPU whose code runs, -1 in the engine */
static unsigned long engine_sp;
static u64 nr_events, order, random_state;
static bool stopped;

/**
 * sim_nr_cpus - how many CPUs the machine has
 *
 * Return: their number, online or not.
 */
int sim_nr_cpus(void)
{
	return nr_cpus;
}

/* ---- chance ---- */

static u64 next_random(void)
{
	u64 z = (random_state += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

unsigned int sim_random(unsigned int n)
{
	return n ? next_random() % n : 0;
}

void sim_reseed(sim_u64 seed)
{
	sim_params.seed = seed;
	random_state = seed;
}

static unsigned int jittered(unsigned int ns)
{
	unsigned int spread = (u64)ns * sim_params.jitter / 1000;

	if (sim_params.seed && spread)
		ns = ns - spread + sim_random(2 * spread + 1);
	return ns;
}

/**
 * __sim_charge_jitter - sim_charge() of a cost that varies
 * @ns: its mean
 */
void __sim_charge_jitter(unsigned int ns)
{
	sim_charged += jittered(ns);
}

/* ---- the heap ---- */

static inline bool before(const struct sim_slot *a, const struct sim_slot *b)
{
	return a->t != b->t ? a->t < b->t : a->tie < b->tie;
}

/* Put @n where it belongs, starting at place @i, which is free. */
static void sift(struct sim_next n, int i)
{
	while (i && before(&n.key, &heap[(i - 1) / 2].key)) {
		heap[i] = heap[(i - 1) / 2];
		cpus[heap[i].cpu].pos = i;
		i = (i - 1) / 2;
	}
	for (;;) {
		int k = 2 * i + 1;

		if (k >= nr_cpus)
			break;
		if (k + 1 < nr_cpus && before(&heap[k + 1].key, &heap[k].key))
			k++;
		if (!before(&heap[k].key, &n.key))
			break;
		heap[i] = heap[k];
		cpus[heap[i].cpu].pos = i;
		i = k;
	}
	heap[i] = n;
	cpus[n.cpu].pos = i;
}

/* Find the CPU's next event; nothing happens before its kernel code is done. */
static void rekey(int cpu)
{
	struct sim_cpu *c = &cpus[cpu];
	struct sim_next best = { .key = { SIM_NEVER, SIM_NEVER }, .cpu = cpu };
	unsigned int may = eligible[c->mode] & c->pending;

	while (may) {
		int s = __ffs(may);
		struct sim_slot k = { max(c->slot[s].t, c->free_at), c->slot[s].tie };

		if (before(&k, &best.key)) {
			best.key = k;
			c->best = s;
		}
		may &= may - 1;
	}
	if (best.key.t != heap[c->pos].key.t || best.key.tie != heap[c->pos].key.tie)
		sift(best, c->pos);
}

static void arm(int cpu, enum sim_source src, u64 t)
{
	struct sim_cpu *c = &cpus[cpu];

	c->slot[src].t = t;
	c->slot[src].tie = sim_params.seed ? next_random() : ++order;
	c->pending |= 1U << src;
	if (cpu != running)
		rekey(cpu);
}

static void disarm(int cpu, enum sim_source src)
{
	struct sim_cpu *c = &cpus[cpu];

	if (!(c->pending & (1U << src)))
		return;
	c->pending &= ~(1U << src);
	if (cpu != running)
		rekey(cpu);
}

/* A vector that is pending already stays pending once. */
static void post_ipi(int cpu, enum sim_source src)
{
	sim_charge(SIM_COST_IPI_SEND);
	if (!(cpus[cpu].pending & (1U << src)))
		arm(cpu, src, sim_clock() + jittered(sim_params.cost[SIM_COST_IPI]));
}

/* ---- leaving to the engine, coming back with an event ---- */

#ifdef __SANITIZE_ADDRESS__
static const void *engine_bottom;
static size_t engine_size;

/* Tell the sanitizer which stack we are on; @stack is NULL for the engine's. */
static void *switch_stack(unsigned long *save_sp, unsigned long sp, void *ret, void *stack)
{
	void *fake;

	if (stack)
		__sanitizer_start_switch_fiber(&fake, stack, SIM_STACK_SIZE);
	else
		__sanitizer_start_switch_fiber(&fake, engine_bottom, engine_size);
	ret = sim_stack_switch(save_sp, sp, ret);
	__sanitizer_finish_switch_fiber(fake, NULL, NULL);
	return ret;
}

/* The first code on a new stack. */
void sim_stack_entered(void)
{
	const void *bottom;
	size_t size;

	__sanitizer_finish_switch_fiber(NULL, &bottom, &size);
	if (!engine_bottom) {
		engine_bottom = bottom;
		engine_size = size;
	}
}
#else
static inline void *switch_stack(unsigned long *save_sp, unsigned long sp, void *ret, void *stack)
{
	return sim_stack_switch(save_sp, sp, ret);
}

void sim_stack_entered(void)
{
}
#endif

struct task_struct *__switch_to(struct task_struct *prev, struct task_struct *next)
{
	sim_charge(SIM_COST_SWITCH);
	if (sim_params.invariants)
		sim_check_switch(next);
	sim_current = next;
	return switch_stack(&prev->thread.sp, next->thread.sp, prev, next->stack);
}

static enum sim_source leave(enum sim_mode mode)
{
	struct sim_cpu *c = &cpus[sim_this_cpu];

	c->cur = current;
	c->mode = mode;
	if (mode == SIM_USER || mode == SIM_HALT)
		c->turns = 0;
	switch_stack(&current->thread.sp, engine_sp, NULL, NULL);
	return cpus[sim_this_cpu].src;
}

/* What the interrupt vectors of an architecture do. */
static void interrupt(enum sim_source src, bool user)
{
	struct pt_regs regs = { .user = user }, *old;
	struct clock_event_device *ced = &timers[sim_this_cpu];

	local_irq_disable();
	old = set_irq_regs(&regs);
	sim_charge(SIM_COST_IRQ);
	irq_enter();
	switch (src) {
	case SRC_TIMER:
		ced->event_handler(ced);
		break;
	case SRC_RESCHED:
		scheduler_ipi();
		break;
	case SRC_CALL:
		generic_smp_call_function_single_interrupt();
		break;
	default:
		break;
	}
	irq_exit();
	set_irq_regs(old);
	local_irq_enable();
}

/* Something is due on this CPU, or the others have fallen behind it. */
static bool engine_wanted(void)
{
	struct sim_cpu *c = &cpus[sim_this_cpu];
	unsigned int due = c->pending & (SRC(TIMER) | SRC(RESCHED) | SRC(CALL));

	if (sim_charged > MAX_AHEAD)
		return true;
	for (; due; due &= due - 1)
		if (c->slot[__ffs(due)].t <= sim_clock())
			return true;
	return false;
}

void sim_run(sim_u64 ns)
{
	sim_exit_to_user();
	do {
		int cpu = sim_this_cpu;
		u64 start = sim_clock(), ran;
		enum sim_source src;

		arm(cpu, SRC_BURST, start + ns);
		sim_irq_on = 1;
		src = leave(SIM_USER);
		ran = sim_time - start;
		if (src == SRC_BURST)
			break;
		ns -= min_t(u64, ran, ns);
		disarm(cpu, SRC_BURST);
		interrupt(src, true);
		sim_exit_to_user();
	} while (ns);
}

/**
 * sim_syscall_enter - a task enters the kernel
 */
void sim_syscall_enter(void)
{
	sim_charge(SIM_COST_SYSCALL);
}

/**
 * sim_syscall_exit - it returns: reschedule, and take the interrupts that are due
 *
 * The task may be on another CPU afterwards.
 */
void sim_syscall_exit(void)
{
	sim_exit_to_user();
	if (engine_wanted())
		sim_run(0);
}

void arch_cpu_idle(void)
{
	enum sim_source src;

	raw_local_irq_enable();
	src = leave(SIM_HALT);
	sim_charge(SIM_COST_IDLE_EXIT);
	interrupt(src, false);
}

void arch_cpu_idle_dead(void)
{
	cpus[sim_this_cpu].pending = 0;
	leave(SIM_OFF);
	panic("a dead CPU goes on");
}

void sim_cpu_relax(void)
{
	int cpu = sim_this_cpu;
	unsigned long irq_on = sim_irq_on;
	enum sim_source src;

	if (cpus[cpu].turns++ > MAX_TURNS)
		panic("CPU %d waits for another for ever", cpu);
	sim_charge(SIM_COST_RELAX);
	arm(cpu, SRC_RELAX, sim_clock());
	nr_spinning++;
	src = leave(irq_on ? SIM_SPIN : SIM_SPIN_IRQOFF);
	nr_spinning--;
	if (src != SRC_RELAX) {
		disarm(cpu, SRC_RELAX);
		interrupt(src, false);
	}
	sim_irq_on = irq_on;
}

/**
 * sim_lock_wait - a turn of waiting for a spinlock that is held
 * @lock: for the message if that lasts for ever
 */
void sim_lock_wait(void *lock)
{
	if (running < 0 || cpus[sim_this_cpu].turns >= MAX_TURNS)
		panic("CPU %d waits for lock %px for ever", sim_this_cpu, lock);
	sim_cpu_relax();
}

/**
 * sim_nobody_spins - is every CPU in user mode, idle or off?
 *
 * Return: true if none is suspended amid kernel code, hence none in a read-side
 * section of RCU.
 */
bool sim_nobody_spins(void)
{
	return !nr_spinning;
}

/* ---- IPIs ---- */

void smp_send_reschedule(int cpu)
{
	post_ipi(cpu, SRC_RESCHED);
}

void arch_send_call_function_single_ipi(int cpu)
{
	post_ipi(cpu, SRC_CALL);
}

void arch_send_call_function_ipi_mask(const struct cpumask *mask)
{
	int cpu;

	for_each_cpu(cpu, mask)
		post_ipi(cpu, SRC_CALL);
}

/* ---- CPUs come and go ---- */

static void secondary_start(void *arg)
{
	int cpu = sim_this_cpu;

	/* finish_cpu() drops it */
	mmgrab(&init_mm);
	current->active_mm = &init_mm;
	notify_cpu_starting(cpu);
	sim_timer_start(cpu);
	set_cpu_online(cpu, true);
	local_irq_enable();
	cpu_startup_entry(CPUHP_AP_ONLINE_IDLE);
}

int __cpu_up(unsigned int cpu, struct task_struct *idle)
{
	sim_new_stack(idle, secondary_start, NULL);
	cpus[cpu].cur = idle;
	cpus[cpu].mode = SIM_OFF;
	arm(cpu, SRC_START, sim_clock() + sim_params.cost[SIM_COST_IPI]);
	while (!cpu_online(cpu))
		sim_cpu_relax();
	return 0;
}

int __cpu_disable(void)
{
	set_cpu_online(sim_this_cpu, false);
	return 0;
}

void __cpu_die(unsigned int cpu)
{
	while (cpus[cpu].mode != SIM_OFF)
		sim_cpu_relax();
}

/* ---- time ---- */

unsigned long long notrace sched_clock(void)
{
	return sim_clock();
}

static u64 clocksource_read(struct clocksource *cs)
{
	return sim_clock();
}

static struct clocksource sim_clocksource = {
	.name	= "sim",
	.rating	= 400,
	.read	= clocksource_read,
	.mask	= CLOCKSOURCE_MASK(64),
	.mult	= 1 << 24,
	.shift	= 24,
	.flags	= CLOCK_SOURCE_IS_CONTINUOUS | CLOCK_SOURCE_VALID_FOR_HRES,
};

struct clocksource *clocksource_default_clock(void)
{
	return &sim_clocksource;
}

/* Registering computes the limit of a stopped tick, max_idle_ns. */
void sim_register_clocks(void)
{
	__clocksource_register(&sim_clocksource);
}

static int timer_set(ktime_t expires, struct clock_event_device *ced)
{
	sim_charge(SIM_COST_TIMER);
	arm(ced->irq, SRC_TIMER, max_t(u64, expires, sim_clock() + 1));
	return 0;
}

static int timer_set_delta(unsigned long delta, struct clock_event_device *ced)
{
	return timer_set(sim_clock() + delta, ced);
}

static int timer_off(struct clock_event_device *ced)
{
	disarm(ced->irq, SRC_TIMER);
	return 0;
}

static int timer_on(struct clock_event_device *ced)
{
	return 0;
}

/**
 * sim_timer_start - register a CPU's timer
 * @cpu: the CPU that runs this
 */
void sim_timer_start(int cpu)
{
	struct clock_event_device *ced = &timers[cpu];

	memset(ced, 0, sizeof(*ced));
	ced->name = "sim";
	ced->rating = 400;
	ced->features = CLOCK_EVT_FEAT_ONESHOT | CLOCK_EVT_FEAT_KTIME;
	ced->set_next_ktime = timer_set;
	ced->set_next_event = timer_set_delta;
	ced->set_state_shutdown = timer_off;
	ced->set_state_oneshot = timer_on;
	ced->set_state_oneshot_stopped = timer_off;
	ced->set_state_periodic = timer_on;
	ced->cpumask = cpumask_of(cpu);
	ced->irq = cpu;
	/* As short as a real one: less makes a storm of a late hrtimer */
	clockevents_config_and_register(ced, NSEC_PER_SEC, 1000, 0x7fffffff);
}

/* ---- the loop ---- */

sim_u64 sim_now(void)
{
	return sim_clock();
}

sim_u64 sim_events(void)
{
	return nr_events;
}

int sim_cpu(void)
{
	return sim_this_cpu;
}

/**
 * sim_engine_init - a machine that is off, and CPU 0's power button pressed
 * @nr: CPUs
 * @boot: the task that CPU 0 starts with
 */
void sim_engine_init(int nr, struct task_struct *boot)
{
	int cpu;

	nr_cpus = nr;
	for (cpu = 0; cpu < nr; cpu++) {
		cpus[cpu].pos = cpu;
		heap[cpu].key.t = SIM_NEVER;
		heap[cpu].key.tie = SIM_NEVER;
		heap[cpu].cpu = cpu;
	}
	cpus[0].cur = boot;
	arm(0, SRC_START, 0);
}

/**
 * sim_engine_stop - end the simulation; a task calls it, and does not go on
 */
void sim_engine_stop(void)
{
	stopped = true;
	leave(SIM_USER);
}

/* Callbacks are softirq work of this CPU; whom they wake it looks at by itself. */
static void run_rcu(struct sim_cpu *c)
{
	bool resched = test_tsk_need_resched(c->cur);

	sim_run_rcu();
	if (!resched && test_tsk_need_resched(c->cur))
		arm(sim_this_cpu, SRC_RESCHED, sim_clock());
}

/**
 * sim_engine_run - deliver events in their order until sim_engine_stop()
 *
 * On the host's stack; nothing of a task's may be left on it.
 */
void sim_engine_run(void)
{
	while (!stopped) {
		int cpu = heap[0].cpu;
		struct sim_cpu *c = &cpus[cpu];

		if (heap[0].key.t == SIM_NEVER)
			panic("nothing will ever happen again");
		c->src = c->best;
		c->pending &= ~(1U << c->best);
		sim_time = heap[0].key.t;
		sim_charged = 0;
		nr_events++;

		running = cpu;
		sim_this_cpu = cpu;
		sim_current = c->cur;
		sim_my_cpu_offset = __per_cpu_offset[cpu];
		sim_irq_on = c->src != SRC_START;
		switch_stack(&engine_sp, c->cur->thread.sp, NULL, c->cur->stack);

		if (!nr_spinning && c->mode != SIM_OFF && sim_rcu_pending())
			run_rcu(c);
		running = -1;
		c->free_at = sim_clock();
		if (sim_params.invariants)
			sim_check_event(cpu);
		rekey(cpu);
	}
}
