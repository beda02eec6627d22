// SPDX-License-Identifier: GPL-2.0
/* lab-result: collect the reports of a workload's runs, compare such files */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "compiler.h"

#define MAX_RUNS	1000

/* What every run must have; a report's other keys are kept if present */
static const char * const run_numbers[] = {
	"distinct_cpus", "distinct_llcs", "distinct_nodes", "max_stack_first",
};

static const char * const run_migrations[] = {
	"same_llc", "cross_llc", "cross_node",
};

/* Per-task detail stays in the trace; the kernel is given once for all runs */
static const char * const dropped_keys[] = { "per_task", "kernel" };

static __printf(1, 2) __noreturn void die(const char *fmt, ...)
{
	va_list ap;

	fputs("lab-result: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

static void usage(FILE *f)
{
	fputs("Usage: lab-result collect -o FILE --base B --variant V --machine M\n"
	      "                          --workload W --kernel K [--cpus LIST]\n"
	      "                          [--discarded N] REPORT...\n"
	      "         join the JSON reports of a workload's runs into FILE\n"
	      "       lab-result table FILE...\n"
	      "         compare variants and bases, workload by workload\n"
	      "       lab-result min|max KEY FILE\n"
	      "         the least or the most that a run has of KEY\n"
	      "       lab-result agree BOOTED SIMULATED [BOOTED SIMULATED]...\n"
	      "         figure by figure, does the simulator agree with the booted\n"
	      "         kernel? Exit status 1 if it differs anywhere\n", f);
}

static struct json_object *load(const char *path)
{
	struct json_object *obj = json_object_from_file(path);

	if (!json_object_is_type(obj, json_type_object))
		die("%s: not a JSON object: %s", path,
		    obj ? "something else" : json_util_get_last_err());
	return obj;
}

static struct json_object *need(const char *path, struct json_object *obj,
				const char *key, enum json_type type)
{
	struct json_object *val;

	if (!json_object_object_get_ex(obj, key, &val) ||
	    !json_object_is_type(val, type))
		die("%s: key '%s' is missing or no %s", path, key,
		    json_type_to_name(type));
	return val;
}

static int need_int(const char *path, struct json_object *obj, const char *key)
{
	return json_object_get_int(need(path, obj, key, json_type_int));
}

static const char *need_string(const char *path, struct json_object *obj,
			       const char *key)
{
	return json_object_get_string(need(path, obj, key, json_type_string));
}

static void check_run(const char *path, struct json_object *run)
{
	struct json_object *moves;
	size_t i;

	for (i = 0; i < sizeof(run_numbers) / sizeof(*run_numbers); i++)
		need_int(path, run, run_numbers[i]);
	moves = need(path, run, "migrations", json_type_object);
	for (i = 0; i < sizeof(run_migrations) / sizeof(*run_migrations); i++)
		need_int(path, moves, run_migrations[i]);
}

/* A reader never sees half a file, and a failure leaves the old one */
static void write_atomically(const char *path, struct json_object *obj)
{
	const char *text = json_object_to_json_string_ext(obj, JSON_C_TO_STRING_PRETTY);
	char *tmp;
	FILE *f;
	int fd;

	if (asprintf(&tmp, "%s.XXXXXX", path) < 0)
		die("out of memory");
	fd = mkstemp(tmp);
	if (fd < 0)
		die("%s: %s", path, strerror(errno));
	f = fdopen(fd, "w");
	/* mkstemp's 0600 is for secrets */
	if (!f || fchmod(fd, 0644) || fprintf(f, "%s\n", text) < 0 ||
	    fflush(f) || fsync(fd) || fclose(f) || rename(tmp, path)) {
		int err = errno;

		unlink(tmp);
		die("%s: %s", path, strerror(err));
	}
	free(tmp);
}

enum { OPT_BASE = 256, OPT_VARIANT, OPT_MACHINE, OPT_WORKLOAD, OPT_KERNEL, OPT_CPUS };

static int cmd_collect(int argc, char **argv)
{
	static const struct option options[] = {
		{ "base",	required_argument, NULL, OPT_BASE },
		{ "variant",	required_argument, NULL, OPT_VARIANT },
		{ "machine",	required_argument, NULL, OPT_MACHINE },
		{ "workload",	required_argument, NULL, OPT_WORKLOAD },
		{ "kernel",	required_argument, NULL, OPT_KERNEL },
		{ "cpus",	required_argument, NULL, OPT_CPUS },
		{ "discarded",	required_argument, NULL, 'd' },
		{ }
	};
	/* In the order of the file */
	static const struct {
		const char *key;
		int opt;
	} keys[] = {
		{ "kernel", OPT_KERNEL }, { "base", OPT_BASE },
		{ "variant", OPT_VARIANT }, { "machine", OPT_MACHINE },
		{ "workload", OPT_WORKLOAD }, { "cpus", OPT_CPUS },
	};
	const char *value[OPT_CPUS - OPT_BASE + 1] = { NULL };
	struct json_object *result, *runs, *lost;
	const char *out = NULL;
	int opt, discarded = 0;
	size_t i;
	char *end;

	while ((opt = getopt_long(argc, argv, "o:", options, NULL)) != -1) {
		if (opt == 'o') {
			out = optarg;
		} else if (opt == 'd') {
			discarded = strtol(optarg, &end, 10);
			if (*end || end == optarg || discarded < 0)
				die("--discarded %s: not a number of runs", optarg);
		} else if (opt >= OPT_BASE) {
			value[opt - OPT_BASE] = optarg;
		} else {
			return 2;
		}
	}
	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (!value[keys[i].opt - OPT_BASE] && keys[i].opt != OPT_CPUS)
			die("collect needs --%s", keys[i].key);
	}
	if (!out || optind == argc)
		die("collect needs -o FILE and at least one report");
	if (argc - optind > MAX_RUNS)
		die("more than %d reports", MAX_RUNS);

	result = json_object_new_object();
	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const char *v = value[keys[i].opt - OPT_BASE];

		json_object_object_add(result, keys[i].key,
				       v ? json_object_new_string(v) : NULL);
	}
	/* Runs done again since the emulator interrupted their forks */
	json_object_object_add(result, "discarded", json_object_new_int(discarded));
	runs = json_object_new_array();
	json_object_object_add(result, "runs", runs);

	for (; optind < argc; optind++) {
		const char *path = argv[optind];
		struct json_object *run = load(path);

		check_run(path, run);
		if (json_object_object_get_ex(run, "lost_events", &lost) &&
		    json_object_get_int64(lost) > 0)
			fprintf(stderr, "lab-result: %s: %s events lost, its counts are too low\n",
				path, json_object_get_string(lost));
		for (i = 0; i < sizeof(dropped_keys) / sizeof(*dropped_keys); i++)
			json_object_object_del(run, dropped_keys[i]);
		json_object_array_add(runs, run);
	}
	write_atomically(out, result);
	json_object_put(result);
	return 0;
}

