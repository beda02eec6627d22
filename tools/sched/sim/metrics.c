// SPDX-License-Identifier: GPL-2.0
/*
 * The figures of a run. This is what tools/sched/trace.c does in several passes
 * over a trace, done in one: O(1) an event, and nothing kept but a small record
 * a task. Where the two could differ, that file is right; tests compare them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metrics.h"

const char *const metrics_distance_name[NR_DISTANCES] = {
	"same_llc", "cross_llc", "cross_node",
};

const char *const metrics_move_name[NR_MOVES] = {
	"core", "cluster", "llc", "cross_llc", "cross_node", "cross_socket",
};

const char *const metrics_wake_name[NR_WAKES] = {
	"same_cpu", "same_cluster", "same_llc", "further",
};

const char *const metrics_pct_name[NR_PCTS] = { "p50", "p90", "p99", "p999", "max" };

/* ---- latencies ---- */

/* Buckets of a value's eight leading bits: exact below 512 ns, then to 0.4 % */
#define HIST_BITS	8
#define HIST_BUCKETS	((64 - HIST_BITS + 1) << HIST_BITS)

struct histogram {
	sim_u64 nr, max;
	unsigned int bucket[HIST_BUCKETS];
};

static unsigned int hist_index(sim_u64 v)
{
	int shift;

	if (v < 1ULL << HIST_BITS)
		return v;
	shift = 63 - __builtin_clzll(v) - HIST_BITS;
	return ((shift + 1) << HIST_BITS) + (v >> shift) - (1U << HIST_BITS);
}

/* The largest value that falls into this bucket */
static sim_u64 hist_value(unsigned int i)
{
	int shift = (int)(i >> HIST_BITS) - 1;

	if (shift < 0)
		return i;
	return (((sim_u64)(i & ((1U << HIST_BITS) - 1)) + (1U << HIST_BITS) + 1) << shift) - 1;
}

static void hist_add(struct histogram *h, sim_u64 v)
{
	h->nr++;
	if (v > h->max)
		h->max = v;
	h->bucket[hist_index(v)]++;
}

static void hist_read(const struct histogram *h, struct metrics_latency *l)
{
	static const unsigned int per_mille[] = { 500, 900, 990, 999 };
	sim_u64 seen = 0, v;
	unsigned int i, p = 0;

	memset(l, 0, sizeof(*l));
	l->nr = h->nr;
	l->pct[PCT_MAX] = h->max;
	for (i = 0; i < HIST_BUCKETS && p < PCT_MAX && h->nr; i++) {
		seen += h->bucket[i];
		/* The smallest value that at least so many are not above */
		while (p < PCT_MAX && seen * 1000 >= h->nr * per_mille[p]) {
			v = hist_value(i);
			l->pct[p++] = v < h->max ? v : h->max;
		}
	}
}

/* ---- state ---- */

enum task_state { TASK_UNKNOWN, TASK_NEW, TASK_SLEEPS, TASK_QUEUED, TASK_RUNS };

struct task {
	sim_u64 since;		/* when it began to run */
	sim_u64 waking;		/* when it was to be woken, if it is not awake yet */
	sim_u64 woken;		/* when it was woken, if it has not run since */
	sim_u64 wanted;		/* when that began */
	sim_u64 queued;		/* when it began to wait on a runqueue */
	sim_u64 run_ns, wait_ns, migrations;
	int pid;
	char comm[SIM_COMM_LEN];
	int cpu, first_cpu;	/* or -1 */
	int left;		/* CPU that it was taken from as it ran, or -1 */
	int waker;		/* CPU of the task that is about to wake it, or -1 */
	int class;		/* of the CPUs that it may use */
	unsigned char state;
	unsigned char counted;
	unsigned char dead, woken_new, ran;
	unsigned char is_waking, is_woken, is_first;
};

