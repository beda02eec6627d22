// SPDX-License-Identifier: GPL-2.0
/*
 * The results of runs: a summary in text, and JSON as the lab writes it.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "run.h"

static double ms(sim_u64 ns)
{
	return ns / 1e6;
}

static double us(sim_u64 ns)
{
	return ns / 1e3;
}

static double duration(const struct run_result *r)
{
	return (r->m.end - r->m.start) / 1e9;
}

static double since_start(const struct run_result *r, sim_u64 t)
{
	return t > r->m.start ? (t - r->m.start) / 1e9 : 0;
}

/* A mean over the time in which tasks are settled */
static double settled(const struct spread *s, sim_u64 sum)
{
	return s->ns ? (double)sum / s->ns : 0;
}

static double per_second(const struct run_result *r, double v)
{
	return duration(r) > 0 ? v / duration(r) : 0;
}

/* ---- text ---- */

#define MAX_FIGURES	64

struct figure {
	char name[64];
	double value;
	int digits;
};

static __printf(5, 6) void add(struct figure *f, int *nr, double value, int digits,
			       const char *fmt, ...)
{
	va_list ap;

	if (*nr == MAX_FIGURES)
		die("more than %d figures", MAX_FIGURES);
	va_start(ap, fmt);
	vsnprintf(f[*nr].name, sizeof(f[*nr].name), fmt, ap);
	va_end(ap);
	f[*nr].value = value;
	f[(*nr)++].digits = digits;
}

static void add_latency(struct figure *f, int *nr, const char *name,
			const struct metrics_latency *l)
{
	static const char *const pct[NR_PCTS] = { "50 %", "90 %", "99 %", "99.9 %", "max" };
	int i;

	for (i = 0; i < NR_PCTS; i++)
		add(f, nr, us(l->pct[i]), 1, "%s, us, %s", name, pct[i]);
}