/* ---- The table ---- */

struct entry {
	const char *path;
	struct json_object *obj, *runs;
	const char *base, *variant, *machine, *workload, *cpus;
	size_t nr;
	bool shown;
};

static int compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* The numbers under @key of all runs, sorted */
static void sorted(const struct entry *e, const char *key, int *v)
{
	size_t i;

	for (i = 0; i < e->nr; i++)
		v[i] = need_int(e->path, json_object_array_get_idx(e->runs, i),
				key);
	qsort(v, e->nr, sizeof(*v), compare_ints);
}

static void cell_range(const struct entry *e, const char *key, char *buf,
		       size_t size)
{
	int v[MAX_RUNS];

	sorted(e, key, v);
	if (v[0] == v[e->nr - 1])
		snprintf(buf, size, "%d", v[0]);
	else
		snprintf(buf, size, "%d..%d", v[0], v[e->nr - 1]);
}

static void cell_median(const struct entry *e, const char *key, char *buf,
			size_t size)
{
	int v[MAX_RUNS];

	sorted(e, key, v);
	snprintf(buf, size, "%d / %g / %d", v[0],
		 (v[(e->nr - 1) / 2] + v[e->nr / 2]) / 2.0, v[e->nr - 1]);
}

/* Mean per run of @key (of all keys that leave an LLC, if NULL) in @group */
static void cell_mean(const struct entry *e, const char *group,
		      const char *key, char *buf, size_t size)
{
	struct json_object *run, *moves;
	double sum = 0;
	size_t i;

	for (i = 0; i < e->nr; i++) {
		run = json_object_array_get_idx(e->runs, i);
		if (!json_object_object_get_ex(run, group, &moves)) {
			snprintf(buf, size, "-");
			return;
		}
		if (key)
			sum += need_int(e->path, moves, key);
		else
			sum += need_int(e->path, moves, "cross_llc") +
			       need_int(e->path, moves, "cross_node");
	}
	snprintf(buf, size, "%.1f", sum / e->nr);
}

