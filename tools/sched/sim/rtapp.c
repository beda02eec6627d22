// SPDX-License-Identifier: GPL-2.0
/*
 * Carry out a workload as rt-app 1.0 does, in simulated tasks.
 *
 * Everything here runs on the tasks' own small stacks and may only be suspended
 * inside a sim_ function, so the state needs no locks: a check and the sim_wait()
 * after it are one step.
 *
 * What rt-app does and this keeps, as seen with strace on Debian's rt-app 1.0
 * and in its source:
 *  - a thread sets its policy, waits for the others, sleeps for the delay, and
 *    sets its affinity at the start of each phase; SCHED_DEADLINE comes after
 *    the delay; attributes are set only when they change;
 *  - the comm of a thread is the task's name, without a number. (rt-app leaves
 *    "rt-app" if the name is too long; here it is cut.)
 *  - delays and first periods of timers count from when thread 0 started;
 *  - run is an amount of work, runtime ends when the time has passed on the
 *    wall clock: who is preempted computes less;
 *  - a timer that is late does not sleep; a relative one starts anew from there;
 *  - signal, broad and resume are lost if nobody waits;
 *  - when the duration is over, all conditions and barriers are broadcast, and a
 *    thread ends before its next event, but goes on to unlock what it holds.
 *
 * What differs: a barrier that opens closes behind its users (in rt-app a quick
 * one may slip through a second time); a mutex must be unlocked by its owner; a
 * thread that ends because of the duration gives up what it still holds; and a
 * deadlock ends the run with a line instead of hanging.
 */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"
#include "rtapp.h"

#define NSEC_PER_SEC	1000000000ULL

/*
 * How much runtime computes between two looks at the clock. rt-app's 32 us would
 * cost an event each; a thread that is preempted in its last slice overshoots
 * by up to this much.
 */
#define RUNTIME_SLICE	1000000ULL

/* Rounds of a phase in which no time passes before the run is given up. */
#define MAX_IDLE_LOOPS	1000000

#define WAKE_ALL	INT_MAX

/**
 * struct rt_thread - a thread that was made
 * @w: its workload
 * @task: what it does; NULL for the main thread
 * @instance: number among the threads of the task
 * @index: number among all threads
 * @pid: its PID, 0 until it has run
 * @forked: made by a fork event, so it does not wait at the start
 * @process: process whose main thread waits for it
 * @next: behind it in @on
 * @on: queue it stands in
 * @in_wait: it has got as far as sim_wait() on it
 * @verb: what it waits for, for messages
 * @what: its name
 * @held: mutexes that it holds
 * @attr: scheduling attributes as set last
 * @has_mask: @mask and @def_mask are valid
 * @mask: affinity as set last
 * @def_mask: affinity that it was born with
 * @group: task group that it is in
 * @first: start of its delay and timers, ns
 * @timers: its own timers
 * @loops: loops of the task completed
 * @phases: phases completed
 * @run_ns: CPU time asked for
 * @done: it has ended
 */
struct rt_thread {
	struct workload *w;
	struct rt_task *task;
	int instance, index, pid, forked;
	struct rt_process *process;
	struct rt_thread *next;
	struct rt_queue *on;
	int in_wait;
	const char *verb, *what;
	int held;
	struct sim_attr attr;
	int has_mask;
	struct sim_mask mask, def_mask;
	const char *group;
	sim_u64 first;
	struct rt_timer *timers;
	sim_u64 loops, phases, run_ns;
	int done;
};

void rt_free_threads(struct workload *w)
{
	int i;

	for (i = 0; i < w->nr_threads; i++) {
		free(w->threads[i]->timers);
		free(w->threads[i]);
	}
	free(w->threads);
}

/* Wake the first @nr threads of a queue, with one call as glibc does, or as a pipe. */
static void wake(struct rt_queue *q, int nr)
{
	struct rt_thread *t;
	int waiting = 0, sync = 0;

	for (; nr > 0 && q->head; nr--) {
		t = q->head;
		q->head = t->next;
		t->next = NULL;
		t->on = NULL;
		if (t->in_wait) {
			t->in_wait = 0;
			waiting++;
			/* Not of the main thread, which waits for all to end */
			sync = t->task && t->w->sync;
			if (t->task)
				t->w->blocked--;
		}
	}
	if (!q->head)
		q->tail = NULL;
	while (sync && waiting) {
		sim_wake_sync(q->q);
		waiting--;
	}
	if (waiting)
		sim_wake(q->q, waiting);
}

