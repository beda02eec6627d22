// SPDX-License-Identifier: GPL-2.0
/*
 * What a task of a workload can do: the kernel's own system calls, called
 * directly. A task's user mode is code of the program around the kernel that
 * runs on the task's stack; its computing is sim_run().
 */
#include <linux/cpu.h>
#include <linux/device.h>
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/deadline.h>
#include <linux/sched/mm.h>
#include <linux/sched/rt.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/sched/wake_q.h>
#include <linux/slab.h>
#include <linux/task_work.h>
#include <uapi/linux/sched/types.h>

#include "sim.h"

/* ---- stacks ---- */

#define STACK_COLOURS	8192

unsigned long *arch_alloc_thread_stack_node(struct task_struct *tsk, int node)
{
	tsk->stack = host_stack_alloc();
	return tsk->stack;
}

void arch_free_thread_stack(struct task_struct *tsk)
{
	host_stack_free(tsk->stack);
	tsk->stack = NULL;
}

/**
 * sim_new_stack - let a task begin anew when it is next switched to
 * @p: the task, not running
 * @fn: what it does
 * @arg: handed to @fn
 */
void sim_new_stack(struct task_struct *p, void (*fn)(void *arg), void *arg)
{
	static unsigned int colour;
	unsigned long *sp;

	host_stack_reset(p->stack);
	/* Equal addresses modulo a power of two would share a few cache sets */
	colour = (colour + 5 * 64) % STACK_COLOURS;
	sp = p->stack + SIM_STACK_SIZE - 64 - colour;
	*--sp = (unsigned long)sim_stack_start;
	sp -= 6;
	memset(sp, 0, 6 * sizeof(*sp));
	p->thread.sp = (unsigned long)sp;
	p->thread.fn = fn;
	p->thread.arg = arg;
}

/* What a new task of a workload is to do; it frees this. */
struct start {
	void (*fn)(void *arg);
	void *arg;
	char name[TASK_COMM_LEN];
};

static int task_main(void *arg)
{
	struct start s = *(struct start *)arg;

	kfree(arg);
	s.fn(s.arg);
	sim_exit();
	return 0;
}

int copy_thread(SIM_COPY_THREAD_ARGS)
{
	/* An idle task gets its function when its CPU is started */
	if (SIM_COPY_FN)
		sim_new_stack(p, SIM_COPY_FN, SIM_COPY_ARG);
	/* The tracepoints of the new task show the name that it is known by */
	if (SIM_COPY_FN == (void *)task_main)
		strscpy(p->comm, ((struct start *)SIM_COPY_ARG)->name, sizeof(p->comm));
	return 0;
}

/* First code on a new stack; @prev is NULL for a CPU's idle task. */
void sim_task_start(struct task_struct *prev)
{
	sim_stack_entered();
	if (prev) {
		schedule_tail(prev);
		local_irq_enable();
	}
	current->thread.fn(current->thread.arg);
	do_exit(0);
}

void show_stack(struct task_struct *task, unsigned long *sp, const char *loglvl)
{
	host_backtrace();
}

/* ---- system calls ---- */

void sim_exit_to_user(void)
{
	for (;;) {
		if (need_resched()) {
			schedule();
			continue;
		}
		if (!test_thread_flag(TIF_NOTIFY_RESUME))
			break;
		clear_thread_flag(TIF_NOTIFY_RESUME);
		resume_user_mode_work(NULL);
	}
}

int sim_pid(void)
{
	return current ? current->pid : 0;
}

/* As nanosleep(2) and futex(2): real-time tasks are woken on time. */
static u64 slack(void)
{
	return rt_task(current) || dl_task(current) ? 0 : current->timer_slack_ns;
}

void sim_sleep_until(sim_u64 t)
{
	ktime_t expires = t;

	sim_syscall_enter();
	if (t > sim_clock()) {
		set_current_state(TASK_INTERRUPTIBLE);
		schedule_hrtimeout_range(&expires, slack(), HRTIMER_MODE_ABS);
	}
	sim_syscall_exit();
}

void sim_sleep(sim_u64 ns)
{
	sim_sleep_until(sim_clock() + ns);
}

void sim_yield(void)
{
	sim_syscall_enter();
	yield();
	sim_syscall_exit();
}

static void set_rss(struct mm_struct *mm, long pages)
{
	add_mm_counter(mm, MM_ANONPAGES, pages - get_mm_counter(mm, MM_ANONPAGES));
}