struct cpu_state {
	int curr;		/* task of the workload that runs here, or -1 */
	int resolved;		/* task that it switched to, or -1 */
	unsigned char idle, allowed, watched, offline;
	int nr;			/* counted tasks that run or wait here */
	int nr_any;		/* all tasks of the workload that do */
	int stack;		/* of the stretch that is being measured, or 0 */
	sim_u64 stack_start;
	int queued;		/* counted tasks that wait here */
	long class_sum;		/* of their classes: the class, if it is one task */
	int first;		/* tasks first placed here */
	int *classes;		/* that have this CPU */
	unsigned long nr_classes, cap_classes;
};

/* Tasks that may use the same CPUs */
struct class {
	struct sim_mask mask;
	int waiting;		/* tasks */
	int idle;		/* CPUs */
};

/* A CPU became idle or busy by other tasks than the workload's */
struct flip {
	sim_u64 time;
	int cpu, idle;
};

static struct metrics {
	const struct sim_machine *m;
	int init, root;
	int root_seen;
	int *by_pid;
	unsigned long nr_pids;
	struct task *tasks;
	unsigned long nr_tasks, cap_tasks;
	struct cpu_state cpus[SIM_MAX_CPUS];
	int watched[SIM_MAX_CPUS];	/* CPUs with a stack, now or a moment ago */
	int nr_watched;
	int nr_idle;			/* allowed CPUs with nothing to do */
	int nr_stacked;			/* CPUs with two counted tasks or more */
	int dirty;
	int any_fork;
	sim_u64 now, first_fork, last_fork;
	sim_u64 nr_migrations, nr_sleeps;
	struct class *classes;
	unsigned long nr_classes, cap_classes;
	int nr_bad;			/* classes with both waiting tasks and idle CPUs */
	int bad_waiting;		/* their tasks */
	int all_idle;			/* CPUs with nothing to do that are in any class */
	struct flip *flips;
	unsigned long nr_flips, cap_flips;
	struct sim_mask used;
	struct histogram wakeup, queue, first;
	struct metrics_result r;
} mt;

/* ---- tasks that wait while CPUs are idle ---- */

static void class_add(int class, int waiting, int idle)
{
	struct class *k = &mt.classes[class];

	if (k->waiting && k->idle) {
		mt.nr_bad--;
		mt.bad_waiting -= k->waiting;
	}
	k->waiting += waiting;
	k->idle += idle;
	if (k->waiting && k->idle) {
		mt.nr_bad++;
		mt.bad_waiting += k->waiting;
	}
}

static int has_nothing(const struct cpu_state *c)
{
	return c->idle && !c->nr_any;
}

/* On an idle CPU, a single task does not wait: it is being switched to */
static void discount(struct cpu_state *c, int waiting)
{
	if (c->idle && c->queued == 1)
		class_add(c->class_sum, waiting, 0);
}

static void count_idle(struct cpu_state *c, int delta)
{
	unsigned long i;

	if (!has_nothing(c))
		return;
	if (c->allowed)
		mt.nr_idle += delta;
	/* schedplace does not know that a CPU is offline */
	if (c->offline || !c->nr_classes)
		return;
	mt.all_idle += delta;
	for (i = 0; i < c->nr_classes; i++)
		class_add(c->classes[i], 0, delta);
}

/* Whatever changes on a CPU is between these two */
static void cpu_begin(struct cpu_state *c)
{
	count_idle(c, -1);
	discount(c, 1);
}

static void cpu_end(struct cpu_state *c)
{
	count_idle(c, 1);
	discount(c, -1);
	mt.dirty = 1;
}

static void queue_task(const struct task *t, int delta)
{
	struct cpu_state *c = &mt.cpus[t->cpu];

	c->queued += delta;
	c->class_sum += delta * t->class;
	class_add(t->class, delta, 0);
}

/**
 * metrics_class - the number that stands for a set of CPUs
 * @mask: the CPUs that a task may use
 *
 * Return: the number, for EV_ALLOWED.
 */