/* Mean of what the clusters were like once settled */
static void cell_settled(const struct entry *e, const char *key, const char *unit, char *buf,
			 size_t size)
{
	struct json_object *run, *settled, *val;
	double sum = 0;
	size_t i, nr = 0;

	for (i = 0; i < e->nr; i++) {
		run = json_object_array_get_idx(e->runs, i);
		if (!json_object_object_get_ex(run, "clusters_settled", &settled))
			continue;
		/* A run whose tasks ended early has nothing to say */
		val = need(e->path, settled, "ms", json_type_double);
		if (json_object_get_double(val) <= 0)
			continue;
		sum += json_object_get_double(need(e->path, settled, key, json_type_double));
		nr++;
	}
	if (nr)
		snprintf(buf, size, "%.2f%s", sum / nr, unit);
	else
		snprintf(buf, size, "-");
}

/* Of all wakeups of all runs */
static void cell_wakes(const struct entry *e, char *buf, size_t size)
{
	static const char * const keys[] = { "same_cpu", "same_cluster", "same_llc", "further" };
	struct json_object *run, *wakes;
	double near = 0, all = 0;
	size_t i, j;
	int nr;

	for (i = 0; i < e->nr; i++) {
		run = json_object_array_get_idx(e->runs, i);
		if (!json_object_object_get_ex(run, "wakeups_by_distance", &wakes))
			continue;
		for (j = 0; j < sizeof(keys) / sizeof(*keys); j++) {
			nr = need_int(e->path, wakes, keys[j]);
			all += nr;
			if (j < 2)
				near += nr;
		}
	}
	if (all)
		snprintf(buf, size, "%.1f %%", 100 * near / all);
	else
		snprintf(buf, size, "-");
}

/* Only a machine with clusters has them */
static bool has_clusters(const struct entry *e)
{
	return json_object_object_get_ex(json_object_array_get_idx(e->runs, 0),
					 "clusters_settled", NULL);
}

enum table_row {
	ROW_RUNS, ROW_CPUS, ROW_LLCS, ROW_STACK, ROW_SAME_LLC, ROW_CROSS_LLC,
	ROW_CROSS_NODE, ROW_SETTLED,
	/* From here on only with clusters */
	ROW_CLUSTERS, ROW_IN_CLUSTER, ROW_BUSY, ROW_MOST, ROW_EVEN, ROW_WAKES, NR_ROWS
};

static const char * const row_names[NR_ROWS] = {
	[ROW_RUNS]		= "runs",
	[ROW_CPUS]		= "distinct CPUs, min..max",
	[ROW_LLCS]		= "distinct LLCs, min..max",
	[ROW_STACK]		= "most tasks first placed on one CPU, min / median / max",
	[ROW_SAME_LLC]		= "migrations a run, within the LLC",
	[ROW_CROSS_LLC]		= "migrations a run, to another LLC",
	[ROW_CROSS_NODE]	= "migrations a run, to another node",
	[ROW_SETTLED]		= "of them after settling, out of the LLC or node",
	[ROW_CLUSTERS]		= "distinct clusters, min..max",
	[ROW_IN_CLUSTER]	= "migrations a run, within the cluster",
	[ROW_BUSY]		= "after settling, clusters with tasks",
	[ROW_MOST]		= "after settling, tasks on the fullest cluster",
	[ROW_EVEN]		= "after settling, time evenly spread over clusters",
	[ROW_WAKES]		= "wakeups by tasks that stay in the waker's cluster",
};

static void cell(const struct entry *e, enum table_row row, char *buf, size_t size)
{
	switch (row) {
	case ROW_RUNS:
		snprintf(buf, size, "%zu", e->nr);
		break;
	case ROW_CPUS:
		cell_range(e, "distinct_cpus", buf, size);
		break;
	case ROW_LLCS:
		cell_range(e, "distinct_llcs", buf, size);
		break;
	case ROW_STACK:
		cell_median(e, "max_stack_first", buf, size);
		break;
	case ROW_SAME_LLC:
		cell_mean(e, "migrations", "same_llc", buf, size);
		break;
	case ROW_CROSS_LLC:
		cell_mean(e, "migrations", "cross_llc", buf, size);
		break;
	case ROW_CROSS_NODE:
		cell_mean(e, "migrations", "cross_node", buf, size);
		break;
	case ROW_SETTLED:
		cell_mean(e, "migrations_after_settle", NULL, buf, size);
		break;
	case ROW_CLUSTERS:
		cell_range(e, "distinct_clusters", buf, size);
		break;
	case ROW_IN_CLUSTER:
		cell_mean(e, "migrations", "same_cluster", buf, size);
		break;
	case ROW_BUSY:
		cell_settled(e, "busy", "", buf, size);
		break;
	case ROW_MOST:
		cell_settled(e, "most_tasks", "", buf, size);
		break;
	case ROW_EVEN:
		cell_settled(e, "even_pct", " %", buf, size);
		break;
	case ROW_WAKES:
		cell_wakes(e, buf, size);
		break;
	default:
		*buf = '\0';
	}
}

