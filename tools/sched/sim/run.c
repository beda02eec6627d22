// SPDX-License-Identifier: GPL-2.0
/*
 * schedsim run: boot once, then run the workload, once for every seed, each in
 * a process of its own that forks off the booted kernel.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "disturb.h"
#include "ftrace.h"
#include "run.h"

/* How long the root may take from waking init to its end */
#define ROOT_EXIT_NS	NSEC_PER_MSEC

struct child {
	pid_t pid;
	int fd;
	char *data;		/* a struct run_result, its tasks and its list of CPUs */
	unsigned long len, cap;
	int status;
};

/* As the lab waits for load averages to decay */
#define WARM_UP_PAUSE_NS	(500 * 1000000ULL)

static struct {
	const struct run_options *o;
	struct sim_machine machine;
	struct sim_mask allowed;
	struct run_names names;
	struct workload *w;
	struct workload_opts wopts;
	struct sim_waitq *ended;
	int done, status;
	sim_u64 seed;
	int timed_out;
	int pipe;		/* to the parent, or -1 */
	struct child *children;
	int nr_children;
	sim_u64 t_boot, t_run;	/* the host's time */
	sim_u64 v_run, v_end;	/* virtual time */
	sim_u64 ev_run;
} run_state;

/* ---- events ---- */

static void sink(const struct event *e)
{
	static int header;

	if (!metrics_event(e) || !ftrace_active())
		return;
	if (!header++)
		ftrace_header(run_state.names.command, metrics_root(), run_state.names.kernel,
			      &run_state.machine, &run_state.allowed);
	ftrace_event(e);
}

/* How it came to a panic is what one most wants to see */
static void save_trace(void)
{
	events_flush();
	ftrace_close();
}

/* ---- a process a seed ---- */

static void write_result(int fd, const void *data, size_t len)
{
	const char *p = data;
	ssize_t n;

	while (len) {
		n = write(fd, p, len);
		if (n < 0 && errno != EINTR)
			die("cannot send the result: %s", strerror(errno));
		if (n > 0) {
			p += n;
			len -= n;
		}
	}
}

