// SPDX-License-Identifier: GPL-2.0
/*
 * Run a workload on a machine that always has a free CPU, and log what each
 * thread asked the kernel for and when. For wl-run; the kernel side of
 * sim_host.h as far as rtapp.c uses it.
 *
 *	wl-mock [--cpus N] [--nodes N] [--load] [--no-barrier] [--seed N] [--slow N]
 *		[--quiet] FILE
 *
 * --load only loads the file; --slow makes computing take N times as long, as
 * preemption would; --seed lets calls take up to 2 us, so that other threads
 * come between. It is strict: a thread that nothing can wake any more, a waker
 * of more threads than wait, or a stack that is too small ends it with status 3.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "compiler.h"
#include "workload.h"

#define STACK_LIMIT	(SIM_STACK_SIZE / 4)
#define FILL		0x5a

struct task {
	ucontext_t ctx;
	unsigned char *stack;
	char comm[SIM_COMM_LEN];
	int pid, done, timed_out;
	void (*fn)(void *arg);
	void *arg;
	sim_u64 when;		/* to run at, if @queued */
	unsigned long seq;
	int queued;
	struct sim_waitq *q;	/* waits there */
	struct task *next;
	struct sim_mask mask;
};

struct sim_waitq {
	struct task *head;
};

static struct task **tasks, *curr;
static int nr_tasks, nr_waitq, cpus = 8, nodes = 1, slow = 1, quiet;
static sim_u64 now, seed;
static unsigned long seq;
static ucontext_t loop;
static char groups[64][64];
static int nr_groups;
static struct workload *w;
static struct workload_opts opts;
static int status;

static void out(const char *fmt, ...) __printf(1, 2);

