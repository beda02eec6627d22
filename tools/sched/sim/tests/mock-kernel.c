// SPDX-License-Identifier: GPL-2.0
/*
 * A toy in the place of the simulated kernel, for tests of the program around
 * it: FIFO runqueues, a slice, an idle CPU that pulls. It decides nothing as
 * the kernel would; its events are of the right shape, though, and come
 * slightly out of order, as those of the real one may.
 *
 * MOCK=panic, MOCK=violation, MOCK=hang: what the program must cope with.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "util.h"

#define SLICE_NS	(4 * NSEC_PER_MSEC)
#define SKEW_NS		700	/* events are off by up to this */
#define LATENCY_NS	1500	/* from a wakeup to an idle CPU's switch */

enum state { QUEUED, RUNNING, SLEEPING, DEAD };

struct task {
	ucontext_t ctx;
	void *stack;
	void (*fn)(void *arg);
	void *arg;
	char comm[SIM_COMM_LEN];
	int pid, cpu, state, timed_out, must_move;
	unsigned long gen;	/* of its timer */
	sim_u64 remain;
	struct sim_mask mask;
	struct task *next;	/* on a runqueue or wait queue */
	struct sim_waitq *q;
};

struct sim_waitq {
	struct task *head, **tail;
};

static struct cpu {
	struct task *curr, *head, **tail;
	int nr, offline;
	unsigned long gen;	/* of its timer */
	sim_u64 started;
} cpus[SIM_MAX_CPUS];

/* A timer is a task's, or a CPU's: look what to do there */
static struct timer {
	sim_u64 time;
	unsigned long seq, gen;
	struct task *t;
	int cpu;
} *heap;
static unsigned long nr_heap, cap_heap, seq;

static const struct sim_machine *m;
static sim_u64 now, seed, events;
static unsigned long violations;
static int next_pid = 1, this_cpu, finished;
static ucontext_t main_ctx;
static struct task **tasks;
static unsigned long nr_tasks, cap_tasks;

/* ---- randomness, events, timers ---- */

unsigned int sim_random(unsigned int n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return n ? (seed >> 33) % n : 0;
}

static void emit(int type, struct task *t, struct task *next, const char *state, int target,
		 int orig, int idle)
{
	struct task *curr = cpus[this_cpu].curr;
	struct sim_event e = {
		.time = now + sim_random(SKEW_NS), .type = type, .cpu = this_cpu,
		.cur_pid = curr ? curr->pid : 0, .cur_comm = curr ? curr->comm : "swapper",
		.pid = t ? t->pid : 0, .comm = t ? t->comm : "swapper", .prio = 120,
		.state = state, .target = target, .orig = orig, .allowed_idle = idle,
		.next_pid = next ? next->pid : 0, .next_comm = next ? next->comm : "swapper",
		.next_prio = 120,
	};

	host_event(&e);
}

static int before(const struct timer *a, const struct timer *b)
{
	return a->time != b->time ? a->time < b->time : a->seq < b->seq;
}

