// SPDX-License-Identifier: GPL-2.0
/*
 * schedplace report: say where the tasks of a trace were placed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <json.h>

#include "schedplace.h"
#include "svg.h"
#include "trace.h"

#define TEXT_TASKS	64	/* more than this only with --all */

static const char usage[] =
"Usage: schedplace report [OPTION...] TRACE\n"
"\n"
"Report where the tasks of TRACE (- for standard input) were placed. TRACE is a\n"
"text trace of schedplace record, of ftrace (/sys/kernel/tracing/trace) or of\n"
"trace-cmd report, with the events sched_switch, sched_wakeup,\n"
"sched_wakeup_new, sched_migrate_task and sched_process_{fork,exec,exit}, for\n"
"wakeups by distance also sched_waking.\n"
"\n"
"  -j, --json           print JSON\n"
"  -s, --svg FILE       also draw who ran where and when\n"
"  -t, --topology FILE  lines 'cpu llc node', or 'cpu llc node cluster', instead\n"
"                       of what TRACE says; if neither says anything, this\n"
"                       machine's topology is used\n"
"  -A, --allowed LIST   CPUs that the tasks may use, such as 0-3,8, instead of\n"
"                       what TRACE says (default: all)\n"
"  -c, --comm GLOB      only tasks whose last name matches\n"
"  -S, --settle SEC     when migrations count as settled: from this long after\n"
"                       the last fork on (default 0.5)\n"
"  -a, --all            list all tasks in the text, not only the first 64\n"
"  -h, --help           this text\n"
"\n"
"The tasks are the recorded command and its descendants, or, in a trace that\n"
"names no command, all but the idle tasks. The summary counts the forked ones\n"
"among them, or all if the trace has no fork.\n"
"\n"
"First placement: where the first wakeup put a forked task (marked f), or the\n"
"first CPU that another task was seen on. Migration: two successive CPUs that a\n"
"task was put or ran on differ; it stays in the LLC, leaves the LLC, or leaves\n"
"the node. Stacked: two or more counted tasks run or wait on one CPU while an\n"
"allowed CPU is idle. Until its first event, a CPU counts as idle.\n"
"\n"
"On a machine with clusters, CPUs between core and LLC, there is besides: wakeups\n"
"of a counted task by another task, by what the chosen CPU shares with the\n"
"waker's; and how the counted tasks that run or wait are spread over the clusters\n"
"that they may use, the mean over the time from --settle on until one of them\n"
"exits: clusters with a task, tasks on the fullest one, and the share of that\n"
"time during which no cluster had two tasks more than another.\n";

enum { SET_CPUS, SET_LLCS, SET_NODES, SET_CLUSTERS, NR_SETS };

/* The figures that the text and the JSON share. */
struct summary {
	int tasks;
	int distinct[NR_SETS];	/* of the first placements */
	int used[NR_SETS];	/* of the whole run */
	int max_stack_first;
	unsigned long migrations[NR_DISTANCES];
	unsigned long migrations_settled[NR_DISTANCES];
	unsigned long in_cluster, in_cluster_settled;
	unsigned long wakes;
};

static double ms(u64 ns)
{
	return ns / 1e6;
}

static double since_start(const struct trace *tr, u64 ts)
{
	return ts > tr->start ? (ts - tr->start) / 1e9 : 0;
}

static void add_cpu(const struct topology *topo, struct cpuset sets[NR_SETS], int cpu)
{
	cpuset_add(&sets[SET_CPUS], cpu);
	cpuset_add(&sets[SET_LLCS], topo->llc[cpu]);
	cpuset_add(&sets[SET_NODES], topo->node[cpu]);
	if (topo->has_clusters)
		cpuset_add(&sets[SET_CLUSTERS], topo->cluster[cpu]);
}

static void task_sets(const struct trace *tr, const struct task *t,
		      struct cpuset sets[NR_SETS])
{
	int i;

	for (i = 0; i < t->nr_times; i++)
		add_cpu(&tr->topo, sets, t->times[i].cpu);
}