/* Another process starts with its parent's resident set. */
static void copy_rss(struct mm_struct *from, int pid)
{
	struct task_struct *p;

	rcu_read_lock();
	p = find_task_by_pid_ns(pid, &init_pid_ns);
	if (p && p->mm && from && p->mm != from)
		set_rss(p->mm, get_mm_counter(from, MM_ANONPAGES));
	rcu_read_unlock();
}

static void set_name(struct task_struct *p, const char *name)
{
	task_lock(p);
	strscpy(p->comm, name, sizeof(p->comm));
	task_unlock(p);
}

int sim_clone(const struct sim_clone *c)
{
	struct start *s = kzalloc(sizeof(*s), GFP_KERNEL);
	struct kernel_clone_args args = {
		.flags = c->flags & SIM_THREAD ?
			CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD :
			CLONE_FS | CLONE_FILES,
		.exit_signal = c->flags & SIM_THREAD ? 0 : SIGCHLD,
		SIM_CLONE_FN(task_main, s),
	};
	int pid;

	if (!s)
		return -ENOMEM;
	s->fn = c->fn;
	s->arg = c->arg;
	strscpy(s->name, c->name, sizeof(s->name));
	sim_syscall_enter();
	sim_charge(SIM_COST_FORK);
	pid = kernel_clone(&args);
	if (pid < 0)
		kfree(s);
	else
		copy_rss(current->mm, pid);
	sim_syscall_exit();
	return pid;
}

int sim_exec(const char *name)
{
	struct mm_struct *mm, *old = current->mm, *active = current->active_mm;

	sim_syscall_enter();
	sim_charge(SIM_COST_EXEC);
	mm = mm_alloc();
	if (!mm) {
		sim_syscall_exit();
		return -ENOMEM;
	}
	sched_exec();
	exec_mm_release(current, old);
	task_lock(current);
	current->flags &= ~(PF_KTHREAD | PF_FORKNOEXEC | PF_NO_SETAFFINITY);
	current->mm = mm;
	current->active_mm = mm;
	task_unlock(current);
	if (old)
		mmput(old);
	else
		mmdrop(active);
	set_name(current, name);
	sim_trace_exec();
	sim_syscall_exit();
	return 0;
}

void sim_set_rss(unsigned long pages)
{
	if (current->mm)
		set_rss(current->mm, pages);
}

void sim_exit(void)
{
	sim_syscall_enter();
	sim_charge(SIM_COST_EXIT);
	do_exit(0);
}

/* ---- wait queues ---- */

/**
 * struct sim_waitq - tasks that wait for each other
 * @lock: protects @waiters
 * @waiters: struct waiter, first come first served
 */
struct sim_waitq {
	spinlock_t lock;		/* protects waiters */
	struct list_head waiters;
};

/* On the waiter's stack; @task is cleared under the lock by whoever wakes it. */
struct waiter {
	struct list_head node;
	struct task_struct *task;
};

struct sim_waitq *sim_waitq_new(void)
{
	struct sim_waitq *q = kzalloc(sizeof(*q), GFP_KERNEL);

	if (!q)
		return NULL;
	spin_lock_init(&q->lock);
	INIT_LIST_HEAD(&q->waiters);
	return q;
}

void sim_waitq_free(struct sim_waitq *q)
{
	WARN_ON(q && !list_empty(&q->waiters));
	kfree(q);
}

static int wait(struct sim_waitq *q, ktime_t *expires)
{
	struct waiter w = { .task = current };
	int late = 0;

	sim_syscall_enter();
	spin_lock(&q->lock);
	list_add_tail(&w.node, &q->waiters);
	spin_unlock(&q->lock);
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (!READ_ONCE(w.task) || late)
			break;
		if (expires)
			late = !schedule_hrtimeout_range(expires, slack(), HRTIMER_MODE_ABS);
		else
			schedule();
	}
	__set_current_state(TASK_RUNNING);
	spin_lock(&q->lock);
	late = !!w.task;
	if (late)
		list_del(&w.node);
	spin_unlock(&q->lock);
	sim_syscall_exit();
	return late;
}

void sim_wait(struct sim_waitq *q)
{
	wait(q, NULL);
}

int sim_wait_timeout(struct sim_waitq *q, sim_u64 ns)
{
	ktime_t expires = sim_clock() + ns;

	return wait(q, &expires);
}