static void out(const char *fmt, ...)
{
	va_list ap;

	if (quiet)
		return;
	printf("%llu", now / 1000);
	if (now % 1000)
		printf(".%03llu", now % 1000);
	printf(" %s/%d ", curr->comm, curr->pid);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

static void die(const char *fmt, ...) __printf(1, 2) __noreturn;

static void die(const char *fmt, ...)
{
	va_list ap;
	int i;

	va_start(ap, fmt);
	printf("mock: ");
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	for (i = 0; i < nr_tasks; i++) {
		if (!tasks[i]->done && tasks[i]->q)
			printf("mock: %s/%d waits\n", tasks[i]->comm, tasks[i]->pid);
	}
	exit(3);
}

static void queue_at(struct task *t, sim_u64 when)
{
	t->when = when;
	t->seq = seq++;
	t->queued = 1;
}

static void leave(void)
{
	struct task *t = curr;

	swapcontext(&t->ctx, &loop);
}

static void pass(sim_u64 ns)
{
	queue_at(curr, now + ns);
	leave();
}

/* With a seed, a call takes a while. */
static void cost(void)
{
	if (!seed)
		return;
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	pass((seed >> 33) % 2001);
}

static void entry(void)
{
	curr->fn(curr->arg);
	out("exit");
	curr->done = 1;
	leave();
}

static struct task *new_task(const char *name, void (*fn)(void *arg), void *arg)
{
	struct task *t = calloc(1, sizeof(*t));
	int i;

	tasks = realloc(tasks, (nr_tasks + 1) * sizeof(*tasks));
	tasks[nr_tasks++] = t;
	t->stack = malloc(SIM_STACK_SIZE);
	memset(t->stack, FILL, SIM_STACK_SIZE);
	snprintf(t->comm, sizeof(t->comm), "%s", name);
	t->pid = nr_tasks;
	t->fn = fn;
	t->arg = arg;
	for (i = 0; i < cpus; i++)
		t->mask.w[i / 64] |= 1ULL << i % 64;
	getcontext(&t->ctx);
	t->ctx.uc_stack.ss_sp = t->stack;
	t->ctx.uc_stack.ss_size = SIM_STACK_SIZE;
	makecontext(&t->ctx, entry, 0);
	queue_at(t, now);
	return t;
}

/* ---- what a task does ---- */

sim_u64 sim_now(void)
{
	return now;
}

int sim_pid(void)
{
	return curr->pid;
}

void sim_run(sim_u64 ns)
{
	out("run %llu", ns / 1000);
	pass(ns * slow);
}

void sim_sleep(sim_u64 ns)
{
	out("sleep %llu", ns / 1000);
	pass(ns);
}

void sim_sleep_until(sim_u64 t)
{
	out("sleep until %llu", t / 1000);
	pass(t > now ? t - now : 0);
}

void sim_yield(void)
{
	out("yield");
	pass(0);
}

int sim_clone(const struct sim_clone *c)
{
	struct task *t;

	t = new_task(c->name, c->fn, c->arg);
	out("%s %s/%d", c->flags ? "clone" : "fork", t->comm, t->pid);
	cost();
	return t->pid;
}

struct sim_waitq *sim_waitq_new(void)
{
	nr_waitq++;
	return calloc(1, sizeof(struct sim_waitq));
}

void sim_waitq_free(struct sim_waitq *q)
{
	if (q->head)
		die("%s/%d waits in a queue that is freed", q->head->comm, q->head->pid);
	nr_waitq--;
	free(q);
}

static void wait_in(struct sim_waitq *q)
{
	struct task **p;

	for (p = &q->head; *p; p = &(*p)->next)
		;
	*p = curr;
	curr->next = NULL;
	curr->q = q;
}

void sim_wait(struct sim_waitq *q)
{
	out("wait");
	wait_in(q);
	leave();
}

int sim_wait_timeout(struct sim_waitq *q, sim_u64 ns)
{
	out("wait for %llu", ns / 1000);
	wait_in(q);
	queue_at(curr, now + ns);
	leave();
	return curr->timed_out;
}

static struct task *unwait(struct task *t)
{
	struct task **p;

	for (p = &t->q->head; *p != t; p = &(*p)->next)
		;
	*p = t->next;
	t->q = NULL;
	return t;
}

static int wake(struct sim_waitq *q, int nr, const char *how)
{
	struct task *t;
	int n;

	for (n = 0; n < nr; n++) {
		t = q->head;
		if (!t)
			die("%s/%d wakes %d, but %d wait", curr->comm, curr->pid, nr, n);
		unwait(t);
		t->timed_out = 0;
		queue_at(t, now);
		out("%s %s/%d", how, t->comm, t->pid);
	}
	cost();
	return n;
}

int sim_wake(struct sim_waitq *q, int nr)
{
	return wake(q, nr, "wake");
}

int sim_wake_sync(struct sim_waitq *q)
{
	return wake(q, 1, "wake-sync");
}

static const char *list(const struct sim_mask *mask, char *buf)
{
	char *s = buf;
	int i;

	*s = '\0';
	for (i = 0; i < SIM_MAX_CPUS; i++) {
		if (mask->w[i / 64] >> i % 64 & 1)
			s += sprintf(s, "%s%d", s == buf ? "" : ",", i);
	}
	return buf;
}

int sim_setaffinity(int pid, const struct sim_mask *mask)
{
	char buf[SIM_MAX_CPUS * 4];

	(void)pid;
	out("affinity %s", list(mask, buf));
	curr->mask = *mask;
	cost();
	return 0;
}

int sim_getaffinity(int pid, struct sim_mask *mask)
{
	(void)pid;
	*mask = curr->mask;
	return 0;
}

/* As the kernel, it takes no SCHED_DEADLINE beyond the capacity of a CPU. */
int sim_setattr(int pid, const struct sim_attr *a)
{
	(void)pid;
	if (a->policy == SIM_DEADLINE)
		out("deadline %llu/%llu/%llu", a->runtime / 1000, a->deadline / 1000,
		    a->period / 1000);
	else
		out("policy %d nice %d priority %d util %d..%d", a->policy, a->nice, a->priority,
		    a->util_min, a->util_max);
	cost();
	return a->policy == SIM_DEADLINE && a->runtime == a->period ? -EBUSY : 0;
}

static int find_group(const char *path)
{
	int i;

	for (i = 0; i < nr_groups && strcmp(groups[i], path); i++)
		;
	return i;
}

int sim_cgroup_mkdir(const char *path)
{
	char up[64];

	snprintf(up, sizeof(up), "%s", path);
	if (strchr(up, '/')) {
		*strrchr(up, '/') = '\0';
		if (find_group(up) == nr_groups)
			return -ENOENT;
	}
	if (find_group(path) < nr_groups)
		return -EEXIST;
	snprintf(groups[nr_groups++], 64, "%s", path);
	out("mkdir %s", path);
	return 0;
}

int sim_cgroup_rmdir(const char *path)
{
	int i = find_group(path);

	out("rmdir %s", path);
	if (i == nr_groups)
		die("no group %s to remove", path);
	memmove(groups[i], groups[i + 1], (nr_groups - i - 1) * sizeof(groups[0]));
	nr_groups--;
	return 0;
}

int sim_cgroup_attach(const char *path, int pid)
{
	out("attach /%s", path);
	if (pid != curr->pid)
		die("attaches another thread");
	if (*path && find_group(path) == nr_groups)
		return -ENOENT;
	cost();
	return 0;
}

void host_write(char level, const char *text, unsigned long len)
{
	printf("<%c>%.*s", level, (int)len, text);
}

/* ---- the machine ---- */

static void check_stack(const struct task *t)
{
	int used;

	for (used = SIM_STACK_SIZE; used && t->stack[SIM_STACK_SIZE - used] == FILL; used--)
		;
#ifndef __SANITIZE_ADDRESS__
	if (used > STACK_LIMIT)
		die("%s/%d used %d bytes of its stack", t->comm, t->pid, used);
#endif
}

static void run_all(void)
{
	struct task *t;
	int i;

	for (;;) {
		t = NULL;
		for (i = 0; i < nr_tasks; i++) {
			if (tasks[i]->queued && (!t || tasks[i]->when < t->when ||
						 (tasks[i]->when == t->when &&
						  tasks[i]->seq < t->seq)))
				t = tasks[i];
		}
		if (!t)
			break;
		now = t->when;
		t->queued = 0;
		t->timed_out = !!t->q;
		if (t->q)
			unwait(t);
		curr = t;
		swapcontext(&loop, &t->ctx);
	}
	for (i = 0; i < nr_tasks; i++) {
		if (!tasks[i]->done)
			die("nothing happens any more");
		check_stack(tasks[i]);
	}
}

static void init(void *arg)
{
	(void)arg;
	status = workload_main(w, &opts);
}

static void print_stats(void)
{
	int nr = workload_stats(w, NULL, 0), i;
	struct workload_task_stat *s = calloc(nr + 1, sizeof(*s));

	if (workload_stats(w, s, nr) != nr)
		die("workload_stats() cannot count");
	for (i = 0; i < nr; i++)
		printf("stat %s[%d] pid %d loops %llu phases %llu run %llu\n", s[i].name,
		       s[i].instance, s[i].pid, s[i].loops, s[i].phases, s[i].run_ns / 1000);
	free(s);
}

int main(int argc, char **argv)
{
	static struct sim_machine machine;
	int load = 0, i;
	char err[1024];

	workload_defaults(&opts);
	for (i = 1; i < argc - 1; i++) {
		if (!strcmp(argv[i], "--cpus"))
			cpus = atoi(argv[++i]);
		else if (!strcmp(argv[i], "--nodes"))
			nodes = atoi(argv[++i]);
		else if (!strcmp(argv[i], "--seed"))
			seed = atoi(argv[++i]);
		else if (!strcmp(argv[i], "--slow"))
			slow = atoi(argv[++i]);
		else if (!strcmp(argv[i], "--load"))
			load = 1;
		else if (!strcmp(argv[i], "--no-barrier"))
			opts.barrier = 0;
		else if (!strcmp(argv[i], "--quiet"))
			quiet = 1;
		else
			return 2;
	}
	if (i != argc - 1)
		return 2;
	w = workload_load(argv[i], cpus, nodes, err, sizeof(err));
	if (!w) {
		printf("%s\n", err);
		return 1;
	}
	/* CPUs go round the nodes. */
	machine.nr_cpus = cpus;
	machine.nr_nodes = nodes;
	for (i = 0; i < cpus; i++)
		machine.cpu[i].node = i % nodes;
	if (workload_machine(w, &machine, err, sizeof(err))) {
		printf("%s\n", err);
		workload_free(w);
		return 1;
	}
	if (!load) {
		new_task("rt-app", init, NULL);
		run_all();
		print_stats();
		printf("end %d\n", status);
		if (nr_waitq > 1 || nr_groups)
			die("%d wait queues and %d groups are left", nr_waitq, nr_groups);
	}
	workload_free(w);
	return !!status;
}