static void summarize(const struct trace *tr, struct summary *sum)
{
	int *stack = xcalloc(MAX_CPUS, sizeof(*stack));
	struct cpuset first[NR_SETS] = {}, used[NR_SETS] = {};
	const struct task *t;
	int i, d;

	memset(sum, 0, sizeof(*sum));
	for (i = 0; i < tr->nr_tasks; i++) {
		t = &tr->tasks[i];
		if (!t->counted)
			continue;
		sum->tasks++;
		if (t->first_cpu >= 0) {
			add_cpu(&tr->topo, first, t->first_cpu);
			if (++stack[t->first_cpu] > sum->max_stack_first)
				sum->max_stack_first = stack[t->first_cpu];
		}
		task_sets(tr, t, used);
		for (d = 0; d < NR_DISTANCES; d++) {
			sum->migrations[d] += t->migrations[d];
			sum->migrations_settled[d] += t->migrations_settled[d];
		}
		sum->in_cluster += t->in_cluster;
		sum->in_cluster_settled += t->in_cluster_settled;
	}
	for (d = 0; d < NR_WAKE_DISTANCES; d++)
		sum->wakes += tr->wakes[d];
	for (i = 0; i < NR_SETS; i++) {
		sum->distinct[i] = cpuset_count(&first[i]);
		sum->used[i] = cpuset_count(&used[i]);
	}
	free(stack);
}

/* Time per LLC, by LLC number; the caller frees it. */
static u64 *llc_times(const struct trace *tr, const struct task *t)
{
	u64 *ns = xcalloc(MAX_CPUS, sizeof(*ns));
	int i;

	for (i = 0; i < t->nr_times; i++)
		ns[tr->topo.llc[t->times[i].cpu]] += t->times[i].ns;
	return ns;
}

/*
 * JSON
 */

static void add(struct json_object *obj, const char *key, struct json_object *val)
{
	if (json_object_object_add(obj, key, val))
		die("out of memory");
}

static void add_int(struct json_object *obj, const char *key, int64_t val)
{
	add(obj, key, json_object_new_int64(val));
}

/* Rounded and printed with as many digits as the time has, no more. */
static struct json_object *new_number(double val, int digits)
{
	char buf[64];

	snprintf(buf, sizeof(buf), "%.*f", digits, val);
	return json_object_new_double_s(strtod(buf, NULL), buf);
}

static struct json_object *new_list(const struct cpuset *set)
{
	struct json_object *list = json_object_new_array();
	int i;

	for (i = 0; i < MAX_CPUS; i++) {
		if (cpuset_has(set, i))
			json_object_array_add(list, json_object_new_int(i));
	}
	return list;
}

static struct json_object *new_migrations(const struct trace *tr, const unsigned long *nr,
					  unsigned long in_cluster)
{
	struct json_object *obj = json_object_new_object();
	int d;

	/* Part of those in the LLC */
	if (tr->topo.has_clusters)
		add_int(obj, "same_cluster", in_cluster);
	for (d = 0; d < NR_DISTANCES; d++)
		add_int(obj, distance_names[d], nr[d]);
	return obj;
}

static struct json_object *new_string(const char *s)
{
	return s ? json_object_new_string(s) : NULL;
}

static struct json_object *new_task(const struct trace *tr, const struct task *t)
{
	struct json_object *obj = json_object_new_object();
	struct json_object *share = json_object_new_object();
	u64 *ns = llc_times(tr, t);
	struct cpuset sets[NR_SETS] = {};
	char key[16];
	int llc;

	task_sets(tr, t, sets);
	add_int(obj, "pid", t->pid);
	add(obj, "comm", new_string(t->comm));
	add(obj, "root", json_object_new_boolean(t->root));
	add(obj, "forked", json_object_new_boolean(t->forked));
	add(obj, "first_cpu", t->first_cpu < 0 ? NULL : json_object_new_int(t->first_cpu));
	add(obj, "cpus", new_list(&sets[0]));
	add(obj, "llcs", new_list(&sets[1]));
	add(obj, "nodes", new_list(&sets[2]));
	if (tr->topo.has_clusters)
		add(obj, "clusters", new_list(&sets[SET_CLUSTERS]));
	add(obj, "run_ms", new_number(ms(t->run_ns), 3));
	for (llc = 0; llc < MAX_CPUS; llc++) {
		if (!ns[llc])
			continue;
		snprintf(key, sizeof(key), "%d", llc);
		add(share, key, new_number(100.0 * ns[llc] / t->run_ns, 1));
	}
	add(obj, "llc_share", share);
	add(obj, "migrations", new_migrations(tr, t->migrations, t->in_cluster));
	add_int(obj, "wakeups", t->wakeups);
	free(ns);
	return obj;
}

