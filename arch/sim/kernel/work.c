// SPDX-License-Identifier: GPL-2.0
/*
 * Work queues: one kernel thread does all work in the order of queueing. What
 * the linked code queues (cpusets after hotplug, groups that go away) neither
 * needs concurrency nor waits for other work.
 */
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "sim.h"

struct workqueue_struct *system_wq, *system_highpri_wq, *system_long_wq;
struct workqueue_struct *system_unbound_wq, *system_freezable_wq;
struct workqueue_struct *system_power_efficient_wq;

static LIST_HEAD(queue);
static DEFINE_RAW_SPINLOCK(queue_lock);	/* protects queue and doing */
static struct work_struct *doing;
static struct task_struct *worker;
static DECLARE_WAIT_QUEUE_HEAD(done);

static void enqueue(struct work_struct *work)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&queue_lock, flags);
	list_add_tail(&work->entry, &queue);
	raw_spin_unlock_irqrestore(&queue_lock, flags);
	if (worker)
		wake_up_process(worker);
}

static bool claim(struct work_struct *work)
{
	return !test_and_set_bit(WORK_STRUCT_PENDING_BIT, work_data_bits(work));
}

bool queue_work_on(int cpu, struct workqueue_struct *wq, struct work_struct *work)
{
	if (!claim(work))
		return false;
	enqueue(work);
	return true;
}

void delayed_work_timer_fn(struct timer_list *t)
{
	struct delayed_work *dwork = from_timer(dwork, t, timer);

	enqueue(&dwork->work);
}

static void start_timer(struct delayed_work *dwork, unsigned long delay)
{
	if (delay)
		mod_timer(&dwork->timer, jiffies + delay);
	else
		enqueue(&dwork->work);
}

bool queue_delayed_work_on(int cpu, struct workqueue_struct *wq, struct delayed_work *dwork,
			   unsigned long delay)
{
	if (!claim(&dwork->work))
		return false;
	start_timer(dwork, delay);
	return true;
}

static void rcu_work_fn(struct rcu_head *rcu)
{
	enqueue(&container_of(rcu, struct rcu_work, rcu)->work);
}

bool queue_rcu_work(struct workqueue_struct *wq, struct rcu_work *rwork)
{
	if (!claim(&rwork->work))
		return false;
	call_rcu(&rwork->rcu, rcu_work_fn);
	return true;
}

/* Take it out of the queue if it waits there. */
static bool dequeue(struct work_struct *work)
{
	unsigned long flags;
	bool queued;

	raw_spin_lock_irqsave(&queue_lock, flags);
	queued = test_bit(WORK_STRUCT_PENDING_BIT, work_data_bits(work)) &&
		!list_empty(&work->entry);
	if (queued) {
		list_del_init(&work->entry);
		clear_bit(WORK_STRUCT_PENDING_BIT, work_data_bits(work));
	}
	raw_spin_unlock_irqrestore(&queue_lock, flags);
	return queued;
}

static bool busy(struct work_struct *work)
{
	return READ_ONCE(doing) == work || work_pending(work);
}

bool flush_work(struct work_struct *work)
{
	bool was = busy(work);

	if (current != worker)
		wait_event(done, !busy(work));
	return was;
}

bool cancel_work_sync(struct work_struct *work)
{
	bool queued = dequeue(work);

	if (current != worker)
		wait_event(done, READ_ONCE(doing) != work);
	return queued;
}

bool cancel_delayed_work(struct delayed_work *dwork)
{
	if (del_timer(&dwork->timer)) {
		clear_bit(WORK_STRUCT_PENDING_BIT, work_data_bits(&dwork->work));
		return true;
	}
	return dequeue(&dwork->work);
}

bool cancel_delayed_work_sync(struct delayed_work *dwork)
{
	bool queued = cancel_delayed_work(dwork);

	cancel_work_sync(&dwork->work);
	return queued;
}

bool mod_delayed_work_on(int cpu, struct workqueue_struct *wq, struct delayed_work *dwork,
			 unsigned long delay)
{
	bool queued = cancel_delayed_work(dwork);

	queue_delayed_work_on(cpu, wq, dwork, delay);
	return queued;
}

void SIM_FLUSH_WORKQUEUE(struct workqueue_struct *wq)
{
	if (current != worker)
		wait_event(done, list_empty(&queue) && !READ_ONCE(doing));
}

/* All queues are one: what the handle points to is not looked at. */
struct workqueue_struct *alloc_workqueue(const char *fmt, unsigned int flags, int max_active, ...)
{
	return (struct workqueue_struct *)&queue;
}

static int worker_thread(void *unused)
{
	for (;;) {
		struct work_struct *work = NULL;
		unsigned long flags;

		set_current_state(TASK_IDLE);
		raw_spin_lock_irqsave(&queue_lock, flags);
		if (!list_empty(&queue)) {
			work = list_first_entry(&queue, struct work_struct, entry);
			list_del_init(&work->entry);
			clear_bit(WORK_STRUCT_PENDING_BIT, work_data_bits(work));
			WRITE_ONCE(doing, work);
		}
		raw_spin_unlock_irqrestore(&queue_lock, flags);
		if (!work) {
			schedule();
			continue;
		}
		__set_current_state(TASK_RUNNING);
		work->func(work);
		WRITE_ONCE(doing, NULL);
		wake_up_all(&done);
		cond_resched();
	}
	return 0;
}

/**
 * sim_workqueue_start - start the worker; kthreads can be made
 */
void sim_workqueue_start(void)
{
	struct task_struct *p = kthread_create(worker_thread, NULL, "kworker/u:0");

	if (IS_ERR(p))
		panic("no worker thread");
	worker = p;
	wake_up_process(p);
}

/* Run @fn on @cpu: a thread that is bound there. */
struct on_cpu {
	long (*fn)(void *arg);
	void *arg;
	long ret;
	struct completion done;
};

static int on_cpu_thread(void *arg)
{
	struct on_cpu *o = arg;

	o->ret = o->fn(o->arg);
	complete(&o->done);
	return 0;
}

long SIM_WORK_ON_CPU_ARGS
{
	struct on_cpu o = { .fn = fn, .arg = arg };
	struct task_struct *p;

	init_completion(&o.done);
	p = kthread_create_on_cpu(on_cpu_thread, &o, cpu, "work/%u");
	if (IS_ERR(p))
		return PTR_ERR(p);
	kthread_unpark(p);
	wake_up_process(p);
	wait_for_completion(&o.done);
	return o.ret;
}