static int figures(const struct run_names *names, const struct run_result *r, struct figure *f)
{
	static const char *const moves[NR_MOVES] = {
		"same core", "same cluster", "same LLC", "cross LLC", "cross node",
		"cross socket",
	};
	static const char *const what[4] = { "CPUs", "LLCs", "nodes", "clusters" };
	static const char *const wakes[NR_WAKES] = {
		"waker's CPU", "waker's cluster", "waker's LLC", "further",
	};
	const struct metrics_result *m = &r->m;
	const struct spread *s = &m->spread;
	int i, nr = 0, sets = names->m->has_clusters ? 4 : 3;

	add(f, &nr, m->tasks, 0, "tasks");
	add(f, &nr, duration(r), 6, "duration, s");
	add(f, &nr, per_second(r, r->loops), 1, "loops a second");
	add(f, &nr, per_second(r, m->run_ns / 1e9), 3, "CPU seconds a second");
	add_latency(f, &nr, "waking to running", &m->wakeup);
	add_latency(f, &nr, "queued to running", &m->queue);
	add_latency(f, &nr, "new to running", &m->first);
	for (i = 0; i < NR_MOVES; i++)
		add(f, &nr, m->moves[i], 0, "migrations, %s", moves[i]);
	for (i = 0; i < NR_MOVES; i++)
		add(f, &nr, m->moves_settled[i], 0, "  once settled, %s", moves[i]);
	for (i = 0; i < sets; i++)
		add(f, &nr, m->distinct[i], 0, "first placed on, %s", what[i]);
	for (i = 0; i < sets; i++)
		add(f, &nr, m->used[i], 0, "used, %s", what[i]);
	add(f, &nr, m->max_stack_first, 0, "most tasks first placed on a CPU");
	add(f, &nr, m->worst_tasks, 0, "worst stack beside an idle CPU, tasks");
	add(f, &nr, ms(m->worst_ns), 3, "  lasted, ms");
	add(f, &nr, ms(m->stacked_ns), 3, "idle while stacked, ms");
	add(f, &nr, ms(m->waiting_ns), 3, "idle while others waited, ms");
	add(f, &nr, ms(m->lost_ns), 3, "  CPU time lost by it, ms");
	add(f, &nr, m->wakeups, 0, "wakeups");
	add(f, &nr, m->wakeups_beside_idle, 0, "  to a busy CPU beside an idle one");
	for (i = 0; i < NR_WAKES && sets > 3; i++)
		add(f, &nr, m->wakes[i], 0, "  by a task, %s", wakes[i]);
	if (sets > 3) {
		add(f, &nr, settled(s, s->busy_ns), 3, "clusters with tasks, settled");
		add(f, &nr, settled(s, s->most_ns), 3, "  tasks on the fullest");
		add(f, &nr, 100 * settled(s, s->even_ns), 1, "  evenly spread, %% of the time");
	}
	add(f, &nr, m->switches, 0, "context switches");
	if (r->violations)
		add(f, &nr, r->violations, 0, "violations of invariants");
	return nr;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void print_ranges(const struct run_names *names, const struct run_result *r, int nr)
{
	struct figure (*f)[MAX_FIGURES] = xcalloc(nr, sizeof(*f));
	double *v = xcalloc(nr, sizeof(*v));
	int i, j, max = 0, most = 0, digits;

	for (i = 0; i < nr; i++) {
		j = figures(names, &r[i], f[i]);
		if (j > max) {
			max = j;
			most = i;
		}
	}
	printf("%-42s %14s %14s %14s\n", "", "min", "median", "max");
	for (j = 0; j < max; j++) {
		/* A last line that a run lacks is zero there */
		for (i = 0; i < nr; i++)
			v[i] = f[i][j].value;
		qsort(v, nr, sizeof(*v), by_value);
		digits = f[most][j].digits;
		printf("%-42s %14.*f %14.*f %14.*f\n", f[most][j].name, digits, v[0],
		       digits || nr % 2 ? digits : 1, (v[(nr - 1) / 2] + v[nr / 2]) / 2,
		       digits, v[nr - 1]);
	}
	free(v);
	free(f);
}

static void print_one(const struct run_names *names, const struct run_result *r)
{
	struct figure f[MAX_FIGURES];
	int i, nr = figures(names, r, f);

	for (i = 0; i < nr; i++)
		printf("%-42s %14.*f\n", f[i].name, f[i].digits, f[i].value);
}

/* Which of the runs a remark is about */
static void print_remarks(const struct run_result *r, int nr)
{
	int i;

	for (i = 0; i < nr; i++, r++) {
		if (r->timed_out)
			printf("seed %llu: ended by --max-seconds, the workload was not done\n",
			       r->seed);
		if (r->status)
			printf("seed %llu: the workload failed: %s\n", r->seed,
			       strerror(-r->status));
		if (r->disturb_failed)
			printf("seed %llu: %d disturbances failed\n", r->seed, r->disturb_failed);
	}
}

/**
 * report_text - the summary, to stdout
 * @names: what was run
 * @r: the runs
 * @nr: their number
 */
void report_text(const struct run_names *names, const struct run_result *r, int nr)
{
	const struct sim_machine *m = names->m;
	int cpu, llcs = 0;

	for (cpu = 0; cpu < m->nr_cpus; cpu++) {
		if (m->cpu[cpu].llc >= llcs)
			llcs = m->cpu[cpu].llc + 1;
	}
	printf("%-12s %s\n", "kernel", names->kernel);
	printf("%-12s %s: %d CPUs, %d LLCs, %d node%s\n", "machine", names->machine, m->nr_cpus,
	       llcs, m->nr_nodes, m->nr_nodes == 1 ? "" : "s");
	printf("%-12s %s on %s%s\n", "workload", names->workload,
	       names->cpus ? "CPUs " : "all CPUs", names->cpus ? names->cpus : "");
	if (nr == 1)
		printf("%-12s %llu\n\n", "seed", r->seed);
	else
		printf("%-12s %llu-%llu\n\n", "seeds", r->seed, r[nr - 1].seed);
	if (nr == 1)
		print_one(names, r);
	else
		print_ranges(names, r, nr);
	print_remarks(r, nr);
}

/* The main thread of a process has its name and nothing else of the workload */
static const char *task_name(const struct run_task *t)
{
	return t->name ? t->name : t->m.comm;
}

static void print_task(const struct run_task *t)
{
	printf("%-24s ", task_name(t));
	if (t->instance < 0)
		printf("%8s", "-");
	else
		printf("%8d", t->instance);
	printf(" %7d %12.6f %12.6f %10llu %6d %6d %6llu\n", t->m.pid, t->m.run_ns / 1e9,
	       t->m.wait_ns / 1e9, t->loops, t->m.first_cpu, t->m.last_cpu, t->m.migrations);
}

/**
 * report_tasks - a line a task, to stdout
 * @r: the runs
 * @nr: their number
 */
void report_tasks(const struct run_result *r, int nr)
{
	int i, j;

	for (i = 0; i < nr; i++, r++) {
		putchar('\n');
		if (nr > 1)
			printf("%-12s %llu\n", "seed", r->seed);
		printf("%-24s %8s %7s %12s %12s %10s %6s %6s %6s\n", "task", "instance", "pid",
		       "CPU, s", "waited, s", "loops", "first", "last", "moved");
		for (j = 0; j < r->nr_tasks; j++)
			print_task(&r->tasks[j]);
	}
}

/**
 * report_host - what the runs cost here, to stderr: it differs from time to time
 * @r: the runs
 * @nr: their number
 * @wall_ns: time of the whole program
 */
void report_host(const struct run_result *r, int nr, sim_u64 wall_ns)
{
	sim_u64 host = 0, virtual = 0, events = 0;
	int i;

	for (i = 0; i < nr; i++) {
		host += r[i].host_ns;
		virtual += r[i].virtual_ns;
		events += r[i].events;
	}
	fprintf(stderr,
		"host: %.3f s, %.3f s of it boot; %llu events, %.0f a second; %.3f virtual seconds a second\n",
		wall_ns / 1e9, r->boot_host_ns / 1e9, events, host ? events / (host / 1e9) : 0,
		host ? (double)virtual / host : 0);
}

/* ---- JSON ---- */

static void put(struct json_object *obj, const char *key, struct json_object *val)
{
	if (json_object_object_add(obj, key, val))
		die("out of memory");
}

static void put_int(struct json_object *obj, const char *key, sim_u64 val)
{
	put(obj, key, json_object_new_int64(val));
}

/* With as many digits as schedplace gives */
static void put_number(struct json_object *obj, const char *key, double val, int digits)
{
	char buf[64];

	snprintf(buf, sizeof(buf), "%.*f", digits, val);
	put(obj, key, json_object_new_double_s(strtod(buf, NULL), buf));
}

static void put_counts(struct json_object *obj, const char *key, const sim_u64 *val,
		       const char *const *names, int nr)
{
	struct json_object *group = json_object_new_object();
	int i;

	for (i = 0; i < nr; i++)
		put_int(group, names[i], val[i]);
	put(obj, key, group);
}

/* Of migrations, those in the cluster come first, which are part of those in the LLC */
static void put_migrations(struct json_object *obj, const char *key, const struct run_names *names,
			   const sim_u64 *val, const sim_u64 *moves)
{
	struct json_object *group = json_object_new_object();
	int i;

	if (names->m->has_clusters)
		put_int(group, "same_cluster", moves[MOVE_CORE] + moves[MOVE_CLUSTER]);
	for (i = 0; i < NR_DISTANCES; i++)
		put_int(group, metrics_distance_name[i], val[i]);
	put(obj, key, group);
}

static void put_clusters(struct json_object *run, const struct metrics_result *m)
{
	struct json_object *group = json_object_new_object();
	const struct spread *s = &m->spread;

	put_int(run, "distinct_clusters", m->distinct[3]);
	put_int(run, "used_clusters", m->used[3]);
	put_number(group, "ms", ms(s->ns), 3);
	put_number(group, "busy", settled(s, s->busy_ns), 3);
	put_number(group, "most_tasks", settled(s, s->most_ns), 3);
	put_number(group, "even_pct", 100 * settled(s, s->even_ns), 1);
	put(run, "clusters_settled", group);
	put_counts(run, "wakeups_by_distance", m->wakes, metrics_wake_name, NR_WAKES);
}

static void put_latency(struct json_object *obj, const char *key, const struct metrics_latency *l)
{
	struct json_object *group = json_object_new_object();
	int i;

	put_int(group, "samples", l->nr);
	for (i = 0; i < NR_PCTS; i++)
		put_number(group, metrics_pct_name[i], us(l->pct[i]), 3);
	put(obj, key, group);
}

/* The keys of schedplace report, in its order */
static void put_shared(struct json_object *run, const struct run_names *names,
		       const struct run_result *r)
{
	struct json_object *burst = json_object_new_object();
	struct json_object *worst = json_object_new_object();
	struct json_object *first = json_object_new_array();
	const struct metrics_result *m = &r->m;
	int i;

	put(run, "command", json_object_new_string(names->command));
	put_number(run, "start_s", m->start / 1e9, 6);
	put_number(run, "duration_s", duration(r), 6);
	put_int(run, "lost_events", 0);
	put_int(run, "tasks", m->tasks);
	put_int(run, "distinct_cpus", m->distinct[0]);
	put_int(run, "distinct_llcs", m->distinct[1]);
	put_int(run, "distinct_nodes", m->distinct[2]);
	put_int(run, "max_stack_first", m->max_stack_first);
	put_int(run, "used_cpus", m->used[0]);
	put_int(run, "used_llcs", m->used[1]);
	put_int(run, "used_nodes", m->used[2]);
	put_migrations(run, "migrations", names, m->migrations, m->moves);
	put_migrations(run, "migrations_after_settle", names, m->settled, m->moves_settled);
	if (names->m->has_clusters)
		put_clusters(run, m);
	put_number(burst, "ms", ms(m->burst_ns), 3);
	put_int(burst, "migrations", m->burst_migrations);
	put_int(burst, "sleeps", m->burst_sleeps);
	put(run, "burst", burst);
	put_int(worst, "tasks", m->worst_tasks);
	if (m->worst_tasks) {
		put_int(worst, "cpu", m->worst_cpu);
		put_number(worst, "at", since_start(r, m->worst_at), 6);
	}
	put_number(worst, "ms", ms(m->worst_ns), 3);
	put(run, "worst_stack", worst);
	put_number(run, "idle_while_stacked_ms", ms(m->stacked_ns), 3);
	for (i = 0; i < r->nr_first; i++)
		json_object_array_add(first, json_object_new_int(r->first[i]));
	put(run, "first_placements", first);
}

static struct json_object *new_task(const struct run_task *t)
{
	struct json_object *obj = json_object_new_object();

	put(obj, "name", json_object_new_string(task_name(t)));
	put(obj, "instance", t->instance < 0 ? NULL : json_object_new_int(t->instance));
	put_int(obj, "pid", t->m.pid);
	put_number(obj, "cpu_s", t->m.run_ns / 1e9, 6);
	put_number(obj, "wait_s", t->m.wait_ns / 1e9, 6);
	put_int(obj, "loops", t->loops);
	put(obj, "first_cpu", t->m.first_cpu < 0 ? NULL : json_object_new_int(t->m.first_cpu));
	put(obj, "last_cpu", t->m.last_cpu < 0 ? NULL : json_object_new_int(t->m.last_cpu));
	put_int(obj, "migrations", t->m.migrations);
	return obj;
}

static struct json_object *new_tasks(const struct run_result *r)
{
	struct json_object *tasks = json_object_new_array();
	int i;

	for (i = 0; i < r->nr_tasks; i++)
		json_object_array_add(tasks, new_task(&r->tasks[i]));
	return tasks;
}

static struct json_object *new_run(const struct run_names *names, const struct run_result *r)
{
	struct json_object *run = json_object_new_object();
	const struct metrics_result *m = &r->m;

	put_shared(run, names, r);
	put_int(run, "seed", r->seed);
	put(run, "simulated", json_object_new_boolean(1));
	put(run, "timed_out", json_object_new_boolean(r->timed_out));
	put_int(run, "violations", r->violations);
	put_int(run, "disturbances_failed", r->disturb_failed);
	put_int(run, "loops", r->loops);
	put_number(run, "loops_per_s", per_second(r, r->loops), 3);
	put_number(run, "cpu_s", m->run_ns / 1e9, 6);
	put_number(run, "cpu_s_per_s", per_second(r, m->run_ns / 1e9), 6);
	put_latency(run, "wakeup_latency_us", &m->wakeup);
	put_latency(run, "queue_latency_us", &m->queue);
	put_latency(run, "first_wakeup_latency_us", &m->first);
	put_counts(run, "migrations_by_distance", m->moves, metrics_move_name, NR_MOVES);
	put_counts(run, "migrations_by_distance_after_settle", m->moves_settled,
		   metrics_move_name, NR_MOVES);
	put_number(run, "idle_while_waiting_ms", ms(m->waiting_ns), 3);
	put_number(run, "lost_cpu_ms", ms(m->lost_ns), 3);
	put_int(run, "wakeups", m->wakeups);
	put_int(run, "wakeups_beside_idle", m->wakeups_beside_idle);
	put_int(run, "context_switches", m->switches);
	if (r->tasks)
		put(run, "tasks_detail", new_tasks(r));
	return run;
}

/* A device or a pipe is written to; only a file is replaced. */
static bool is_special(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && !S_ISREG(st.st_mode);
}

/* A file beside @path, to be renamed to it; its name is the caller's to free. */
static int temporary(const char *path, char **name)
{
	int fd;

	if (asprintf(name, "%s.XXXXXX", path) < 0)
		die("out of memory");
	fd = mkstemp(*name);
	if (fd < 0)
		die("--json %s: %s", path, strerror(errno));
	return fd;
}

/**
 * report_check - can a result file be written? Better asked before the runs
 * @path: its name; exits if not
 */
void report_check(const char *path)
{
	char *tmp;

	if (is_special(path))
		return;
	close(temporary(path, &tmp));
	unlink(tmp);
	free(tmp);
}

/* A reader never sees half a file, and a failure leaves the old one */
static void write_atomically(const char *path, const char *text)
{
	char *tmp;
	FILE *f;
	int fd, err;

	if (is_special(path)) {
		f = fopen(path, "w");
		if (!f || fprintf(f, "%s\n", text) < 0 || fclose(f))
			die("--json %s: %s", path, strerror(errno));
		return;
	}
	fd = temporary(path, &tmp);
	f = fdopen(fd, "w");
	/* mkstemp's 0600 is for secrets */
	if (!f || fchmod(fd, 0644) || fprintf(f, "%s\n", text) < 0 || fclose(f) ||
	    rename(tmp, path)) {
		err = errno;
		unlink(tmp);
		die("--json %s: %s", path, strerror(err));
	}
	free(tmp);
}

/**
 * report_json - a result file of the lab
 * @path: its name
 * @names: what was run
 * @r: the runs
 * @nr: their number
 */
void report_json(const char *path, const struct run_names *names, const struct run_result *r,
		 int nr)
{
	struct json_object *obj = json_object_new_object();
	struct json_object *runs = json_object_new_array();
	const char *text;
	int i;

	put(obj, "kernel", json_object_new_string(names->kernel));
	put(obj, "base", json_object_new_string(names->base));
	put(obj, "variant", json_object_new_string(names->variant));
	put(obj, "machine", json_object_new_string(names->machine));
	put(obj, "workload", json_object_new_string(names->workload));
	put(obj, "cpus", names->cpus ? json_object_new_string(names->cpus) : NULL);
	put_int(obj, "discarded", 0);
	for (i = 0; i < nr; i++)
		json_object_array_add(runs, new_run(names, &r[i]));
	put(obj, "runs", runs);
	text = json_object_to_json_string_ext(obj, JSON_C_TO_STRING_PRETTY);
	write_atomically(path, text);
	json_object_put(obj);
}