/* Give the run up: all threads end as soon as they can. The first reason counts. */
static void give_up(struct workload *w, int err, const char *fmt, ...)
	__printf(3, 4);

static void give_up(struct workload *w, int err, const char *fmt, ...)
{
	struct rt_queue *q;
	va_list ap;

	if (w->fail)
		return;
	w->fail = err;
	va_start(ap, fmt);
	vsnprintf(w->why, sizeof(w->why), fmt, ap);
	va_end(ap);
	for (q = w->queues; q; q = q->next)
		wake(q, WAKE_ALL);
}

/* Something that a thread asked the kernel for has failed. */
static void failed(struct rt_thread *t, const char *what, int err)
{
	give_up(t->w, err, "task %s, instance %d: %s: %s", t->task->name, t->instance, what,
		strerror(-err));
}

static void check_deadlock(struct workload *w)
{
	char who[400];
	size_t len = 0;
	int i, n, more = 0;
	struct rt_thread *t;

	if (w->fail || w->making || w->timed || !w->live || w->blocked < w->live)
		return;
	who[0] = '\0';
	for (i = 0; i < w->nr_threads; i++) {
		t = w->threads[i];
		if (!t->on)
			continue;
		if (len > 200) {
			more++;
			continue;
		}
		n = snprintf(who + len, sizeof(who) - len, "%s%.60s[%d] %s %.60s",
			     len ? ", " : "", t->task->name, t->instance, t->verb, t->what);
		len += n;
	}
	if (more)
		snprintf(who + len, sizeof(who) - len, ", and %d more", more);
	give_up(w, -EDEADLK, "deadlock, nothing can wake these tasks: %s", who);
}

static void queue_append(struct rt_queue *q, struct rt_thread *t)
{
	t->on = q;
	t->next = NULL;
	if (q->tail)
		q->tail->next = t;
	else
		q->head = t;
	q->tail = t;
}

static void queue_remove(struct rt_queue *q, struct rt_thread *t)
{
	struct rt_thread **p, *prev = NULL;

	for (p = &q->head; *p != t; p = &(*p)->next)
		prev = *p;
	*p = t->next;
	if (q->tail == t)
		q->tail = prev;
}

static void mutex_release(struct rt_res *m)
{
	m->owner->held--;
	m->owner = NULL;
	wake(&m->queue, 1);
}

/*
 * Wait in a queue until woken, and give up mutex @m, if any, while at it. The
 * thread is in the queue before @m is free, so no signal can be lost. It joins
 * the end again if that took time: those that are in sim_wait() must stand in
 * the same order here and in the kernel's queue.
 */
static int block(struct rt_thread *t, struct rt_queue *q, struct rt_res *m, const char *verb,
		 const char *what)
{
	struct workload *w = t->w;

	if (w->fail && t->task)
		return -1;
	queue_append(q, t);
	t->verb = verb;
	t->what = what;
	if (m)
		mutex_release(m);
	if (t->on) {
		queue_remove(q, t);
		queue_append(q, t);
		if (t->task)
			w->blocked++;
		check_deadlock(w);
		t->in_wait = !!t->on;
	}
	while (t->on)
		sim_wait(q->q);
	return w->fail;
}

/*
 * A pthread mutex without hand-off: the first waiter is woken and tries again,
 * so whoever runs may take it first, and then the waiter queues at the end.
 */
static int mutex_lock(struct rt_thread *t, struct rt_res *m)
{
	while (m->owner) {
		if (block(t, &m->queue, NULL, "waits for mutex", m->name))
			return -1;
	}
	m->owner = t;
	t->held++;
	return 0;
}

/* A thread that does not hold the mutex waits like one that does, as with glibc. */
static int cond_wait(struct rt_thread *t, struct rt_res *c, struct rt_res *m, const char *verb)
{
	/* The duration ended while the thread was on its way here. */
	if (t->w->stop)
		return 0;
	if (block(t, &c->queue, m->owner == t ? m : NULL, verb, c->name))
		return -1;
	return mutex_lock(t, m);
}

static int barrier_wait(struct rt_thread *t, struct rt_res *b)
{
	if (t->w->stop)
		return 0;
	if (++b->arrived < b->users)
		return block(t, &b->queue, NULL, "waits at barrier", b->name);
	b->arrived = 0;
	wake(&b->queue, WAKE_ALL);
	return 0;
}

static void compute(struct rt_thread *t, sim_u64 ns)
{
	t->run_ns += ns;
	sim_run(ns);
}