int metrics_class(const struct sim_mask *mask)
{
	struct cpu_state *c;
	unsigned long i;
	int cpu;

	if (!mt.m)
		return 0;
	for (i = 0; i < mt.nr_classes; i++) {
		if (!memcmp(&mt.classes[i].mask, mask, sizeof(*mask)))
			return i;
	}
	mt.classes = xgrow(mt.classes, mt.nr_classes, &mt.cap_classes, sizeof(*mt.classes));
	memset(&mt.classes[i], 0, sizeof(*mt.classes));
	mt.classes[i].mask = *mask;
	mt.nr_classes++;
	for (cpu = 0; cpu < mt.m->nr_cpus; cpu++) {
		if (!mask_test(mask, cpu))
			continue;
		c = &mt.cpus[cpu];
		cpu_begin(c);
		c->classes = xgrow(c->classes, c->nr_classes, &c->cap_classes,
				   sizeof(*c->classes));
		c->classes[c->nr_classes++] = i;
		cpu_end(c);
	}
	return i;
}

/* ---- time ---- */

static void end_stack(int cpu)
{
	struct cpu_state *c = &mt.cpus[cpu];
	struct metrics_result *r = &mt.r;
	sim_u64 ns = mt.now - c->stack_start;

	if (c->stack > r->worst_tasks ||
	    (c->stack == r->worst_tasks && c->stack && ns > r->worst_ns)) {
		r->worst_tasks = c->stack;
		r->worst_cpu = cpu;
		r->worst_at = c->stack_start;
		r->worst_ns = ns;
	}
	c->stack = 0;
}

/* What happens at one moment is judged as a whole: only its outcome lasts. */
static void advance(sim_u64 ts)
{
	int i, stack, kept = 0, lost;
	struct cpu_state *c;

	if (ts <= mt.now)
		return;
	for (i = 0; mt.dirty && i < mt.nr_watched; i++) {
		c = &mt.cpus[mt.watched[i]];
		stack = mt.nr_idle && c->nr >= 2 ? c->nr : 0;
		if (stack != c->stack) {
			end_stack(mt.watched[i]);
			c->stack = stack;
			c->stack_start = mt.now;
		}
		if (c->nr >= 2)
			mt.watched[kept++] = mt.watched[i];
		else
			c->watched = 0;
	}
	if (mt.dirty)
		mt.nr_watched = kept;
	mt.dirty = 0;
	if (mt.nr_idle && mt.nr_stacked)
		mt.r.stacked_ns += ts - mt.now;
	if (mt.m->has_clusters)
		spread_time(&mt.r.spread, mt.now, ts, mt.last_fork + METRICS_SETTLE_NS);
	if (mt.nr_bad) {
		lost = mt.bad_waiting < mt.all_idle ? mt.bad_waiting : mt.all_idle;
		mt.r.waiting_ns += ts - mt.now;
		mt.r.lost_ns += (ts - mt.now) * lost;
	}
	mt.now = ts;
}

/* ---- tasks on CPUs ---- */

static int on_cpu(const struct task *t)
{
	return t->state == TASK_QUEUED || t->state == TASK_RUNS;
}

static void set_idle(int cpu, int idle)
{
	struct cpu_state *c = &mt.cpus[cpu];

	cpu_begin(c);
	c->idle = idle;
	cpu_end(c);
}

static void add_nr(const struct task *t, int delta)
{
	struct cpu_state *c = &mt.cpus[t->cpu];

	cpu_begin(c);
	c->nr_any += delta;
	if (t->counted) {
		mt.nr_stacked -= c->nr >= 2;
		c->nr += delta;
		mt.nr_stacked += c->nr >= 2;
		if (c->nr >= 2 && !c->watched) {
			c->watched = 1;
			mt.watched[mt.nr_watched++] = t->cpu;
		}
		if (mt.m->has_clusters)
			spread_add(&mt.r.spread, mt.m->cpu[t->cpu].cluster, delta);
		if (t->state == TASK_QUEUED)
			queue_task(t, delta);
	}
	cpu_end(c);
}

static int distance(const struct sim_cpu_topo *a, const struct sim_cpu_topo *b)
{
	if (a->node != b->node)
		return CROSS_NODE;
	return a->llc == b->llc ? SAME_LLC : CROSS_LLC;
}