static bool same_group(const struct entry *a, const struct entry *b)
{
	return !strcmp(a->workload, b->workload) &&
	       !strcmp(a->machine, b->machine) && !strcmp(a->cpus, b->cpus);
}

static void print_group(struct entry *e, int nr, const struct entry *first)
{
	char buf[64];
	int row, i, rows = has_clusters(first) ? NR_ROWS : ROW_CLUSTERS;

	printf("%s on %s, CPUs %s\n", first->workload, first->machine,
	       *first->cpus ? first->cpus : "all");
	printf("  %-54s", "");
	for (i = 0; i < nr; i++) {
		if (!same_group(&e[i], first))
			continue;
		snprintf(buf, sizeof(buf), "%s %s", e[i].base, e[i].variant);
		printf("  %14s", buf);
	}
	putchar('\n');
	for (row = 0; row < rows; row++) {
		printf("  %-54s", row_names[row]);
		for (i = 0; i < nr; i++) {
			if (!same_group(&e[i], first))
				continue;
			if (row >= ROW_CLUSTERS && !has_clusters(&e[i]))
				strcpy(buf, "-");
			else
				cell(&e[i], row, buf, sizeof(buf));
			printf("  %14s", buf);
			e[i].shown = true;
		}
		putchar('\n');
	}
}

/* Before what comes after it: vanilla, off, on, then any other */
static int variant_rank(const char *variant)
{
	static const char * const order[] = { "vanilla", "off", "on" };
	size_t i;

	for (i = 0; i < sizeof(order) / sizeof(*order); i++) {
		if (!strcmp(variant, order[i]))
			break;
	}
	return i;
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int diff = strcmp(x->machine, y->machine);

	if (!diff)
		diff = strcmp(x->workload, y->workload);
	if (!diff)
		diff = strverscmp(x->base, y->base);
	return diff ? diff : variant_rank(x->variant) - variant_rank(y->variant);
}

/* A result file, with what the tables sort and print by */
static void load_entry(struct entry *e, const char *path)
{
	struct json_object *cpus;
	size_t run;

	e->path = path;
	e->obj = load(path);
	e->base = need_string(path, e->obj, "base");
	e->variant = need_string(path, e->obj, "variant");
	e->machine = need_string(path, e->obj, "machine");
	e->workload = need_string(path, e->obj, "workload");
	e->runs = need(path, e->obj, "runs", json_type_array);
	e->nr = json_object_array_length(e->runs);
	e->cpus = "";
	if (json_object_object_get_ex(e->obj, "cpus", &cpus) && cpus)
		e->cpus = json_object_get_string(cpus);
	if (!e->nr || e->nr > MAX_RUNS)
		die("%s: %zu runs, want 1..%d", path, e->nr, MAX_RUNS);
	for (run = 0; run < e->nr; run++)
		check_run(path, json_object_array_get_idx(e->runs, run));
}

/* The least or the most that any run has of a number: for tests */
static int cmd_extreme(int argc, char **argv)
{
	struct entry e = { 0 };
	int v[MAX_RUNS];
	size_t i;

	if (argc != 3)
		return 2;
	for (i = 0; i < sizeof(run_numbers) / sizeof(*run_numbers); i++)
		if (!strcmp(run_numbers[i], argv[1]))
			break;
	if (i == sizeof(run_numbers) / sizeof(*run_numbers))
		die("%s: not a number that every run has", argv[1]);
	load_entry(&e, argv[2]);
	sorted(&e, argv[1], v);
	printf("%d\n", v[strcmp(argv[0], "max") ? 0 : e.nr - 1]);
	json_object_put(e.obj);
	return 0;
}