static void runtime(struct rt_thread *t, sim_u64 ns)
{
	sim_u64 end = sim_now() + ns, now;

	for (now = end - ns; now < end && !t->w->fail; now = sim_now())
		compute(t, end - now < RUNTIME_SLICE ? end - now : RUNTIME_SLICE);
}

static void timer(struct rt_thread *t, const struct rt_event *e)
{
	struct rt_timer *timer = e->res ? &e->res->timer : &t->timers[e->unique];

	if (!timer->init) {
		timer->init = 1;
		timer->next = t->first;
	}
	timer->next += e->ns;
	if (sim_now() < timer->next)
		sim_sleep_until(timer->next);
	else if (!timer->absolute)
		timer->next = sim_now();
}

/* How a thread comes to be. */
enum how { HOW_THREAD, HOW_PROCESS, HOW_FORKED };

static int spawn(struct workload *w, struct rt_task *task, enum how how,
		 const struct rt_thread *parent);

/* Carry out an event; nonzero if the thread has to end. */
static int do_event(struct rt_thread *t, const struct rt_event *e)
{
	struct workload *w = t->w;
	int err;

	switch (e->type) {
	case RT_RUN:
		if (e->ns)
			compute(t, e->ns);
		break;
	case RT_RUNTIME:
		runtime(t, e->ns);
		break;
	case RT_SLEEP:
		if (e->ns)
			sim_sleep(e->ns);
		break;
	case RT_TIMER_EV:
		timer(t, e);
		break;
	case RT_SUSPEND:
		if (mutex_lock(t, e->mutex) || cond_wait(t, e->res, e->mutex, "is suspended as"))
			return -1;
		mutex_release(e->mutex);
		break;
	case RT_RESUME:
		if (mutex_lock(t, e->mutex))
			return -1;
		wake(&e->res->queue, WAKE_ALL);
		mutex_release(e->mutex);
		break;
	case RT_LOCK:
		return mutex_lock(t, e->res);
	case RT_UNLOCK:
		if (e->res->owner != t) {
			give_up(w, -EPERM,
				"task %s, instance %d: unlocks mutex %s, which it has not locked",
				t->task->name, t->instance, e->res->name);
			return -1;
		}
		mutex_release(e->res);
		break;
	case RT_WAIT:
		return cond_wait(t, e->res, e->mutex, "waits for");
	case RT_SIGNAL:
		wake(&e->res->queue, 1);
		break;
	case RT_BROAD:
		wake(&e->res->queue, WAKE_ALL);
		break;
	case RT_SYNC:
		wake(&e->res->queue, 1);
		return cond_wait(t, e->res, e->mutex, "waits for");
	case RT_BARRIER_EV:
		return barrier_wait(t, e->res);
	case RT_FORK:
		if (e->ref->forks >= RT_MAX_FORKS) {
			give_up(w, -EAGAIN,
				"task %s, instance %d: %s was forked %d times, rt-app's limit",
				t->task->name, t->instance, e->ref->name, RT_MAX_FORKS);
			return -1;
		}
		err = spawn(w, e->ref, HOW_FORKED, t);
		if (err < 0) {
			failed(t, "fork", err);
			return -1;
		}
		break;
	case RT_YIELD:
		sim_yield();
		break;
	}
	return w->fail;
}

static int do_phase(struct rt_thread *t, const struct rt_phase *p)
{
	const struct rt_event *e = p->events;
	const struct rt_event *end = e + p->nr_events;

	for (; e < end; e++) {
		if (t->w->fail)
			return -1;
		if (t->w->stop) {
			if (!t->held)
				return -1;
			/* Let the others go on: unlock, but start nothing new. */
			if (e->type != RT_LOCK && e->type != RT_UNLOCK)
				continue;
		}
		if (do_event(t, e))
			return -1;
	}
	return 0;
}

static int set_sched(struct rt_thread *t, const struct rt_sched *s)
{
	struct sim_attr a = t->attr;
	int err;

	if (s->set) {
		a = s->attr;
		a.util_min = t->attr.util_min;
		a.util_max = t->attr.util_max;
	}
	if (s->attr.util_min >= 0)
		a.util_min = s->attr.util_min;
	if (s->attr.util_max >= 0)
		a.util_max = s->attr.util_max;
	if (a.policy == t->attr.policy && a.nice == t->attr.nice &&
	    a.priority == t->attr.priority && a.runtime == t->attr.runtime &&
	    a.deadline == t->attr.deadline && a.period == t->attr.period &&
	    a.util_min == t->attr.util_min && a.util_max == t->attr.util_max)
		return 0;
	err = sim_setattr(0, &a);
	if (err < 0) {
		failed(t, "policy", err);
		return -1;
	}
	t->attr = a;
	return 0;
}