static void add_timer(sim_u64 time, struct task *t, int cpu, unsigned long gen)
{
	struct timer n = { .time = time, .seq = seq++, .gen = gen, .t = t, .cpu = cpu };
	unsigned long i;

	heap = xgrow(heap, nr_heap, &cap_heap, sizeof(*heap));
	for (i = nr_heap++; i && before(&n, &heap[(i - 1) / 2]); i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = n;
}

static struct timer pop_timer(void)
{
	struct timer top = heap[0], last = heap[--nr_heap];
	unsigned long i = 0, c;

	while ((c = 2 * i + 1) < nr_heap) {
		if (c + 1 < nr_heap && before(&heap[c + 1], &heap[c]))
			c++;
		if (!before(&heap[c], &last))
			break;
		heap[i] = heap[c];
		i = c;
	}
	heap[i] = last;
	return top;
}

/* ---- runqueues ---- */

static int allowed(const struct task *t, int cpu)
{
	return mask_test(&t->mask, cpu) && !cpus[cpu].offline;
}

static int load(int cpu)
{
	return cpus[cpu].nr + !!cpus[cpu].curr;
}

static int pick_cpu(const struct task *t, int prev)
{
	int i, cpu, best = -1, start = sim_random(m->nr_cpus);

	if (prev >= 0 && allowed(t, prev) && !load(prev) && sim_random(8))
		return prev;
	for (i = 0; i < m->nr_cpus; i++) {
		cpu = (start + i) % m->nr_cpus;
		if (allowed(t, cpu) && (best < 0 || load(cpu) < load(best)))
			best = cpu;
	}
	/* Now and then a bad choice, or there would be nothing to count */
	if (!sim_random(4) && allowed(t, start))
		best = start;
	return best < 0 ? prev : best;
}

static void enqueue(struct task *t, int cpu)
{
	struct cpu *c = &cpus[cpu];

	t->cpu = cpu;
	t->state = QUEUED;
	t->next = NULL;
	*c->tail = t;
	c->tail = &t->next;
	c->nr++;
	if (!c->curr)
		add_timer(now + LATENCY_NS, NULL, cpu, ++c->gen);
}

static struct task *dequeue(int cpu, int for_cpu)
{
	struct cpu *c = &cpus[cpu];
	struct task **p, *t;

	for (p = &c->head; *p && !mask_test(&(*p)->mask, for_cpu); p = &(*p)->next)
		;
	t = *p;
	if (t) {
		*p = t->next;
		if (!*p)
			c->tail = p;
		c->nr--;
	}
	return t;
}

/* From a CPU that it may not use any more to another */
static void requeue(struct task *t)
{
	struct cpu *c = &cpus[t->cpu];
	struct task **p;
	int to = pick_cpu(t, -1);

	if (to < 0)
		return;
	for (p = &c->head; *p != t; p = &(*p)->next)
		;
	*p = t->next;
	if (!*p)
		c->tail = p;
	c->nr--;
	emit(SIM_EV_MIGRATE, t, NULL, NULL, to, t->cpu, 0);
	enqueue(t, to);
}

static struct task *pull(int cpu)
{
	struct task *t;
	int i, from;

	for (i = 1; i < m->nr_cpus; i++) {
		from = (cpu + i) % m->nr_cpus;
		if (!cpus[from].nr || !cpus[from].curr)
			continue;
		t = dequeue(from, cpu);
		if (t) {
			emit(SIM_EV_MIGRATE, t, NULL, NULL, cpu, from, 0);
			t->cpu = cpu;
			return t;
		}
	}
	return NULL;
}

static void wake(struct task *t, int type)
{
	int i, idle = 0, prev = t->cpu, cpu = pick_cpu(t, prev);

	for (i = 0; i < m->nr_cpus; i++)
		idle |= allowed(t, i) && !load(i);
	emit(SIM_EV_WAKING, t, NULL, NULL, cpu, 0, 0);
	if (type == SIM_EV_WAKEUP && cpu != prev)
		emit(SIM_EV_MIGRATE, t, NULL, NULL, cpu, prev, 0);
	emit(type, t, NULL, NULL, cpu, 0, idle);
	t->gen++;
	enqueue(t, cpu);
}

/* ---- the CPU's turn ---- */

static void entry(void)
{
	struct task *t = cpus[this_cpu].curr;

	t->fn(t->arg);
	sim_exit();
}

static void to_main(void)
{
	struct task *t = cpus[this_cpu].curr;

	swapcontext(&t->ctx, &main_ctx);
}

static void switch_to(int cpu, struct task *prev, const char *state, struct task *next)
{
	struct cpu *c = &cpus[cpu];

	if (prev == next)
		return;
	emit(SIM_EV_SWITCH, prev, next, state, 0, 0, 0);
	c->curr = next;
	if (next)
		next->state = RUNNING;
	c->started = now;
}

static void reschedule(int cpu)
{
	struct cpu *c = &cpus[cpu];
	struct task *prev = c->curr, *next;
	const char *state = "R";
	int to;

	if (prev && prev->state == RUNNING && prev->must_move) {
		prev->must_move = 0;
		to = pick_cpu(prev, -1);
		next = dequeue(cpu, cpu);
		switch_to(cpu, prev, "R+", next);
		emit(SIM_EV_MIGRATE, prev, NULL, NULL, to, cpu, 0);
		enqueue(prev, to);
		return;
	}
	next = dequeue(cpu, cpu);
	if (!next && (!prev || prev->state != RUNNING))
		next = pull(cpu);
	if (prev && prev->state == RUNNING) {
		if (!next)
			return;
		switch_to(cpu, prev, "R+", next);
		enqueue(prev, cpu);
		return;
	}
	if (prev)
		state = prev->state == DEAD ? "Z" : "S";
	switch_to(cpu, prev, state, next);
	if (prev && prev->state == DEAD)
		host_stack_free(prev->stack);
}

static void run_cpu(int cpu)
{
	struct cpu *c = &cpus[cpu];
	sim_u64 slice;

	this_cpu = cpu;
	c->gen++;
	if (c->curr) {
		sim_u64 ran = now - c->started;

		c->curr->remain -= ran < c->curr->remain ? ran : c->curr->remain;
		c->started = now;
		if (c->curr->remain)
			reschedule(cpu);
	} else {
		reschedule(cpu);
	}
	while (c->curr && !finished) {
		/* What a task does between two computations takes no time here */
		if (!c->curr->remain) {
			swapcontext(&main_ctx, &c->curr->ctx);
			this_cpu = cpu;
			if (c->curr->state != RUNNING || c->curr->must_move)
				reschedule(cpu);
			continue;
		}
		slice = c->curr->remain < SLICE_NS ? c->curr->remain : SLICE_NS;
		add_timer(now + slice, NULL, cpu, ++c->gen);
		return;
	}
}

static void finish(void *arg)
{
	void (**init)(void *arg) = arg;

	(*init)(init[1]);
	finished = 1;
}

static struct task *new_task(const char *comm, void (*fn)(void *arg), void *arg)
{
	struct task *t = xcalloc(1, sizeof(*t));

	tasks = xgrow(tasks, nr_tasks, &cap_tasks, sizeof(*tasks));
	tasks[nr_tasks++] = t;
	snprintf(t->comm, sizeof(t->comm), "%.15s", comm);
	t->pid = next_pid++;
	t->cpu = -1;
	t->fn = fn;
	t->arg = arg;
	t->stack = host_stack_alloc();
	host_stack_reset(t->stack);
	getcontext(&t->ctx);
	t->ctx.uc_stack.ss_sp = t->stack;
	t->ctx.uc_stack.ss_size = SIM_STACK_SIZE;
	makecontext(&t->ctx, entry, 0);
	return t;
}

/* ---- the border ---- */

static void unlink_waiter(struct sim_waitq *q, struct task *t)
{
	struct task **p;

	for (p = &q->head; *p && *p != t; p = &(*p)->next)
		;
	if (!*p)
		return;
	*p = t->next;
	if (!*p)
		q->tail = p;
}

void sim_boot(const struct sim_machine *machine, const struct sim_params *p,
	      void (*init)(void *arg), void *arg)
{
	void *call[] = { init, arg };
	struct task *t;
	int cpu;

	m = machine;
	seed = p->seed;
	now = 100 * NSEC_PER_MSEC;
	for (cpu = 0; cpu < m->nr_cpus; cpu++)
		cpus[cpu].tail = &cpus[cpu].head;
	if (!p->quiet)
		host_write('6', "mock: booted\n", 13);
	t = new_task("init", finish, call);
	for (cpu = 0; cpu < m->nr_cpus; cpu++)
		mask_set(&t->mask, cpu);
	enqueue(t, 0);
	while (!finished && nr_heap) {
		struct timer n = pop_timer();

		now = n.time;
		events++;
		if (n.t && n.gen == n.t->gen && n.t->state == SLEEPING) {
			n.t->timed_out = 1;
			this_cpu = n.t->cpu;
			if (n.t->q)
				unlink_waiter(n.t->q, n.t);
			wake(n.t, SIM_EV_WAKEUP);
		} else if (!n.t && n.gen == cpus[n.cpu].gen) {
			run_cpu(n.cpu);
		}
	}
}

void sim_defaults(struct sim_params *p)
{
	int i;

	memset(p, 0, sizeof(*p));
	for (i = 0; i < SIM_NR_COSTS; i++)
		p->cost[i] = 100 * i;
	p->jitter = 50;
}

const char *sim_cost_name(int cost)
{
	static const char *const names[] = {
		"irq", "tick", "switch", "wakeup", "fork", "exec", "exit", "syscall", "scan",
		"ipi", "ipi-send", "idle-exit", "timer", "relax",
	};

	return cost >= 0 && cost < SIM_NR_COSTS ? names[cost] : NULL;
}

void sim_reseed(sim_u64 s)
{
	seed = s;
}

unsigned long sim_violations(void)
{
	return violations;
}

sim_u64 sim_now(void)
{
	return now;
}

sim_u64 sim_events(void)
{
	return events;
}

int sim_cpu(void)
{
	return this_cpu;
}

int sim_pid(void)
{
	return cpus[this_cpu].curr->pid;
}

void sim_print_domains(int cpu)
{
	char text[64];

	host_write('6', text, snprintf(text, sizeof(text), "cpu%d: domain0 MC\n", cpu));
}

const char *sim_release(void)
{
	return "6.1.192-mock";
}

int sim_kunit(void)
{
	static const char tap[] = "    # Subtest: mock\n    1..1\n    ok 1 - works\nok 1 - mock\n";

	host_write('6', tap, sizeof(tap) - 1);
	host_write('6', "not for stdout\n", 15);
	host_write('4', "a warning\n", 10);
	return getenv("MOCK") ? 1 : 0;
}

void sim_run(sim_u64 ns)
{
	cpus[this_cpu].curr->remain = ns + sim_random(1000);
	if (ns)
		to_main();
}

static void block(sim_u64 until)
{
	struct task *t = cpus[this_cpu].curr;

	t->state = SLEEPING;
	t->timed_out = 0;
	if (until)
		add_timer(until, t, 0, ++t->gen);
	to_main();
}

void sim_sleep(sim_u64 ns)
{
	block(now + (ns ? ns : 1));
}

void sim_sleep_until(sim_u64 t)
{
	block(t > now ? t : now + 1);
}

void sim_yield(void)
{
	sim_run(1);
}

int sim_clone(const struct sim_clone *c)
{
	struct task *parent = cpus[this_cpu].curr, *t = new_task(c->name, c->fn, c->arg);
	const char *mock = getenv("MOCK");

	t->mask = parent->mask;
	emit(SIM_EV_FORK, parent, t, NULL, 0, 0, 0);
	if (mock && !strcmp(mock, "panic") && t->pid > 3)
		host_panic("mock: no reason at all\n");
	if (mock && !strcmp(mock, "violation") && t->pid == 4) {
		violations++;
		host_violation("mock", "the mock was asked to violate it\n");
	}
	now += SKEW_NS;
	wake(t, SIM_EV_WAKEUP_NEW);
	return t->pid;
}

int sim_exec(const char *name)
{
	struct task *t = cpus[this_cpu].curr;
	int cpu = pick_cpu(t, -1);

	if (cpu != this_cpu) {
		t->must_move = 1;
		to_main();
	}
	snprintf(t->comm, sizeof(t->comm), "%.15s", name);
	emit(SIM_EV_EXEC, t, NULL, NULL, 0, 0, 0);
	return 0;
}

void sim_set_rss(unsigned long pages)
{
	(void)pages;
}

void sim_exit(void)
{
	struct task *t = cpus[this_cpu].curr;

	emit(SIM_EV_EXIT, t, NULL, NULL, 0, 0, 0);
	now += SKEW_NS;
	t->state = DEAD;
	to_main();
}

struct sim_waitq *sim_waitq_new(void)
{
	struct sim_waitq *q = xcalloc(1, sizeof(*q));

	q->tail = &q->head;
	return q;
}

void sim_waitq_free(struct sim_waitq *q)
{
	free(q);
}

static int wait_until(struct sim_waitq *q, sim_u64 until)
{
	struct task *t = cpus[this_cpu].curr;

	t->next = NULL;
	*q->tail = t;
	q->tail = &t->next;
	t->q = q;
	block(until);
	t->q = NULL;
	return t->timed_out;
}

void sim_wait(struct sim_waitq *q)
{
	wait_until(q, 0);
}

int sim_wait_timeout(struct sim_waitq *q, sim_u64 ns)
{
	return wait_until(q, now + ns);
}

int sim_wake(struct sim_waitq *q, int nr)
{
	struct task *t;
	const char *mock = getenv("MOCK");
	int woken = 0;

	if (mock && !strcmp(mock, "hang"))
		return 0;
	while (q->head && woken < nr) {
		t = q->head;
		unlink_waiter(q, t);
		wake(t, SIM_EV_WAKEUP);
		woken++;
	}
	return woken;
}

int sim_wake_sync(struct sim_waitq *q)
{
	return sim_wake(q, 1);
}

static struct task *find(int pid)
{
	unsigned long i;

	if (!pid)
		return cpus[this_cpu].curr;
	for (i = 0; i < nr_tasks; i++) {
		if (tasks[i]->pid == pid && tasks[i]->state != DEAD)
			return tasks[i];
	}
	return NULL;
}

int sim_setaffinity(int pid, const struct sim_mask *mask)
{
	struct task *t = find(pid);

	if (!t)
		return -ESRCH;
	t->mask = *mask;
	if (t->state == QUEUED && !allowed(t, t->cpu)) {
		requeue(t);
	} else if (t->state == RUNNING && !allowed(t, t->cpu)) {
		t->must_move = 1;
		if (t == cpus[this_cpu].curr)
			to_main();
	}
	return 0;
}

int sim_getaffinity(int pid, struct sim_mask *mask)
{
	struct task *t = find(pid);

	if (!t)
		return -ESRCH;
	*mask = t->mask;
	return 0;
}

int sim_setattr(int pid, const struct sim_attr *attr)
{
	(void)attr;
	return find(pid) ? 0 : -ESRCH;
}

int sim_nice(int pid, int nice)
{
	(void)nice;
	return find(pid) ? 0 : -ESRCH;
}

int sim_cgroup_mkdir(const char *path)
{
	return *path ? 0 : -EEXIST;
}

int sim_cgroup_rmdir(const char *path)
{
	(void)path;
	return 0;
}

int sim_cgroup_write(const char *path, const char *file, const char *value)
{
	(void)path;
	(void)value;
	return strncmp(file, "cpu", 3) ? -ENOENT : 0;
}

int sim_cgroup_read(const char *path, const char *file, char *buf, int size)
{
	(void)path;
	(void)file;
	(void)buf;
	(void)size;
	return 0;
}

int sim_cgroup_attach(const char *path, int pid)
{
	(void)path;
	return find(pid) ? 0 : -ESRCH;
}

int sim_cpu_down(int cpu)
{
	if (cpus[cpu].offline)
		return -EINVAL;
	cpus[cpu].offline = 1;
	return 0;
}

int sim_cpu_up(int cpu)
{
	if (!cpus[cpu].offline)
		return -EINVAL;
	cpus[cpu].offline = 0;
	return 0;
}

int sim_debugfs_write(const char *path, const char *value)
{
	(void)path;
	(void)value;
	return 0;
}

int sim_debugfs_read(const char *path, char *buf, int size)
{
	(void)path;
	(void)buf;
	(void)size;
	return 0;
}

int sim_feature(const char *name)
{
	return strcmp(name + (strncmp(name, "NO_", 3) ? 0 : 3), "MOCK") ? -ENOENT : 0;
}