static int move(const struct sim_cpu_topo *a, const struct sim_cpu_topo *b)
{
	if (a->package != b->package)
		return MOVE_CROSS_SOCKET;
	if (a->node != b->node)
		return MOVE_CROSS_NODE;
	if (a->llc != b->llc)
		return MOVE_CROSS_LLC;
	if (a->core == b->core)
		return MOVE_CORE;
	return a->cluster == b->cluster ? MOVE_CLUSTER : MOVE_LLC;
}

static int wake(int waker, int cpu)
{
	if (waker == cpu)
		return WAKE_CPU;
	switch (move(&mt.m->cpu[waker], &mt.m->cpu[cpu])) {
	case MOVE_CORE:
	case MOVE_CLUSTER:
		return WAKE_CLUSTER;
	case MOVE_LLC:
		return WAKE_LLC;
	default:
		return WAKE_FURTHER;
	}
}

static void count_migration(struct task *t, int from, int to)
{
	const struct sim_cpu_topo *a = &mt.m->cpu[from], *b = &mt.m->cpu[to];
	struct metrics_result *r = &mt.r;
	int d = distance(a, b), v = move(a, b);

	if (!t->counted)
		return;
	t->migrations++;
	mt.nr_migrations++;
	r->migrations[d]++;
	r->moves[v]++;
	/* The last fork so far may be the last one */
	if (mt.now <= mt.last_fork)
		r->burst_migrations = mt.nr_migrations;
	if (mt.now > mt.last_fork + METRICS_SETTLE_NS) {
		r->settled[d]++;
		r->moves_settled[v]++;
	}
}

static void credit_run(struct task *t)
{
	if (!t->counted)
		return;
	t->run_ns += mt.now - t->since;
	mt.r.run_ns += mt.now - t->since;
}

/* Whatever runs on this CPU stops. credit is 0 if its end was lost. */
static void stop_running(int cpu, int credit)
{
	struct cpu_state *c = &mt.cpus[cpu];

	if (c->curr < 0)
		return;
	if (credit)
		credit_run(&mt.tasks[c->curr]);
	c->curr = -1;
}

/* The task is on this CPU from now on, in this state. */
static void place(struct task *t, int cpu, enum task_state state)
{
	if (t->state == TASK_RUNS && mt.cpus[t->cpu].curr == t - mt.tasks)
		stop_running(t->cpu, 0);
	if (on_cpu(t))
		add_nr(t, -1);
	if (t->state == TASK_QUEUED)
		t->wait_ns += mt.now - t->queued;
	t->queued = mt.now;
	if (t->first_cpu < 0)
		t->first_cpu = cpu;
	else if (t->cpu != cpu)
		count_migration(t, t->cpu, cpu);
	t->cpu = cpu;
	t->state = state;
	if (on_cpu(t))
		add_nr(t, 1);
}

static void start_running(int task, int cpu)
{
	struct task *t = &mt.tasks[task];

	place(t, cpu, TASK_RUNS);
	if (t->counted)
		mask_set(&mt.used, cpu);
	if (t->is_woken && t->counted && t->is_first) {
		hist_add(&mt.first, mt.now - t->woken);
	} else if (t->is_woken && t->counted) {
		hist_add(&mt.queue, mt.now - t->woken);
		hist_add(&mt.wakeup, mt.now - t->wanted);
	}
	t->is_woken = 0;
	t->since = mt.now;
	t->left = -1;
	mt.cpus[cpu].curr = task;
}

static void switch_from(const struct event *ev, int task)
{
	struct cpu_state *c = &mt.cpus[ev->cpu];
	struct task *t = &mt.tasks[task];
	int runs = *ev->state == 'R', dead = *ev->state == 'X' || *ev->state == 'Z';

	if (c->curr == task)
		stop_running(ev->cpu, 1);
	else if (t->left == ev->cpu)
		credit_run(t);
	else if (t->cpu < 0 && t->counted)
		mask_set(&mt.used, ev->cpu);
	t->left = -1;
	if (!runs && t->counted) {
		mt.nr_sleeps++;
		if (mt.now <= mt.last_fork)
			mt.r.burst_sleeps = mt.nr_sleeps;
	}
	/* A dead task can't be anywhere else, but a new task with its pid can */
	if (t->cpu < 0 || t->cpu == ev->cpu || !dead)
		place(t, ev->cpu, runs ? TASK_QUEUED : TASK_SLEEPS);
}