/* The phase's CPUs, else the task's, else those that the thread was born with. */
static int set_place(struct rt_thread *t, const struct rt_place *phase)
{
	const struct sim_mask *m = &t->def_mask;
	int err;

	if (!t->has_mask) {
		err = sim_getaffinity(0, &t->def_mask);
		if (err < 0) {
			failed(t, "getaffinity", err);
			return -1;
		}
		t->mask = t->def_mask;
		t->has_mask = 1;
	}
	if (phase->set)
		m = &phase->mask;
	else if (t->task->place.set)
		m = &t->task->place.mask;
	if (!memcmp(m, &t->mask, sizeof(*m)))
		return 0;
	err = sim_setaffinity(0, m);
	if (err < 0) {
		failed(t, "cpus", err);
		return -1;
	}
	t->mask = *m;
	return 0;
}

static int set_group(struct rt_thread *t, const char *group)
{
	int err;

	if (!group || !strcmp(group, t->group))
		return 0;
	err = sim_cgroup_attach(group, t->pid);
	if (err < 0) {
		failed(t, "taskgroup", err);
		return -1;
	}
	t->group = group;
	return 0;
}

static void run_phases(struct rt_thread *t)
{
	struct rt_task *task = t->task;
	struct rt_phase *p;
	sim_u64 n, loop, now, last = sim_now();
	int i, idle = 0;

	for (loop = 0; task->loop < 0 || loop < (sim_u64)task->loop; loop++) {
		for (i = 0; i < task->nr_phases; i++) {
			p = &task->phases[i];
			for (n = 0; p->loop < 0 || n < (sim_u64)p->loop; n++) {
				if (t->w->stop || set_place(t, &p->place) ||
				    set_sched(t, &p->sched) || set_group(t, p->group) ||
				    do_phase(t, p))
					return;
				now = sim_now();
				idle = now == last ? idle + 1 : 0;
				last = now;
				if (idle == MAX_IDLE_LOOPS) {
					give_up(t->w, -ELOOP,
						"task %s, phase %s: loops, but no time passes",
						task->name, p->name);
					return;
				}
			}
			t->phases++;
		}
		t->loops++;
	}
}

static void start_barrier(struct rt_thread *t)
{
	struct workload *w = t->w;

	if (++w->nr_start < w->nr_initial)
		block(t, &w->start, NULL, "waits for", "the start");
	else
		wake(&w->start, WAKE_ALL);
}

static void drop_mutexes(struct rt_thread *t)
{
	struct rt_res *r;

	for (r = t->w->res; r && t->held; r = r->next) {
		if (r->owner == t)
			mutex_release(r);
	}
}

static void thread_start(struct rt_thread *t)
{
	struct workload *w = t->w;
	int late = t->task->sched.attr.policy == SIM_DEADLINE;

	if (!t->index) {
		w->zero = sim_now();
		w->has_zero = 1;
	}
	/* Admission is for the thread's own phases, not for the wait before them. */
	if (!late && set_sched(t, &t->task->sched))
		return;
	if (w->opts.barrier && !t->forked)
		start_barrier(t);
	/* Without the barrier, thread 0 may not have run yet. */
	t->first = w->has_zero ? w->zero : sim_now();
	if (w->fail)
		return;
	if (t->task->delay) {
		t->first += t->task->delay;
		if (sim_now() < t->first)
			sim_sleep_until(t->first);
	}
	if (late && set_sched(t, &t->task->sched))
		return;
	if (set_group(t, t->task->group))
		return;
	run_phases(t);
}

static void thread_main(void *arg)
{
	static const struct rt_sched other = {
		.set = 1,
		.attr = { .policy = SIM_NORMAL, .util_min = -1, .util_max = -1 },
	};
	struct rt_thread *t = arg;
	struct workload *w = t->w;

	t->pid = sim_pid();
	thread_start(t);
	if (t->attr.policy != SIM_NORMAL)
		set_sched(t, &other);
	set_group(t, "");
	if (w->stop || w->fail)
		drop_mutexes(t);
	w->live--;
	check_deadlock(w);
	if (t->process && !--t->process->left)
		wake(&t->process->join, 1);
	/* From here on the main thread may return, so this is the last access. */
	t->done = 1;
	if (w->joins == &t->done)
		wake(&w->join, 1);
}

