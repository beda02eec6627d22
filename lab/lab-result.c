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
	      "         the least or the most that a run has of KEY\n", f);
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

enum table_row {
	ROW_RUNS, ROW_CPUS, ROW_LLCS, ROW_STACK, ROW_SAME_LLC, ROW_CROSS_LLC,
	ROW_CROSS_NODE, ROW_SETTLED, NR_ROWS
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
	int row, i;

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
	for (row = 0; row < NR_ROWS; row++) {
		printf("  %-54s", row_names[row]);
		for (i = 0; i < nr; i++) {
			if (!same_group(&e[i], first))
				continue;
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

int main(int argc, char **argv)
{
	int ret = 2;

	if (argc > 1 && !strcmp(argv[1], "collect"))
		ret = cmd_collect(argc - 1, argv + 1);
	else if (argc > 1 && !strcmp(argv[1], "table"))
		ret = cmd_table(argc - 1, argv + 1);
	else if (argc > 1 && (!strcmp(argv[1], "min") || !strcmp(argv[1], "max")))
		ret = cmd_extreme(argc - 1, argv + 1);
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
