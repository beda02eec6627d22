// SPDX-License-Identifier: GPL-2.0
/*
 * RCU for one host thread and a kernel without preemption.
 *
 * Between two events no CPU is inside a read-side section, unless one spins in
 * cpu_relax(): so callbacks run there, and a grace period is over as soon as
 * nobody spins. Sleeping readers (SRCU) only exist in code that is not
 * simulated.
 */
#include <linux/rcupdate.h>
#include <linux/rcupdate_wait.h>
#include <linux/rcuwait.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/srcu.h>

#include "sim.h"

static struct rcu_head *callbacks, **tail = &callbacks;

void call_rcu(struct rcu_head *head, rcu_callback_t func)
{
	head->func = func;
	head->next = NULL;
	*tail = head;
	tail = &head->next;
}

/* What is freed rather than called: @func is the offset of the head. */
#define MAX_OFFSET	4096

void kvfree_call_rcu(struct rcu_head *head, rcu_callback_t func)
{
	if (head)
		call_rcu(head, func);
	else
		panic("kvfree_rcu() without a head");
}

/**
 * sim_run_rcu - run the callbacks; between two events, nobody spinning
 */
void sim_run_rcu(void)
{
	while (callbacks) {
		struct rcu_head *head = callbacks;
		rcu_callback_t func = head->func;

		callbacks = head->next;
		if (!callbacks)
			tail = &callbacks;
		if ((unsigned long)func < MAX_OFFSET)
			kfree((char *)head - (unsigned long)func);
		else
			func(head);
	}
}

bool sim_rcu_pending(void)
{
	return callbacks;
}

void synchronize_rcu(void)
{
	while (!sim_nobody_spins())
		schedule_timeout_uninterruptible(1);
}

void synchronize_rcu_expedited(void)
{
	synchronize_rcu();
}

void rcu_barrier(void)
{
	synchronize_rcu();
	sim_run_rcu();
}

void cond_synchronize_rcu(unsigned long oldstate)
{
	synchronize_rcu();
}

void call_srcu(struct srcu_struct *ssp, struct rcu_head *head, rcu_callback_t func)
{
	call_rcu(head, func);
}

void synchronize_srcu(struct srcu_struct *ssp)
{
	synchronize_rcu();
}

SIM_RCU_NEEDS_CPU
{
	sim_rcu_no_event();
	return 0;
}

void SIM_FINISH_RCUWAIT(struct rcuwait *w)
{
	rcu_assign_pointer(w->task, NULL);
	__set_current_state(TASK_RUNNING);
}