static int cmd_table(int argc, char **argv)
{
	struct entry *e;
	int nr = argc - 1, i, groups = 0;

	if (nr < 1)
		die("table needs at least one file");
	e = calloc(nr, sizeof(*e));
	if (!e)
		die("out of memory");
	for (i = 0; i < nr; i++)
		load_entry(&e[i], argv[i + 1]);
	qsort(e, nr, sizeof(*e), compare_entries);
	for (i = 0; i < nr; i++) {
		if (e[i].shown)
			continue;
		if (groups++)
			putchar('\n');
		print_group(e, nr, &e[i]);
	}
	for (i = 0; i < nr; i++)
		json_object_put(e[i].obj);
	free(e);
	return 0;
}

/* ---- Does the simulator agree? ---- */

/*
 * The limits, all of them. Both sides run the same scheduler on the same
 * domains, so medians would be equal if nothing else ran and all clocks were
 * right. The lab's guest has tasks of its own, and the emulator has one thread
 * for all CPUs: it stops a CPU in favour of others, and ticks that come while it
 * is stopped become one. Two tasks on one of eight busy CPUs take turns every 60
 * to 80 ms in the guest, every 20 ms in the simulator.
 *
 * First placement happens within milliseconds, before ticks matter, and is the
 * same up to a task of the guest that sits on an allowed CPU and makes one of
 * the workload's move on: medians differ by FIRST_SLACK at most. That task does
 * not empty a node: as many nodes are used.
 *
 * If the emulator interrupted the forks of most booted runs (lab/bench repeats
 * such runs, but cannot for 64 short tasks), those forked last saw tasks that
 * had slept, moved or ended, which the simulated ones did not. How far that
 * goes depends on the run, and it is no figure of the scheduler's: the
 * simulated median then has to be in the range of the booted runs, widened by
 * FIRST_SLACK.
 *
 * Migrations are decided in ticks, by CPUs with nothing to do that try in turns
 * which last up to half a second. Their number is proportional to the ticks that
 * arrive, and varies by a factor of three between booted runs: the simulated
 * median has to be in their range, widened by MOVES_FACTOR either way, and by
 * MOVES_SLACK for ranges that begin at or near zero. Interrupted forks make
 * imbalances, and so migrations, of their own: then there may be fewer, even none.
 */
#define FIRST_SLACK	1
#define MOVES_FACTOR	2
#define MOVES_SLACK	4

enum rule { RULE_FIRST, RULE_MOVES };

static const struct figure {
	const char *name, *group, *key;
	enum rule rule;
	int slack;
} figures[] = {
	{ "max_stack_first", NULL, "max_stack_first", RULE_FIRST, FIRST_SLACK },
	{ "distinct_cpus", NULL, "distinct_cpus", RULE_FIRST, FIRST_SLACK },
	{ "distinct_llcs", NULL, "distinct_llcs", RULE_FIRST, FIRST_SLACK },
	{ "distinct_nodes", NULL, "distinct_nodes", RULE_FIRST, 0 },
	{ "settled cross_llc", "migrations_after_settle", "cross_llc", RULE_MOVES, MOVES_SLACK },
	{ "settled cross_node", "migrations_after_settle", "cross_node", RULE_MOVES, MOVES_SLACK },
	{ "migrations", "migrations", NULL, RULE_MOVES, MOVES_SLACK },
};

/* Of a figure's values in all runs */
struct spread {
	double min, median, max;
};

static int figure_of_run(const char *path, struct json_object *run,
			 const struct figure *fig)
{
	struct json_object *moves;
	int sum = 0;
	size_t i;

	if (!fig->group)
		return need_int(path, run, fig->key);
	moves = need(path, run, fig->group, json_type_object);
	if (fig->key)
		return need_int(path, moves, fig->key);
	for (i = 0; i < sizeof(run_migrations) / sizeof(*run_migrations); i++)
		sum += need_int(path, moves, run_migrations[i]);
	return sum;
}

static struct spread figure_spread(const struct entry *e, const struct figure *fig)
{
	int v[MAX_RUNS];
	size_t i;

	for (i = 0; i < e->nr; i++)
		v[i] = figure_of_run(e->path, json_object_array_get_idx(e->runs, i), fig);
	qsort(v, e->nr, sizeof(*v), compare_ints);
	return (struct spread) {
		.min = v[0],
		.median = (v[(e->nr - 1) / 2] + v[e->nr / 2]) / 2.0,
		.max = v[e->nr - 1],
	};
}