static void account_switch(const struct event *ev, int task, int task2)
{
	struct cpu_state *c = &mt.cpus[ev->cpu];
	struct task *t;

	if (c->curr >= 0 && c->curr != task) {
		t = &mt.tasks[c->curr];
		place(t, t->cpu, TASK_SLEEPS);
	}
	if (task >= 0)
		switch_from(ev, task);
	if (task2 >= 0)
		start_running(task2, ev->cpu);
	set_idle(ev->cpu, !ev->next_pid);
}

/* From when on a task waits for a CPU: not if it runs or waits anyway */
static void woken(struct task *t, const struct event *ev)
{
	const struct cpu_state *c = &mt.cpus[ev->target];
	int waking = t->is_waking;

	t->is_waking = 0;
	if (on_cpu(t))
		return;
	t->woken = ev->time;
	t->wanted = waking ? t->waking : ev->time;
	t->is_woken = 1;
	t->is_first = ev->type == SIM_EV_WAKEUP_NEW;
	if (t->counted && ev->allowed_idle && !has_nothing(c))
		mt.r.wakeups_beside_idle++;
}

static void account(const struct event *ev, int task, int task2)
{
	struct task *t = task >= 0 ? &mt.tasks[task] : NULL;

	advance(ev->time);
	/* A trace may begin while its tasks run: what a task does tells where. */
	if (t && t->cpu < 0 && ev->pid == ev->cur_pid &&
	    (ev->type == SIM_EV_FORK || ev->type == SIM_EV_EXEC || ev->type == SIM_EV_EXIT)) {
		start_running(task, ev->cpu);
		set_idle(ev->cpu, 0);
	}

	switch (ev->type) {
	case SIM_EV_SWITCH:
		account_switch(ev, task, task2);
		break;
	case SIM_EV_FORK:
		if (task2 >= 0)
			mt.tasks[task2].state = TASK_NEW;
		break;
	case SIM_EV_WAKEUP_NEW:
		if (!t)
			break;
		woken(t, ev);
		if (t->state != TASK_RUNS)
			place(t, ev->target, TASK_QUEUED);
		break;
	case SIM_EV_WAKEUP:
		if (!t)
			break;
		if (t->counted)
			mt.r.wakeups++;
		if (t->counted && t->waker >= 0 && !on_cpu(t))
			mt.r.wakes[wake(t->waker, ev->target)]++;
		t->waker = -1;
		woken(t, ev);
		/* A task may be woken before it has gone to sleep. */
		if (t->state != TASK_RUNS || t->cpu != ev->target)
			place(t, ev->target, TASK_QUEUED);
		break;
	case SIM_EV_MIGRATE:
		/* Until its first wakeup, a new task isn't anywhere. */
		if (!t || t->state == TASK_NEW)
			break;
		if (t->cpu < 0)
			place(t, ev->orig, TASK_SLEEPS);
		/* Its switch may be still to come: who pulls it has a clock that is behind */
		if (t->state == TASK_RUNS && mt.cpus[t->cpu].curr == task)
			t->left = t->cpu;
		place(t, ev->target, on_cpu(t) ? TASK_QUEUED : TASK_SLEEPS);
		break;
	case SIM_EV_EXIT:
		if (t && t->counted && mt.now > mt.last_fork + METRICS_SETTLE_NS)
			mt.r.spread.ended = true;
		break;
	default:
		break;
	}
}

/* ---- which event is about which task ---- */

static int *pid_slot(int pid)
{
	unsigned long i, nr = mt.nr_pids;

	if ((unsigned long)pid >= nr) {
		while ((unsigned long)pid >= nr)
			nr = nr ? nr * 2 : 4096;
		mt.by_pid = reallocarray(mt.by_pid, nr, sizeof(*mt.by_pid));
		if (!mt.by_pid)
			die("out of memory");
		for (i = mt.nr_pids; i < nr; i++)
			mt.by_pid[i] = -1;
		mt.nr_pids = nr;
	}
	return &mt.by_pid[pid];
}