/* Make a thread; @parent is NULL for one whose scheduling is still the default. */
static int spawn(struct workload *w, struct rt_task *task, enum how how,
		 const struct rt_thread *parent)
{
	struct sim_clone c = { .flags = SIM_THREAD, .name = task->name, .fn = thread_main };
	struct rt_thread *t, **threads;
	int max, i, pid;

	if (w->nr_threads == w->max_threads) {
		max = w->max_threads ? 2 * w->max_threads : 64;
		threads = realloc(w->threads, max * sizeof(*threads));
		if (!threads)
			return -ENOMEM;
		w->threads = threads;
		w->max_threads = max;
	}
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	if (task->nr_unique) {
		t->timers = calloc(task->nr_unique, sizeof(*t->timers));
		if (!t->timers) {
			free(t);
			return -ENOMEM;
		}
		for (i = 0; i < task->nr_unique; i++)
			t->timers[i].absolute = task->absolute[i];
	}
	t->w = w;
	t->task = task;
	t->instance = task->made++;
	t->index = w->nr_threads;
	if (how == HOW_PROCESS) {
		c.flags = 0;
		c.name = task->process->name;
	} else if (how == HOW_FORKED) {
		t->forked = 1;
		task->forks++;
	} else if (task->process) {
		t->process = task->process;
		t->process->left++;
	}
	t->attr.util_min = -1;
	t->attr.util_max = -1;
	t->group = "";
	if (parent) {
		t->attr = parent->attr;
		t->group = parent->group;
	}
	w->threads[w->nr_threads++] = t;
	w->live++;
	c.arg = t;
	pid = sim_clone(&c);
	if (pid < 0) {
		t->done = 1;
		w->live--;
		if (t->process)
			t->process->left--;
		return pid;
	}
	t->pid = pid;
	return 0;
}

/* Make a group and all above it. */
static int make_group(struct workload *w, const char *group)
{
	char path[256];
	const char *end = group;
	int err;

	do {
		end = strchr(end + 1, '/');
		snprintf(path, sizeof(path), "%.*s", (int)(end ? end - group : 255), group);
		err = sim_cgroup_mkdir(path);
		if (err == -EEXIST)
			continue;
		if (err < 0)
			return err;
		w->group_made[w->nr_group_made] = strdup(path);
		if (!w->group_made[w->nr_group_made])
			return -ENOMEM;
		w->nr_group_made++;
	} while (end);
	return 0;
}

static int make_groups(struct workload *w)
{
	int i, n = 0, err;
	const char *s;

	for (i = 0; i < w->nr_groups; i++) {
		for (n++, s = w->groups[i]; *s; s++)
			n += *s == '/';
	}
	if (!n)
		return 0;
	w->group_made = calloc(n, sizeof(*w->group_made));
	if (!w->group_made)
		return -ENOMEM;
	for (i = 0; i < w->nr_groups; i++) {
		err = make_group(w, w->groups[i]);
		if (err) {
			give_up(w, err, "taskgroup /%s: %s", w->groups[i], strerror(-err));
			return err;
		}
	}
	return 0;
}

static int make_queue(struct workload *w, struct rt_queue *q)
{
	q->q = sim_waitq_new();
	if (!q->q)
		return -ENOMEM;
	q->next = w->queues;
	w->queues = q;
	return 0;
}

/* Before any thread: making one may sleep, which nobody in block() must. */
static int make_queues(struct workload *w)
{
	struct rt_process *p;
	struct rt_res *r;

	if (make_queue(w, &w->start) || make_queue(w, &w->join))
		return -ENOMEM;
	for (p = w->processes; p; p = p->next) {
		if (make_queue(w, &p->join))
			return -ENOMEM;
	}
	for (r = w->res; r; r = r->next) {
		if (r->kind != RT_TIMER && make_queue(w, &r->queue))
			return -ENOMEM;
	}
	return 0;
}

/* Wait for the end of the duration, or for the run to be given up before it. */
static void wait_duration(struct workload *w, struct rt_thread *self)
{
	sim_u64 end = sim_now() + w->duration * NSEC_PER_SEC, now;
	struct rt_queue *q = &w->join;
	struct rt_res *r;

	queue_append(q, self);
	self->in_wait = 1;
	w->timed = 1;
	for (now = sim_now(); self->on && now < end; now = sim_now())
		sim_wait_timeout(q->q, end - now);
	w->timed = 0;
	self->in_wait = 0;
	if (self->on)
		queue_remove(q, self);
	self->on = NULL;
	w->stop = 1;
	for (r = w->res; r; r = r->next) {
		if (r->kind == RT_COND || r->kind == RT_BARRIER) {
			r->arrived = 0;
			wake(&r->queue, WAKE_ALL);
		}
	}
}