/* Did something else run or move amid the forks of most runs? */
static bool interrupted(const struct entry *e)
{
	struct json_object *burst;
	size_t i, nr = 0;

	for (i = 0; i < e->nr; i++) {
		if (!json_object_object_get_ex(json_object_array_get_idx(e->runs, i),
					       "burst", &burst))
			continue;
		if (need_int(e->path, burst, "migrations") ||
		    need_int(e->path, burst, "sleeps"))
			nr++;
	}
	return nr > e->nr / 2;
}

static bool within(double v, double min, double max)
{
	return v >= min && v <= max;
}

static bool agrees(const struct figure *fig, struct spread booted,
		   struct spread sim, bool broken)
{
	double v = sim.median, min;

	if (fig->rule == RULE_MOVES) {
		min = broken ? 0 : booted.min / MOVES_FACTOR - fig->slack;
		return within(v, min, booted.max * MOVES_FACTOR + fig->slack);
	}
	if (broken)
		return within(v, booted.min - fig->slack, booted.max + fig->slack);
	return within(v, booted.median - fig->slack, booted.median + fig->slack);
}

static const char *spread_str(struct spread s, char *buf, size_t size)
{
	snprintf(buf, size, "%g / %g / %g", s.min, s.median, s.max);
	return buf;
}

static void need_same(const struct entry *a, const struct entry *b,
		      const char *what, const char *x, const char *y)
{
	if (strcmp(x, y))
		die("%s and %s are not of the same %s: '%s' and '%s'", a->path,
		    b->path, what, x, y);
}

/* Return: how many figures differ */
static int agree_pair(const struct entry *booted, const struct entry *sim)
{
	bool broken = interrupted(booted);
	int differ = 0;
	size_t i;

	need_same(booted, sim, "base", booted->base, sim->base);
	need_same(booted, sim, "variant", booted->variant, sim->variant);
	need_same(booted, sim, "machine", booted->machine, sim->machine);
	need_same(booted, sim, "workload", booted->workload, sim->workload);
	need_same(booted, sim, "CPUs", booted->cpus, sim->cpus);
	for (i = 0; i < sizeof(figures) / sizeof(*figures); i++) {
		struct spread b = figure_spread(booted, &figures[i]);
		struct spread s = figure_spread(sim, &figures[i]);
		bool good = agrees(&figures[i], b, s, broken);
		char bs[64], ss[64];

		printf("%-20s %-8s %-19s %17s %17s  %s%s\n", booted->workload,
		       booted->variant, figures[i].name,
		       spread_str(b, bs, sizeof(bs)), spread_str(s, ss, sizeof(ss)),
		       good ? "agrees" : "differs",
		       broken ? " (interrupted forks)" : "");
		differ += !good;
	}
	return differ;
}

static int cmd_agree(int argc, char **argv)
{
	struct entry booted, sim;
	int i, differ = 0;

	if (argc < 3 || argc % 2 == 0)
		return 2;
	printf("%-20s %-8s %-19s %17s %17s  %s\n", "workload", "variant",
	       "figure", "booted", "simulated", "verdict");
	printf("%-20s %-8s %-19s %17s %17s\n", "", "", "", "min/median/max",
	       "min/median/max");
	for (i = 1; i < argc; i += 2) {
		booted = (struct entry) { 0 };
		sim = (struct entry) { 0 };
		load_entry(&booted, argv[i]);
		load_entry(&sim, argv[i + 1]);
		differ += agree_pair(&booted, &sim);
		json_object_put(booted.obj);
		json_object_put(sim.obj);
	}
	return differ ? 1 : 0;
}

int main(int argc, char **argv)
{
	int ret = 2;

	if (argc > 1 && !strcmp(argv[1], "collect"))
		ret = cmd_collect(argc - 1, argv + 1);
	else if (argc > 1 && !strcmp(argv[1], "table"))
		ret = cmd_table(argc - 1, argv + 1);
	else if (argc > 1 && (!strcmp(argv[1], "min") || !strcmp(argv[1], "max")))
		ret = cmd_extreme(argc - 1, argv + 1);
	else if (argc > 1 && !strcmp(argv[1], "agree"))
		ret = cmd_agree(argc - 1, argv + 1);
	else if (argc == 2 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help")))
		ret = 0;

	if (!ret && argc == 2)
		usage(stdout);
	else if (ret == 2)
		usage(stderr);

	if (fflush(stdout) || ferror(stdout))
		die("standard output: %s", strerror(errno));
	return ret;
}