static int new_task(int pid, const char *comm, int parent, sim_u64 born)
{
	struct task *t;

	mt.tasks = xgrow(mt.tasks, mt.nr_tasks, &mt.cap_tasks, sizeof(*mt.tasks));
	t = &mt.tasks[mt.nr_tasks];
	memset(t, 0, sizeof(*t));
	t->pid = pid;
	snprintf(t->comm, sizeof(t->comm), "%s", comm);
	t->cpu = -1;
	t->first_cpu = -1;
	t->left = -1;
	t->waker = -1;
	t->class = parent >= 0 ? mt.tasks[parent].class : 0;
	if (pid == mt.root && !mt.root_seen) {
		mt.root_seen = 1;
	} else {
		t->counted = 1;
		if (!mt.any_fork++)
			mt.first_fork = born;
		/* What was counted until the fork before was not the whole burst */
		mt.last_fork = born;
		mt.r.burst_migrations = mt.nr_migrations;
		mt.r.burst_sleeps = mt.nr_sleeps;
		memset(mt.r.settled, 0, sizeof(mt.r.settled));
		memset(mt.r.moves_settled, 0, sizeof(mt.r.moves_settled));
		spread_restart(&mt.r.spread);
	}
	*pid_slot(pid) = mt.nr_tasks;
	return mt.nr_tasks++;
}

static int lookup(int pid)
{
	return pid > 0 ? *pid_slot(pid) : -1;
}

static int resolve_child(int parent, int pid, const char *comm, sim_u64 born)
{
	if (pid <= 0)
		return -1;
	if (parent < 0 && !(pid == mt.root && !mt.root_seen)) {
		/* Another process's child, even if one of ours had this pid. */
		*pid_slot(pid) = -1;
		return -1;
	}
	return new_task(pid, comm, parent, born);
}

static int resolve_new(const struct event *ev)
{
	int task = lookup(ev->pid);
	struct task *t = task >= 0 ? &mt.tasks[task] : NULL;

	/* Without its fork event: the parent is the task that logs this. */
	if (!t || t->dead || t->woken_new || t->ran)
		task = resolve_child(lookup(ev->cur_pid), ev->pid, ev->comm, ev->time);
	if (task >= 0)
		mt.tasks[task].woken_new = 1;
	return task;
}

static void resolve(const struct event *ev, int *task, int *task2)
{
	struct cpu_state *c = &mt.cpus[ev->cpu];

	*task2 = -1;
	switch (ev->type) {
	case SIM_EV_SWITCH:
		/* A pid may have a new owner before the last one is switched out. */
		*task = c->resolved;
		if (*task < 0 || mt.tasks[*task].pid != ev->pid)
			*task = lookup(ev->pid);
		*task2 = lookup(ev->next_pid);
		c->resolved = *task2;
		if (*task >= 0)
			mt.tasks[*task].ran = 1;
		if (*task2 >= 0)
			mt.tasks[*task2].ran = 1;
		break;
	case SIM_EV_FORK:
		*task = lookup(ev->pid);
		*task2 = resolve_child(*task, ev->next_pid, ev->next_comm, ev->time);
		break;
	case SIM_EV_WAKEUP_NEW:
		*task = resolve_new(ev);
		break;
	default:
		*task = lookup(ev->pid);
		if (ev->type == SIM_EV_EXIT && *task >= 0)
			mt.tasks[*task].dead = 1;
		break;
	}
}

/* ---- the feed ---- */

/* Not among the events that schedplace knows, so nothing else may come of it */
static void waking(const struct event *ev)
{
	int task = lookup(ev->pid);

	if (task < 0)
		return;
	mt.tasks[task].waking = ev->time;
	mt.tasks[task].is_waking = 1;
	mt.tasks[task].waker = lookup(ev->cur_pid) >= 0 ? ev->cpu : -1;
}