static void process_main(void *arg);

/* A process of one thread is that thread; others have a main thread like ours. */
static int make_process(struct workload *w, struct rt_task *task)
{
	struct rt_process *p = task->process;
	struct sim_clone c = { .name = p->name, .fn = process_main, .arg = p };
	int pid;

	p->made = 1;
	if (p->nr == 1) {
		p->done = 1;
		return spawn(w, task, HOW_PROCESS, NULL);
	}
	w->making++;
	pid = sim_clone(&c);
	if (pid < 0) {
		p->done = 1;
		w->making--;
	}
	return pid;
}

/* What the main thread of process @p, NULL for the first one, makes. */
static void make_threads(struct workload *w, struct rt_process *p)
{
	struct rt_task *task;
	int i, err, nr = 0;

	for (task = w->tasks; task; task = task->next) {
		for (i = 0; i < task->instance && !w->fail; i++) {
			if (task->process != p && (p || task->process->made))
				break;
			if (nr++ && w->opts.gap_ns)
				sim_run(w->opts.gap_ns);
			err = task->process == p ? spawn(w, task, HOW_THREAD, NULL) :
						   make_process(w, task);
			if (err < 0)
				give_up(w, err, "task %s, instance %d: clone: %s", task->name, i,
					strerror(-err));
		}
	}
	w->making--;
	check_deadlock(w);
}

static void process_main(void *arg)
{
	struct rt_process *p = arg;
	struct workload *w = p->w;
	struct rt_thread self = { .w = w };

	make_threads(w, p);
	while (p->left)
		block(&self, &p->join, NULL, "joins", "");
	p->done = 1;
	if (w->joins == &p->done)
		wake(&w->join, 1);
}

static void join(struct rt_thread *self, const int *done)
{
	self->w->joins = done;
	while (!*done)
		block(self, &self->w->join, NULL, "joins", "");
}

void workload_defaults(struct workload_opts *o)
{
	o->settle_ns = 2000000;
	o->gap_ns = 60000;
	o->barrier = 1;
}

int workload_main(struct workload *w, const struct workload_opts *o)
{
	struct rt_thread self = { .w = w };
	struct rt_process *p;
	struct rt_queue *q;
	char line[1024];
	int i;

	if (w->started) {
		give_up(w, -EBUSY, "the workload was run already");
	} else if (w->need_nodes) {
		give_up(w, -EINVAL, "\"nodes\" is used, but workload_machine() was not called");
	} else {
		w->started = 1;
		w->opts = *o;
		if (o->settle_ns)
			sim_run(o->settle_ns);
		i = make_queues(w);
		if (i < 0)
			give_up(w, i, "wait queues: %s", strerror(-i));
		i = make_groups(w);
		if (i < 0)
			give_up(w, i, "taskgroups: %s", strerror(-i));
		w->making = 1;
		make_threads(w, NULL);
		if (w->duration > 0 && !w->fail)
			wait_duration(w, &self);
		/* More may be made while we wait. */
		for (i = 0; i < w->nr_threads; i++)
			join(&self, &w->threads[i]->done);
		for (p = w->processes; p; p = p->next) {
			if (p->made)
				join(&self, &p->done);
		}
		while (w->nr_group_made) {
			sim_cgroup_rmdir(w->group_made[--w->nr_group_made]);
			free(w->group_made[w->nr_group_made]);
		}
		/* The last thread may not have come back from waking us in that one. */
		for (q = w->queues; q; q = q->next) {
			if (q != &w->join)
				sim_waitq_free(q->q);
		}
		w->queues = NULL;
	}
	if (w->fail) {
		i = snprintf(line, sizeof(line), "%.400s: %s\n", w->file, w->why);
		host_write('3', line, i);
	}
	return w->fail;
}

int workload_stats(const struct workload *w, struct workload_task_stat *s, int max)
{
	const struct rt_thread *t;
	int i;

	for (i = 0; i < w->nr_threads && i < max; i++) {
		t = w->threads[i];
		s[i] = (struct workload_task_stat) {
			.name = t->task->name,
			.instance = t->instance,
			.pid = t->pid,
			.loops = t->loops,
			.phases = t->phases,
			.run_ns = t->run_ns,
		};
	}
	return w->nr_threads;
}