int sim_wake_sync(struct sim_waitq *q)
{
	DECLARE_WAIT_QUEUE_HEAD_ONSTACK(head);
	struct task_struct *task = NULL;
	struct wait_queue_entry entry;
	struct waiter *w;

	sim_syscall_enter();
	spin_lock(&q->lock);
	w = list_first_entry_or_null(&q->waiters, struct waiter, node);
	if (w) {
		list_del(&w->node);
		task = get_task_struct(w->task);
		WRITE_ONCE(w->task, NULL);
	}
	spin_unlock(&q->lock);
	if (task) {
		init_waitqueue_entry(&entry, task);
		add_wait_queue(&head, &entry);
		wake_up_interruptible_sync(&head);
		put_task_struct(task);
	}
	sim_syscall_exit();
	return !!task;
}

int sim_wake(struct sim_waitq *q, int nr)
{
	DEFINE_WAKE_Q(wake_q);
	int n = 0;

	sim_syscall_enter();
	spin_lock(&q->lock);
	while (n < nr && !list_empty(&q->waiters)) {
		struct waiter *w = list_first_entry(&q->waiters, struct waiter, node);

		list_del(&w->node);
		wake_q_add(&wake_q, w->task);
		WRITE_ONCE(w->task, NULL);
		n++;
	}
	spin_unlock(&q->lock);
	wake_up_q(&wake_q);
	sim_syscall_exit();
	return n;
}

/* ---- attributes ---- */

int sim_setaffinity(int pid, const struct sim_mask *mask)
{
	struct cpumask m;
	int cpu, ret;

	cpumask_clear(&m);
	for (cpu = 0; cpu < sim_nr_cpus(); cpu++)
		if (mask->w[cpu / 64] >> (cpu % 64) & 1)
			cpumask_set_cpu(cpu, &m);
	sim_syscall_enter();
	ret = sched_setaffinity(pid, &m);
	sim_syscall_exit();
	return ret;
}

int sim_getaffinity(int pid, struct sim_mask *mask)
{
	struct cpumask m;
	int cpu, ret;

	ret = sched_getaffinity(pid, &m);
	memset(mask, 0, sizeof(*mask));
	if (ret)
		return ret;
	for_each_cpu(cpu, &m)
		mask->w[cpu / 64] |= 1ULL << (cpu % 64);
	return 0;
}

int sim_setattr(int pid, const struct sim_attr *a)
{
	struct sched_attr attr = {
		.size = sizeof(attr),
		.sched_policy = a->policy,
		.sched_nice = a->nice,
		.sched_priority = a->priority,
		.sched_runtime = a->runtime,
		.sched_deadline = a->deadline,
		.sched_period = a->period,
	};
	struct task_struct *p;
	int ret;

	if (a->policy == SIM_FIFO || a->policy == SIM_RR)
		attr.sched_nice = 0;
	if (a->util_min >= 0) {
		attr.sched_flags |= SCHED_FLAG_UTIL_CLAMP_MIN;
		attr.sched_util_min = a->util_min;
	}
	if (a->util_max >= 0) {
		attr.sched_flags |= SCHED_FLAG_UTIL_CLAMP_MAX;
		attr.sched_util_max = a->util_max;
	}
	sim_syscall_enter();
	rcu_read_lock();
	p = pid ? find_task_by_pid_ns(pid, &init_pid_ns) : current;
	if (p)
		get_task_struct(p);
	rcu_read_unlock();
	if (p) {
		ret = sched_setattr(p, &attr);
		put_task_struct(p);
	} else {
		ret = -ESRCH;
	}
	sim_syscall_exit();
	return ret;
}

int sim_nice(int pid, int nice)
{
	struct task_struct *p;

	if (nice < MIN_NICE || nice > MAX_NICE)
		return -EINVAL;
	sim_syscall_enter();
	rcu_read_lock();
	p = pid ? find_task_by_pid_ns(pid, &init_pid_ns) : current;
	if (p)
		set_user_nice(p, nice);
	rcu_read_unlock();
	sim_syscall_exit();
	return p ? 0 : -ESRCH;
}

/* ---- hotplug ---- */

int sim_cpu_down(int cpu)
{
	struct device dev = { .id = cpu };
	int ret;

	if (cpu < 0 || cpu >= sim_nr_cpus())
		return -EINVAL;
	sim_syscall_enter();
	ret = cpu_device_down(&dev);
	sim_syscall_exit();
	return ret;
}

int sim_cpu_up(int cpu)
{
	struct device dev = { .id = cpu };
	int ret;

	if (cpu < 0 || cpu >= sim_nr_cpus())
		return -EINVAL;
	sim_syscall_enter();
	ret = cpu_device_up(&dev);
	sim_syscall_exit();
	return ret;
}