static double mean(const struct spread *s, unsigned long long sum)
{
	return s->ns ? (double)sum / s->ns : 0;
}

static void add_clusters(struct json_object *obj, const struct trace *tr,
			 const struct summary *sum)
{
	struct json_object *settled = json_object_new_object();
	struct json_object *wakes = json_object_new_object();
	const struct spread *s = &tr->spread;
	int d;

	add_int(obj, "distinct_clusters", sum->distinct[SET_CLUSTERS]);
	add_int(obj, "used_clusters", sum->used[SET_CLUSTERS]);
	add(settled, "ms", new_number(ms(s->ns), 3));
	add(settled, "busy", new_number(mean(s, s->busy_ns), 3));
	add(settled, "most_tasks", new_number(mean(s, s->most_ns), 3));
	add(settled, "even_pct", new_number(100 * mean(s, s->even_ns), 1));
	add(obj, "clusters_settled", settled);
	if (!tr->has_waking) {
		json_object_put(wakes);
		return;
	}
	for (d = 0; d < NR_WAKE_DISTANCES; d++)
		add_int(wakes, wake_names[d], tr->wakes[d]);
	add(obj, "wakeups_by_distance", wakes);
}

static void print_json(const struct trace *tr, const struct summary *sum)
{
	struct json_object *obj = json_object_new_object();
	struct json_object *burst = json_object_new_object();
	struct json_object *worst = json_object_new_object();
	struct json_object *first = json_object_new_array();
	struct json_object *tasks = json_object_new_array();
	const struct task *t;
	int i;

	add(obj, "command", new_string(tr->command));
	add(obj, "kernel", new_string(tr->kernel));
	add(obj, "start_s", new_number(tr->start / 1e9, 6));
	add(obj, "duration_s", new_number(since_start(tr, tr->end), 6));
	add_int(obj, "lost_events", tr->lost);
	add_int(obj, "tasks", sum->tasks);
	add_int(obj, "distinct_cpus", sum->distinct[0]);
	add_int(obj, "distinct_llcs", sum->distinct[1]);
	add_int(obj, "distinct_nodes", sum->distinct[2]);
	add_int(obj, "max_stack_first", sum->max_stack_first);
	add_int(obj, "used_cpus", sum->used[0]);
	add_int(obj, "used_llcs", sum->used[1]);
	add_int(obj, "used_nodes", sum->used[2]);
	add(obj, "migrations", new_migrations(tr, sum->migrations, sum->in_cluster));
	add(obj, "migrations_after_settle",
	    new_migrations(tr, sum->migrations_settled, sum->in_cluster_settled));
	if (tr->topo.has_clusters)
		add_clusters(obj, tr, sum);

	/* Whether all were there, and where they were placed, up to the last fork. */
	add(burst, "ms", new_number(tr->last_fork > tr->first_fork ?
				    ms(tr->last_fork - tr->first_fork) : 0, 3));
	add_int(burst, "migrations", tr->burst_migrations);
	add_int(burst, "sleeps", tr->burst_sleeps);
	add(obj, "burst", burst);

	add_int(worst, "tasks", tr->worst_tasks);
	if (tr->worst_tasks) {
		add_int(worst, "cpu", tr->worst_cpu);
		add(worst, "at", new_number(since_start(tr, tr->worst_at), 6));
	}
	add(worst, "ms", new_number(ms(tr->worst_ns), 3));
	add(obj, "worst_stack", worst);
	add(obj, "idle_while_stacked_ms", new_number(ms(tr->stacked_ns), 3));

	for (i = 0; i < tr->nr_tasks; i++) {
		t = &tr->tasks[i];
		if (t->counted && t->first_cpu >= 0)
			json_object_array_add(first, json_object_new_int(t->first_cpu));
		if (t->selected)
			json_object_array_add(tasks, new_task(tr, t));
	}
	add(obj, "first_placements", first);
	add(obj, "per_task", tasks);

	puts(json_object_to_json_string_ext(obj, JSON_C_TO_STRING_PRETTY |
					    JSON_C_TO_STRING_SPACED |
					    JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(obj);
}

/*
 * Text
 */

static void print_shares(const struct trace *tr, const struct task *t)
{
	u64 *ns = llc_times(tr, t);
	int llc, best, shown;

	/* The largest shares say it all. */
	for (shown = 0; shown < 4; shown++) {
		best = 0;
		for (llc = 1; llc < MAX_CPUS; llc++) {
			if (ns[llc] > ns[best])
				best = llc;
		}
		if (!ns[best])
			break;
		printf("%s%d:%.0f%%", shown ? " " : "", best, 100.0 * ns[best] / t->run_ns);
		ns[best] = 0;
	}
	for (llc = 0; shown == 4 && llc < MAX_CPUS; llc++) {
		if (ns[llc]) {
			printf(" ...");
			break;
		}
	}
	free(ns);
}

static void print_task(const struct trace *tr, const struct task *t)
{
	struct cpuset sets[NR_SETS] = {};
	char first[16] = "-", mark = t->root ? 'r' : t->forked ? 'f' : ' ';

	task_sets(tr, t, sets);
	if (t->first_cpu >= 0)
		snprintf(first, sizeof(first), "%d", t->first_cpu);
	printf("%7d %-16s %5s%c %4d %4d %5d %11.3f %8lu %9lu %10lu %7lu  ", t->pid,
	       t->comm ? t->comm : "", first, mark, cpuset_count(&sets[0]),
	       cpuset_count(&sets[1]), cpuset_count(&sets[2]), ms(t->run_ns),
	       t->migrations[SAME_LLC], t->migrations[CROSS_LLC],
	       t->migrations[CROSS_NODE], t->wakeups);
	print_shares(tr, t);
	putchar('\n');
}

static void print_migrations(const struct trace *tr, const char *label,
			     const unsigned long *nr, unsigned long in_cluster)
{
	printf("%-22s %lu in the LLC", label, nr[SAME_LLC]);
	if (tr->topo.has_clusters)
		printf(" (%lu in the cluster)", in_cluster);
	printf(", %lu across LLCs, %lu across nodes\n", nr[CROSS_LLC], nr[CROSS_NODE]);
}

static void print_clusters(const struct trace *tr, const struct summary *sum)
{
	static const char *const what[NR_WAKE_DISTANCES] = {
		[WAKE_CPU]	= "on the waker's CPU",
		[WAKE_CLUSTER]	= "else in its cluster",
		[WAKE_LLC]	= "else in its LLC",
		[WAKE_FURTHER]	= "further",
	};
	const struct spread *s = &tr->spread;
	int d;

	printf("%-22s %d at first, %d used\n", "clusters", sum->distinct[SET_CLUSTERS],
	       sum->used[SET_CLUSTERS]);
	if (s->ns)
		printf("%-22s %.2f with tasks, %.2f on the fullest; even for %.1f %% of %.3f s\n",
		       "  once settled", mean(s, s->busy_ns), mean(s, s->most_ns),
		       100 * mean(s, s->even_ns), s->ns / 1e9);
	else
		printf("%-22s nothing: the run ended before\n", "  once settled");
	if (!tr->has_waking)
		return;
	printf("%-22s %lu", "wakeups by tasks", sum->wakes);
	for (d = 0; d < NR_WAKE_DISTANCES && sum->wakes; d++)
		printf("%s %.1f %% %s", d ? "," : ":", 100.0 * tr->wakes[d] / sum->wakes, what[d]);
	putchar('\n');
}

static void print_text(const struct trace *tr, const struct summary *sum,
		       double settle, bool all)
{
	int i, listed = 0, hidden = 0, nr = 0;

	printf("%7s %-16s %6s %4s %4s %5s %11s %8s %9s %10s %7s  %s\n", "PID", "COMM",
	       "FIRST ", "CPUS", "LLCS", "NODES", "RUN-MS", "SAME-LLC", "CROSS-LLC",
	       "CROSS-NODE", "WAKEUPS", "TIME-PER-LLC");
	for (i = 0; i < tr->nr_tasks; i++) {
		if (!tr->tasks[i].selected)
			continue;
		if (!all && listed == TEXT_TASKS) {
			hidden++;
			continue;
		}
		print_task(tr, &tr->tasks[i]);
		listed++;
	}
	if (hidden)
		printf("... and %d more tasks (--all lists them)\n", hidden);

	putchar('\n');
	if (tr->command)
		printf("%-22s %s\n", "command", tr->command);
	if (tr->kernel)
		printf("%-22s %s\n", "kernel", tr->kernel);
	printf("%-22s %.3f s\n", "duration", since_start(tr, tr->end));
	printf("%-22s %d%s\n", "tasks", sum->tasks,
	       tr->tasks && sum->tasks != listed + hidden ? " (forked)" : "");
	printf("%-22s %d CPUs, %d LLCs, %d nodes; at most %d on one CPU\n",
	       "first placements", sum->distinct[0], sum->distinct[1],
	       sum->distinct[2], sum->max_stack_first);
	printf("%-22s", "  in order of fork");
	for (i = 0; i < tr->nr_tasks; i++) {
		if (!tr->tasks[i].counted || tr->tasks[i].first_cpu < 0)
			continue;
		if (!all && nr++ == TEXT_TASKS) {
			printf(" ...");
			break;
		}
		printf(" %d", tr->tasks[i].first_cpu);
	}
	putchar('\n');
	printf("%-22s %d CPUs, %d LLCs, %d nodes\n", "used", sum->used[0],
	       sum->used[1], sum->used[2]);
	print_migrations(tr, "migrations", sum->migrations, sum->in_cluster);
	print_migrations(tr, "  once settled", sum->migrations_settled, sum->in_cluster_settled);
	printf("%-22s from %.3f s on (%g s after the last fork)\n", "",
	       since_start(tr, tr->last_fork) + settle, settle);
	if (tr->topo.has_clusters)
		print_clusters(tr, sum);
	if (tr->worst_tasks)
		printf("%-22s %d tasks on CPU %d beside an idle one, at %.6f s for %.3f ms\n",
		       "worst stack", tr->worst_tasks, tr->worst_cpu,
		       since_start(tr, tr->worst_at), ms(tr->worst_ns));
	else
		printf("%-22s none beside an idle CPU\n", "worst stack");
	printf("%-22s %.3f ms\n", "idle while stacked", ms(tr->stacked_ns));
	printf("%-22s %llu%s\n", "lost events", tr->lost,
	       tr->lost_some ? " or more" : "");
}

static void use_cpu(struct topology *topo, struct cpuset *unknown, int cpu, int llc, int node,
		    int cluster)
{
	if (cpu < 0 || cpuset_has(&topo->known, cpu))
		return;
	cpuset_add(unknown, cpu);
	topology_add(topo, cpu, llc, node, cluster);
}

/* Events may be on CPUs that the topology lacks: one was set online later, say. */
static void complete_topology(struct trace *tr)
{
	struct cpuset unknown = {};
	int cpu, llc = -1, node = -1, cluster = -1;
	char *list;
	size_t i;

	for (cpu = 0; cpu < tr->topo.nr; cpu++) {
		if (!cpuset_has(&tr->topo.known, cpu))
			continue;
		if (tr->topo.llc[cpu] > llc)
			llc = tr->topo.llc[cpu];
		if (tr->topo.node[cpu] > node)
			node = tr->topo.node[cpu];
		if (tr->topo.cluster[cpu] > cluster)
			cluster = tr->topo.cluster[cpu];
	}
	/* Ids are CPU numbers at most, and there is a CPU without one. */
	llc = llc < MAX_CPUS - 1 ? llc + 1 : llc;
	node = node < MAX_CPUS - 1 ? node + 1 : node;
	if (tr->topo.has_clusters)
		cluster = cluster < MAX_CPUS - 1 ? cluster + 1 : cluster;
	for (i = 0; i < tr->nr_events; i++) {
		use_cpu(&tr->topo, &unknown, tr->events[i].cpu, llc, node, cluster);
		use_cpu(&tr->topo, &unknown, tr->events[i].to, llc, node, cluster);
		use_cpu(&tr->topo, &unknown, tr->events[i].from, llc, node, cluster);
	}
	if (cpuset_count(&unknown)) {
		list = cpuset_format(&unknown);
		warn("%s: the topology lacks CPUs %s: they are taken for LLC %d, node %d",
		     tr->path, list, llc, node);
		free(list);
	}
}

static double parse_seconds(const char *s)
{
	char *end;
	double val;

	errno = 0;
	val = strtod(s, &end);
	if (end == s || *end || errno || !isfinite(val) || val < 0 || val > 1e9)
		die("--settle: '%s' is not a number of seconds", s);
	return val;
}

/**
 * cmd_report - schedplace report
 * @argc: number of arguments
 * @argv: the arguments, "report" first
 *
 * Return: the exit status.
 */
int cmd_report(int argc, char **argv)
{
	static const struct option options[] = {
		{ "all",	no_argument,		NULL, 'a' },
		{ "allowed",	required_argument,	NULL, 'A' },
		{ "comm",	required_argument,	NULL, 'c' },
		{ "help",	no_argument,		NULL, 'h' },
		{ "json",	no_argument,		NULL, 'j' },
		{ "settle",	required_argument,	NULL, 'S' },
		{ "svg",	required_argument,	NULL, 's' },
		{ "topology",	required_argument,	NULL, 't' },
		{}
	};
	const char *svg = NULL, *topology = NULL, *comm = NULL, *allowed = NULL;
	bool json = false, all = false;
	struct trace tr = {};
	struct summary sum;
	double settle = 0.5;
	int opt;

	while ((opt = getopt_long(argc, argv, "aA:c:hjS:s:t:", options, NULL)) >= 0) {
		switch (opt) {
		case 'a':
			all = true;
			break;
		case 'A':
			allowed = optarg;
			break;
		case 'c':
			comm = optarg;
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		case 'j':
			json = true;
			break;
		case 'S':
			settle = parse_seconds(optarg);
			break;
		case 's':
			svg = optarg;
			break;
		case 't':
			topology = optarg;
			break;
		default:
			return 2;
		}
	}
	if (argc - optind != 1) {
		warn("report takes one trace, see 'schedplace report --help'");
		return 2;
	}

	trace_read(&tr, argv[optind]);
	if (allowed) {
		if (cpuset_parse(&tr.allowed, allowed) || !cpuset_count(&tr.allowed))
			die("--allowed: '%s' is not a list of CPUs", allowed);
		tr.has_allowed = true;
	}
	if (topology) {
		topology_read_file(&tr.topo, topology);
	} else if (!tr.has_topo) {
		warn("%s: no topology in the trace and no --topology: using this machine's",
		     tr.path);
		topology_read_sys(&tr.topo);
	}
	complete_topology(&tr);
	trace_resolve(&tr);
	if (!trace_select(&tr, comm)) {
		if (comm)
			die("%s: no task's name matches '%s'", tr.path, comm);
		if (tr.root)
			die("%s: no event of the command (pid %d)", tr.path, tr.root);
		die("%s: no task but the idle ones", tr.path);
	}
	if (tr.lost)
		warn("%s: lost events: %llu%s: figures may be wrong (record with a larger -b)",
		     tr.path, tr.lost, tr.lost_some ? " or more" : "");
	tr.want_segments = svg;
	trace_account(&tr, settle * 1e9);
	summarize(&tr, &sum);

	if (json)
		print_json(&tr, &sum);
	else
		print_text(&tr, &sum, settle, all);
	if (svg)
		svg_write(&tr, svg);
	trace_free(&tr);
	if (fflush(stdout) || ferror(stdout))
		die("cannot write the report: %s", strerror(errno));
	return 0;
}