static void note(const struct event *ev)
{
	struct cpu_state *c;
	struct task *t;
	int task;

	advance(ev->time);
	if (ev->type == EV_ALLOWED) {
		task = lookup(ev->pid);
		if (task < 0)
			return;
		t = &mt.tasks[task];
		if (on_cpu(t))
			add_nr(t, -1);
		t->class = ev->target;
		if (on_cpu(t))
			add_nr(t, 1);
		return;
	}
	c = &mt.cpus[ev->target];
	cpu_begin(c);
	c->offline = ev->type == EV_OFFLINE;
	cpu_end(c);
}

/* What others do only counts if one of the workload's tasks still follows. */
static void run_flips(sim_u64 until)
{
	unsigned long i;

	for (i = 0; i < mt.nr_flips && mt.flips[i].time <= until; i++) {
		advance(mt.flips[i].time);
		set_idle(mt.flips[i].cpu, mt.flips[i].idle);
	}
	mt.nr_flips = 0;
}

static void other_switch(const struct event *ev)
{
	struct flip *f;

	mt.flips = xgrow(mt.flips, mt.nr_flips, &mt.cap_flips, sizeof(*mt.flips));
	f = &mt.flips[mt.nr_flips++];
	f->time = ev->time;
	f->cpu = ev->cpu;
	f->idle = !ev->next_pid;
}

/**
 * metrics_event - count an event
 * @ev: in the order of their times
 *
 * Return: true if the workload has begun, and with it the trace.
 */
int metrics_event(const struct event *ev)
{
	int task, task2;

	if (!mt.root) {
		if (ev->type == SIM_EV_SWITCH)
			set_idle(ev->cpu, !ev->next_pid);
		else if (ev->type == EV_ARM)
			mt.init = ev->pid;
		else if (ev->type >= EV_ALLOWED)
			note(ev);
		if (!mt.init || ev->type != SIM_EV_FORK || ev->pid != mt.init)
			return 0;
		mt.root = ev->next_pid;
		mt.now = ev->time;
		mt.r.start = ev->time;
		mt.last_fork = ev->time;
	}
	if (ev->type >= EV_ALLOWED) {
		run_flips(ev->time);
		note(ev);
		return 0;
	}
	if (ev->type == SIM_EV_WAKING) {
		waking(ev);
		return 1;
	}
	if (ev->type == SIM_EV_SWITCH)
		mt.r.switches++;
	resolve(ev, &task, &task2);
	if (task < 0 && task2 < 0) {
		/* A task of ours that runs there all the same: its end was lost */
		if (ev->type == SIM_EV_SWITCH && mt.cpus[ev->cpu].curr < 0)
			other_switch(ev);
		else if (ev->type == SIM_EV_SWITCH)
			account(ev, task, task2);
		return 1;
	}
	run_flips(ev->time);
	account(ev, task, task2);
	mt.r.end = ev->time;
	return 1;
}

/**
 * metrics_start - begin to follow the CPUs
 * @m: the machine, which stays
 * @allowed: CPUs that the workload may use
 *
 * Before the boot, so that it is known what each CPU does.
 */
void metrics_start(const struct sim_machine *m, const struct sim_mask *allowed)
{
	struct spread *s = &mt.r.spread;
	struct cpu_state *c;
	int cpu;

	mt.m = m;
	s->nr = xcalloc(m->nr_cpus, sizeof(*s->nr));
	s->allowed = xcalloc(m->nr_cpus, sizeof(*s->allowed));
	s->nr_clusters = m->nr_cpus;
	for (cpu = 0; cpu < m->nr_cpus; cpu++) {
		c = &mt.cpus[cpu];
		c->curr = -1;
		c->resolved = -1;
		c->allowed = mask_test(allowed, cpu);
		c->idle = 1;
		mt.nr_idle += c->allowed;
		s->allowed[m->cpu[cpu].cluster] |= c->allowed;
	}
	metrics_class(allowed);
}

/**
 * metrics_arm - the next process that init makes is the workload
 * @init_pid: init's PID
 */
void metrics_arm(int init_pid)
{
	events_note(EV_ARM, init_pid, 0);
}