/* Returns true in the child */
static int start_child(int i)
{
	struct child *c = &run_state.children[i];
	char label[32];
	int fds[2], j;

	if (pipe(fds))
		die("cannot make a pipe: %s", strerror(errno));
	c->pid = fork();
	if (c->pid < 0)
		die("cannot fork: %s", strerror(errno));
	if (c->pid) {
		close(fds[1]);
		c->fd = fds[0];
		return 0;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (j = 0; j < i; j++) {
		if (run_state.children[j].fd >= 0)
			close(run_state.children[j].fd);
	}
	close(fds[0]);
	run_state.pipe = fds[1];
	run_state.seed = run_state.o->first_seed + i;
	snprintf(label, sizeof(label), "seed %llu: ", run_state.seed);
	host_label(label);
	return 1;
}

static void read_child(struct child *c)
{
	ssize_t n;

	while (c->cap < c->len + 4096)
		c->data = xgrow(c->data, c->cap, &c->cap, 1);
	n = read(c->fd, c->data + c->len, c->cap - c->len);
	if (n > 0) {
		c->len += n;
		return;
	}
	if (n < 0 && errno == EINTR)
		return;
	close(c->fd);
	c->fd = -1;
	while (waitpid(c->pid, &c->status, 0) < 0 && errno == EINTR)
		;
}

/*
 * As many at a time as the host has CPUs. Returns true in each child, and in
 * the parent false when all have ended. On init's small stack.
 */
static int fork_seeds(void)
{
	long i, nr_fds, started = 0, host_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct pollfd *fds;
	int *who;

	if (host_cpus < 1)
		host_cpus = 1;
	fds = xcalloc(host_cpus, sizeof(*fds));
	who = xcalloc(host_cpus, sizeof(*who));
	for (;;) {
		nr_fds = 0;
		for (i = 0; i < started; i++) {
			if (run_state.children[i].fd < 0)
				continue;
			who[nr_fds] = i;
			fds[nr_fds].fd = run_state.children[i].fd;
			fds[nr_fds++].events = POLLIN;
		}
		if (nr_fds < host_cpus && started < run_state.nr_children) {
			if (start_child(started++))
				break;
			continue;
		}
		if (!nr_fds)
			break;
		if (poll(fds, nr_fds, -1) < 0)
			continue;
		for (i = 0; i < nr_fds; i++) {
			if (fds[i].revents)
				read_child(&run_state.children[who[i]]);
		}
	}
	free(fds);
	free(who);
	return run_state.pipe >= 0;
}

static void base_name(char *out, size_t size, const char *path, const char *suffix)
{
	const char *name = strrchr(path, '/');
	size_t len, slen = strlen(suffix);

	name = name ? name + 1 : path;
	len = strlen(name);
	if (len > slen && !strcmp(name + len - slen, suffix))
		len -= slen;
	snprintf(out, size, "%.*s", (int)len, name);
}

static struct workload *load_workload(const struct run_options *o)
{
	static char path[4096], err[512];	/* a task's stack is small */
	struct workload *w;

	if (topo_find(path, sizeof(path), "workloads", o->workload, ".json"))
		die("--workload %s: cannot read %s; 'schedsim list' tells the names",
		    o->workload, path);
	w = workload_load(path, run_state.machine.nr_cpus, run_state.machine.nr_nodes, err,
			  sizeof(err));
	if (!w || workload_machine(w, &run_state.machine, err, sizeof(err)))
		die("%s", err);
	base_name(run_state.names.workload, sizeof(run_state.names.workload), path, ".json");
	return w;
}

/* ---- in task context ---- */

/* What taskset and a shell do before rt-app's first line. */
static void become_root(void)
{
	int ret = 0;

	if (run_state.o->cpus)
		ret = host_setaffinity(0, &run_state.allowed);
	if (ret)
		die("--cpus %s: %s", run_state.o->cpus, strerror(-ret));
	ret = sim_exec("rt-app");
	if (ret)
		die("the kernel refuses to exec: %s", strerror(-ret));
}

static void warm_main(void *arg)
{
	become_root();
	if (workload_main(arg, &run_state.wopts))
		die("the warm-up failed");
	run_state.done = 1;
	sim_wake(run_state.ended, INT_MAX);
}

/*
 * A kernel that has just booted balances its idle CPUs at the shortest interval;
 * one that has been at work has learnt to wait.
 */
static void warm_up(void)
{
	struct sim_clone root = { .name = "schedsim", .fn = warm_main };
	int i;

	for (i = 0; i < run_state.o->warmup; i++) {
		run_state.done = 0;
		root.arg = load_workload(run_state.o);
		if (sim_clone(&root) < 0)
			die("the kernel refuses to fork the warm-up");
		if (!run_state.done)
			sim_wait_timeout(run_state.ended, run_state.o->max_ns);
		if (!run_state.done)
			die("the warm-up did not end within --max-seconds");
		sim_sleep(WARM_UP_PAUSE_NS);
		workload_free(root.arg);
	}
	run_state.done = 0;
}

static void root_main(void *arg)
{
	(void)arg;
	become_root();
	disturb_go(sim_pid());
	run_state.status = workload_main(run_state.w, &run_state.wopts);
	run_state.done = 1;
	sim_wake(run_state.ended, INT_MAX);
}

static void set_features(void)
{
	const struct run_options *o = run_state.o;
	int i;

	for (i = 0; i < o->nr_features; i++) {
		if (sim_feature(o->feature[i]))
			die("this kernel has no scheduler feature %s, remove it from --on or --off",
			    o->feature[i] + (strncmp(o->feature[i], "NO_", 3) ? 0 : 3));
	}
}

static void init_main(void *arg)
{
	static const struct sim_clone root = { .name = "schedsim", .fn = root_main };
	int ret;

	(void)arg;
	run_state.t_run = host_clock();
	snprintf(run_state.names.kernel, sizeof(run_state.names.kernel), "%s", sim_release());
	run_state.ended = sim_waitq_new();
	if (!run_state.ended)
		die("out of memory");
	set_features();
	warm_up();
	if (run_state.nr_children) {
		if (!fork_seeds())
			return;
		run_state.t_run = host_clock();
	}
	sim_reseed(run_state.seed);
	run_state.v_run = sim_now();
	run_state.ev_run = sim_events();
	disturb_start(run_state.w);
	metrics_arm(sim_pid());
	ret = sim_clone(&root);
	if (ret < 0)
		die("the kernel refuses to fork the workload: %s", strerror(-ret));
	if (!run_state.done)
		sim_wait_timeout(run_state.ended, run_state.o->max_ns);
	run_state.timed_out = !run_state.done;
	if (run_state.done)
		sim_sleep(ROOT_EXIT_NS);
	run_state.v_end = sim_now();
}

/* ---- before and after ---- */

static void name_run(const struct run_options *o)
{
	struct run_names *n = &run_state.names;

	snprintf(n->command, sizeof(n->command), "%s%.*s%srt-app %.250s.json",
		 n->cpus ? "taskset -c " : "", 200, n->cpus ? n->cpus : "", n->cpus ? " " : "",
		 n->workload);
	if (!o->nr_features)
		strcpy(n->variant, *SIM_VARIANT ? SIM_VARIANT : "default");
	if (o->variant)
		snprintf(n->variant, sizeof(n->variant), "%s", o->variant);
	else if (o->nr_features && o->nr_on == o->nr_features)
		strcpy(n->variant, "on");
	else if (o->nr_features && !o->nr_on)
		strcpy(n->variant, "off");
	else if (o->nr_features)
		strcpy(n->variant, "mixed");
}

/* "6.1" of "6.1.192-steer" */
static void name_base(const struct run_options *o)
{
	struct run_names *n = &run_state.names;
	size_t len = strspn(n->kernel, "0123456789");

	if (n->kernel[len] == '.')
		len += 1 + strspn(n->kernel + len + 1, "0123456789");
	if (o->base)
		snprintf(n->base, sizeof(n->base), "%s", o->base);
	else if (*SIM_BASE)
		strcpy(n->base, SIM_BASE);
	else
		snprintf(n->base, sizeof(n->base), "%.*s", (int)len, n->kernel);
}

/* Which of the tasks is which of the workload's: a PID may have several owners */
static void name_tasks(struct run_result *r, const struct workload_task_stat *stats, int nr)
{
	int *next = xcalloc(r->nr_tasks, sizeof(*next)), *by_pid;
	int i, max = 0;

	for (i = 0; i < r->nr_tasks; i++) {
		if (r->tasks[i].m.pid > max)
			max = r->tasks[i].m.pid;
	}
	/* Lists of numbers from 1 */
	by_pid = xcalloc(max + 1, sizeof(*by_pid));
	for (i = r->nr_tasks; i--; ) {
		next[i] = by_pid[r->tasks[i].m.pid];
		by_pid[r->tasks[i].m.pid] = i + 1;
		r->tasks[i].instance = -1;
	}
	for (i = 0; i < nr; i++) {
		struct run_task *t;

		if (stats[i].pid <= 0 || stats[i].pid > max || !by_pid[stats[i].pid])
			continue;
		t = &r->tasks[by_pid[stats[i].pid] - 1];
		by_pid[stats[i].pid] = next[t - r->tasks];
		t->name = stats[i].name;
		t->instance = stats[i].instance;
		t->loops = stats[i].loops;
	}
	free(by_pid);
	free(next);
}

static void collect_tasks(struct run_result *r, const struct workload_task_stat *stats, int nr)
{
	struct metrics_task *m = metrics_tasks(&r->nr_tasks);
	int i;

	r->tasks = xcalloc(r->nr_tasks, sizeof(*r->tasks));
	for (i = 0; i < r->nr_tasks; i++)
		r->tasks[i].m = m[i];
	free(m);
	name_tasks(r, stats, nr);
}

static void collect(struct run_result *r)
{
	struct workload_task_stat *stats;
	int i, nr;

	memset(r, 0, sizeof(*r));
	r->host_ns = host_clock() - run_state.t_run;
	r->boot_host_ns = run_state.t_boot;
	r->virtual_ns = run_state.v_end - run_state.v_run;
	r->events = sim_events() - run_state.ev_run;
	r->seed = run_state.seed;
	r->status = run_state.status;
	r->timed_out = run_state.timed_out;
	r->disturb_failed = disturb_failures();
	r->violations = sim_violations();
	metrics_finish(&r->m);
	r->first = metrics_first_placements(&r->nr_first);
	nr = workload_stats(run_state.w, NULL, 0);
	stats = xcalloc(nr, sizeof(*stats));
	nr = workload_stats(run_state.w, stats, nr);
	for (i = 0; i < nr; i++)
		r->loops += stats[i].loops;
	if (run_state.o->per_task)
		collect_tasks(r, stats, nr);
	free(stats);
	if (events_late())
		warn("%lu events came late: trace and figures may differ slightly", events_late());
}

static void send_result(int fd, const struct run_result *r)
{
	write_result(fd, r, sizeof(*r));
	write_result(fd, r->tasks, r->nr_tasks * sizeof(*r->tasks));
	write_result(fd, r->first, r->nr_first * sizeof(*r->first));
}

/* Its lists stay in the child's data. Nonzero if that is not all there. */
static int read_result(const struct child *c, struct run_result *r)
{
	size_t tasks;

	if (c->len < sizeof(*r))
		return -1;
	memcpy(r, c->data, sizeof(*r));
	tasks = r->nr_tasks * sizeof(*r->tasks);
	if (c->len != sizeof(*r) + tasks + r->nr_first * sizeof(*r->first))
		return -1;
	if (r->tasks)
		r->tasks = (struct run_task *)(c->data + sizeof(*r));
	r->first = (int *)(c->data + sizeof(*r) + tasks);
	return 0;
}

/* The results of all children, or the reason why there are none */
static int from_children(struct run_result *results)
{
	int i, worst = 0, status;

	for (i = 0; i < run_state.nr_children; i++) {
		struct child *c = &run_state.children[i];

		status = WIFEXITED(c->status) ? WEXITSTATUS(c->status) : SIM_EXIT_PANIC;
		if (WIFSIGNALED(c->status))
			warn("seed %llu: ended by signal %d", run_state.o->first_seed + i,
			     WTERMSIG(c->status));
		if (!status && read_result(c, &results[i]))
			status = SIM_EXIT_FAILURE;
		if (status > worst)
			worst = status;
	}
	return worst;
}

static int report(const struct run_options *o, struct run_result *results, int nr, sim_u64 wall)
{
	int i, ret = 0;

	name_base(o);
	report_text(&run_state.names, results, nr);
	if (o->per_task)
		report_tasks(results, nr);
	report_host(results, nr, wall);
	if (o->json)
		report_json(o->json, &run_state.names, results, nr);
	for (i = 0; i < nr; i++) {
		if (results[i].violations)
			ret = SIM_EXIT_VIOLATION;
		else if ((results[i].status || (results[i].timed_out && !o->max_given)) && !ret)
			ret = SIM_EXIT_FAILURE;
	}
	if (fflush(stdout) || ferror(stdout))
		die("cannot write the summary: %s", strerror(errno));
	return ret;
}

/**
 * run - schedsim run
 * @o: what to run
 *
 * Return: the exit status.
 */
int run(const struct run_options *o)
{
	static char list[CPUS_STR_LEN];
	sim_u64 start = host_clock();
	struct run_result *results;
	struct sim_params params = o->params;
	static struct machine m;
	int i, nr, ret;

	run_state.o = o;
	run_state.pipe = -1;
	topo_load(&m, o->machine);
	topo_machine(&m, &run_state.machine);
	topo_cpus(&m, o->cpus ? o->cpus : "all", &run_state.allowed);
	snprintf(run_state.names.machine, sizeof(run_state.names.machine), "%s", m.name);
	run_state.names.m = &run_state.machine;
	if (o->cpus) {
		topo_mask_str(&run_state.allowed, list);
		run_state.names.cpus = list;
	}
	run_state.w = load_workload(o);
	name_run(o);
	workload_defaults(&run_state.wopts);
	run_state.wopts.barrier = o->barrier;
	if (o->disturb)
		disturb_load(o->disturb, m.nr_cpus);

	nr = o->last_seed - o->first_seed + 1;
	results = xcalloc(nr, sizeof(*results));
	run_state.seed = o->first_seed;
	if (nr > 1) {
		run_state.nr_children = nr;
		run_state.children = xcalloc(nr, sizeof(*run_state.children));
		for (i = 0; i < nr; i++)
			run_state.children[i].fd = -1;
	}
	if (o->json)
		report_check(o->json);
	if (o->trace && ftrace_open(o->trace))
		die("--trace %s: %s", o->trace, strerror(errno));
	host_last_words = save_trace;

	metrics_start(&run_state.machine, &run_state.allowed);
	events_to(sink);
	/* A run is the same whether its boot is its own or shared */
	params.seed = 0;
	run_state.t_boot = 0;
	sim_boot(&run_state.machine, &params, init_main, NULL);
	run_state.t_boot = run_state.t_run - start;

	if (run_state.pipe >= 0) {
		collect(results);
		send_result(run_state.pipe, results);
		host_exit(0);
	}
	if (run_state.nr_children) {
		ret = from_children(results);
		if (ret)
			warn("not all runs came to an end: no report");
	} else {
		collect(results);
		ret = ftrace_close();
		if (ret)
			die("--trace %s: %s", o->trace, strerror(-ret));
	}
	if (!ret)
		ret = report(o, results, nr, host_clock() - start);
	if (!run_state.nr_children) {
		free(results->tasks);
		free(results->first);
	}
	for (i = 0; i < run_state.nr_children; i++)
		free(run_state.children[i].data);
	free(run_state.children);
	free(results);
	return ret;
}
