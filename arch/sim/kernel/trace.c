// SPDX-License-Identifier: GPL-2.0
/*
 * The scheduler's own tracepoints, handed to the program around the kernel
 * with the fields that ftrace prints.
 */
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/topology.h>
#include <linux/tracepoint.h>

#include <trace/events/sched.h>

#include <linux/sched/cputime.h>

#include <kernel/sched/sched.h>
#include "sim.h"

/*
 * The CPU that did something with this task before may be ahead of ours, amid
 * kernel code: we would have waited for its lock until then.
 */
static void follow(struct task_struct *p)
{
	if (p->thread.seen > sim_clock())
		sim_charged += p->thread.seen - sim_clock();
	p->thread.seen = sim_clock();
}

static void emit(struct sim_event *e, struct task_struct *p)
{
	if (p->pid)
		follow(p);
	e->time = sim_clock();
	e->cpu = sim_this_cpu;
	e->cur_pid = current->pid;
	e->cur_comm = current->comm;
	e->pid = p->pid;
	e->prio = p->prio;
	e->comm = p->comm;
	host_event(e);
}

static bool allowed_cpu_idles(struct task_struct *p)
{
	int cpu;

	for_each_cpu_and(cpu, p->cpus_ptr, cpu_active_mask)
		if (idle_cpu(cpu))
			return true;
	return false;
}

static void probe_waking(void *unused, struct task_struct *p)
{
	struct sim_event e = { .type = SIM_EV_WAKING, .target = task_cpu(p) };

	sim_charge(SIM_COST_WAKEUP);
	emit(&e, p);
}

static void probe_wakeup(void *unused, struct task_struct *p)
{
	struct sim_event e = {
		.type = SIM_EV_WAKEUP,
		.target = task_cpu(p),
		.allowed_idle = sim_params.observe_idle && allowed_cpu_idles(p),
	};

	emit(&e, p);
}

static void probe_wakeup_new(void *unused, struct task_struct *p)
{
	struct sim_event e = {
		.type = SIM_EV_WAKEUP_NEW,
		.target = task_cpu(p),
		.allowed_idle = sim_params.observe_idle && allowed_cpu_idles(p),
	};

	emit(&e, p);
}

/* As ftrace prints it: R, R+ if it was preempted, else why it sleeps. */
static const char *state_name(bool preempt, unsigned int state, struct task_struct *p)
{
	if (preempt)
		return "R+";
	if (p->exit_state & EXIT_DEAD || state & TASK_DEAD)
		return "X";
	if (state & TASK_INTERRUPTIBLE)
		return "S";
	if (state & TASK_UNINTERRUPTIBLE)
		return state & TASK_NOLOAD ? "I" : "D";
	if (state & TASK_PARKED)
		return "P";
	return "R";
}

static void probe_switch(SIM_SWITCH_PROBE_ARGS)
{
	struct sim_event e = {
		.type = SIM_EV_SWITCH,
		.state = state_name(preempt, SIM_SWITCH_STATE, prev),
		.next_pid = next->pid,
		.next_prio = next->prio,
		.next_comm = next->comm,
	};

	if (next->pid)
		follow(next);
	emit(&e, prev);
	if (next->pid)
		follow(next);
}

static void probe_migrate(void *unused, struct task_struct *p, int dest_cpu)
{
	struct sim_event e = {
		.type = SIM_EV_MIGRATE,
		.orig = task_cpu(p),
		.target = dest_cpu,
	};

	emit(&e, p);
}

static void probe_fork(void *unused, struct task_struct *parent, struct task_struct *child)
{
	struct sim_event e = {
		.type = SIM_EV_FORK,
		.next_pid = child->pid,
		.next_prio = child->prio,
		.next_comm = child->comm,
	};

	emit(&e, parent);
}

static void probe_exit(void *unused, struct task_struct *p)
{
	struct sim_event e = { .type = SIM_EV_EXIT };

	emit(&e, p);
}

void sim_trace_exec(void)
{
	struct sim_event e = { .type = SIM_EV_EXEC };

	emit(&e, current);
}

/**
 * sim_trace_start - attach to the tracepoints
 *
 * Late in boot: nobody wants to see that.
 */
void sim_trace_start(void)
{
	if (register_trace_sched_waking(probe_waking, NULL) ||
	    register_trace_sched_wakeup(probe_wakeup, NULL) ||
	    register_trace_sched_wakeup_new(probe_wakeup_new, NULL) ||
	    register_trace_sched_switch(probe_switch, NULL) ||
	    register_trace_sched_migrate_task(probe_migrate, NULL) ||
	    register_trace_sched_process_fork(probe_fork, NULL) ||
	    register_trace_sched_process_exit(probe_exit, NULL))
		panic("cannot attach to the scheduler's tracepoints");
}