/**
 * metrics_root - the workload's root process
 *
 * Return: its PID, 0 if it has not been made.
 */
int metrics_root(void)
{
	return mt.root;
}

static void count_sets(const struct sim_mask *cpus, int nr[4])
{
	struct sim_mask llcs = {}, nodes = {}, clusters = {};
	int cpu;

	memset(nr, 0, 4 * sizeof(*nr));
	for (cpu = 0; cpu < mt.m->nr_cpus; cpu++) {
		if (!mask_test(cpus, cpu))
			continue;
		mask_set(&llcs, mt.m->cpu[cpu].llc);
		mask_set(&nodes, mt.m->cpu[cpu].node);
		mask_set(&clusters, mt.m->cpu[cpu].cluster);
		nr[0]++;
	}
	for (cpu = 0; cpu < SIM_MAX_CPUS; cpu++) {
		nr[1] += mask_test(&llcs, cpu);
		nr[2] += mask_test(&nodes, cpu);
		nr[3] += mask_test(&clusters, cpu);
	}
}

/**
 * metrics_finish - end the run
 * @r: takes its figures
 */
void metrics_finish(struct metrics_result *r)
{
	struct sim_mask first = {};
	unsigned long i;
	int cpu;

	events_flush();
	run_flips(mt.r.end);
	for (cpu = 0; cpu < mt.m->nr_cpus; cpu++) {
		end_stack(cpu);
		stop_running(cpu, 1);
	}
	for (i = 0; i < mt.nr_tasks; i++) {
		if (mt.tasks[i].state == TASK_QUEUED)
			mt.tasks[i].wait_ns += mt.now - mt.tasks[i].queued;
	}
	*r = mt.r;
	r->burst_ns = mt.any_fork ? mt.last_fork - mt.first_fork : 0;
	for (i = 0; i < mt.nr_tasks; i++) {
		const struct task *t = &mt.tasks[i];

		if (!t->counted)
			continue;
		r->tasks++;
		if (t->first_cpu < 0)
			continue;
		mask_set(&first, t->first_cpu);
		if (++mt.cpus[t->first_cpu].first > r->max_stack_first)
			r->max_stack_first = mt.cpus[t->first_cpu].first;
	}
	count_sets(&first, r->distinct);
	count_sets(&mt.used, r->used);
	r->spread.nr = NULL;
	r->spread.allowed = NULL;
	hist_read(&mt.wakeup, &r->wakeup);
	hist_read(&mt.queue, &r->queue);
	hist_read(&mt.first, &r->first);
}

/**
 * metrics_first_placements - where the tasks were first placed
 * @nr: takes how many there are
 *
 * Return: the CPUs, in the order in which the tasks were made; to be freed.
 */
int *metrics_first_placements(int *nr)
{
	int *list = xcalloc(mt.nr_tasks, sizeof(*list));
	unsigned long i;

	*nr = 0;
	for (i = 0; i < mt.nr_tasks; i++) {
		if (mt.tasks[i].counted && mt.tasks[i].first_cpu >= 0)
			list[(*nr)++] = mt.tasks[i].first_cpu;
	}
	return list;
}

/**
 * metrics_tasks - what each of the counted tasks met with
 * @nr: takes how many there are
 *
 * After metrics_finish().
 *
 * Return: one entry a task, in the order in which they were made; to be freed.
 */
struct metrics_task *metrics_tasks(int *nr)
{
	struct metrics_task *list = xcalloc(mt.nr_tasks, sizeof(*list)), *out = list;
	unsigned long i;

	for (i = 0; i < mt.nr_tasks; i++) {
		const struct task *t = &mt.tasks[i];

		if (!t->counted)
			continue;
		*out = (struct metrics_task) {
			.pid = t->pid,
			.run_ns = t->run_ns,
			.wait_ns = t->wait_ns,
			.first_cpu = t->first_cpu,
			.last_cpu = t->cpu,
			.migrations = t->migrations,
		};
		memcpy(out++->comm, t->comm, sizeof(t->comm));
	}
	*nr = out - list;
	return list;
}
