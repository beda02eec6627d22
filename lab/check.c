// SPDX-License-Identifier: GPL-2.0
/*
 * Compare the running kernel's view of the hardware with a machine file.
 * A result measured on another topology than the one named is worthless, so
 * the guest runs this before anything else.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "compiler.h"

#define DOMAINS_DEBUGFS	"/sys/kernel/debug/sched/domains"
#define DOMAINS_PROC	"/proc/sys/kernel/sched_domain"

struct check {
	const struct machine *m;
	const char *root;
	unsigned int tests;
	unsigned int failed;
};

/* Names of one CPU's domains and their spans, as the kernel has them */
struct domains {
	unsigned int nr;
	char *name[MACHINE_MAX_LEVELS];
	struct cpus span[MACHINE_MAX_LEVELS];
};

static __printf(3, 4) void result(struct check *ck, bool ok,
				  const char *fmt, ...)
{
	va_list ap;

	ck->tests++;
	if (!ok)
		ck->failed++;
	printf("%sok %u - ", ok ? "" : "not ", ck->tests);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

static FILE *open_under(const struct check *ck, const char *fmt, va_list ap)
{
	char path[4096];
	int n;

	n = snprintf(path, sizeof(path), "%s", ck->root);
	if (n < 0 || n >= (int)sizeof(path))
		return NULL;
	vsnprintf(path + n, sizeof(path) - n, fmt, ap);
	return fopen(path, "r");
}

/* First line of a file without its newline, to be freed; NULL if unreadable */
static __printf(2, 3) char *read_line(const struct check *ck,
				      const char *fmt, ...)
{
	char *line = NULL;
	size_t size = 0;
	va_list ap;
	FILE *f;

	va_start(ap, fmt);
	f = open_under(ck, fmt, ap);
	va_end(ap);
	if (!f)
		return NULL;
	if (getline(&line, &size, f) < 0) {
		free(line);
		fclose(f);
		return NULL;
	}
	fclose(f);
	line[strcspn(line, "\n")] = '\0';
	return line;
}

static const char *or_none(const char *s)
{
	return s ? s : "(unreadable)";
}

static void check_list(struct check *ck, const char *what,
		       const struct cpus *want, const char *found)
{
	char buf[CPUS_STR_LEN];
	struct cpus have;

	result(ck, found && !cpus_parse_list(&have, found) &&
	       cpus_equal(want, &have), "%s: expected %s, found %s", what,
	       cpus_str(want, buf), or_none(found));
}

static void check_online(struct check *ck)
{
	struct cpus want;
	char *found;

	cpus_clear(&want);
	cpus_set_range(&want, 0, ck->m->nr_cpus);
	found = read_line(ck, "/sys/devices/system/cpu/online");
	check_list(ck, "online CPUs", &want, found);
	free(found);
}

static void check_nodes(struct check *ck)
{
	unsigned int per_node = machine_threads_per_node(ck->m);
	unsigned int node, other;
	struct cpus want;
	char *found;

	cpus_clear(&want);
	cpus_set_range(&want, 0, ck->m->nr_nodes);
	found = read_line(ck, "/sys/devices/system/node/online");
	check_list(ck, "NUMA nodes", &want, found);
	free(found);

	for (node = 0; node < ck->m->nr_nodes; node++) {
		char what[64], row[MACHINE_MAX_NODES * 4 + 1], *p = row;

		cpus_clear(&want);
		cpus_set_range(&want, node * per_node, per_node);
		found = read_line(ck, "/sys/devices/system/node/node%u/cpulist",
				  node);
		snprintf(what, sizeof(what), "CPUs of node %u", node);
		check_list(ck, what, &want, found);
		free(found);

		for (other = 0; other < ck->m->nr_nodes; other++)
			p += sprintf(p, "%s%u", other ? " " : "",
				     ck->m->distance[node][other]);
		found = read_line(ck, "/sys/devices/system/node/node%u/distance",
				  node);
		result(ck, found && !strcmp(found, row),
		       "distances of node %u: expected %s, found %s", node,
		       row, or_none(found));
		free(found);
	}
}

/*
 * The CPUs that share a cache of @level with @cpu, or of the highest level if
 * that is 0; to be freed. NULL if there is no such cache.
 */
static char *read_cache(const struct check *ck, unsigned int cpu, long level)
{
	long best = -1, found;
	char *list = NULL, *text;
	int index;

	for (index = 0; ; index++) {
		text = read_line(ck, "/sys/devices/system/cpu/cpu%u/cache/index%d/level",
				 cpu, index);
		if (!text)
			return list;
		found = strtol(text, NULL, 10);
		free(text);
		if (found <= best || (level && found != level))
			continue;
		best = found;
		free(list);
		list = read_line(ck, "/sys/devices/system/cpu/cpu%u/cache/index%d/shared_cpu_list",
				 cpu, index);
	}
}

static char *read_l2(const struct check *ck, unsigned int cpu)
{
	return read_cache(ck, cpu, 2);
}

static char *read_llc(const struct check *ck, unsigned int cpu)
{
	return read_cache(ck, cpu, 0);
}

/*
 * One line for the CPUs of a block that agree with the file, one for each
 * that does not: 512 lines of "ok" hide the one that matters.
 */
static void check_blocks(struct check *ck, const char *what, unsigned int weight,
			 char *(*read)(const struct check *ck, unsigned int cpu))
{
	unsigned int cpu, failed;
	struct cpus want, have;
	char buf[CPUS_STR_LEN];

	for (cpu = 0; cpu < ck->m->nr_cpus; cpu += weight) {
		unsigned int i;

		cpus_clear(&want);
		cpus_set_range(&want, cpu, weight);
		for (i = cpu, failed = 0; i < cpu + weight; i++) {
			char *found = read(ck, i);

			if (!found || cpus_parse_list(&have, found) ||
			    !cpus_equal(&want, &have)) {
				failed++;
				result(ck, false,
				       "%s of CPU %u: expected %s, found %s",
				       what, i, cpus_str(&want, buf),
				       or_none(found));
			}
			free(found);
		}
		if (!failed)
			result(ck, true, "%s %s", what, cpus_str(&want, buf));
	}
}

static char *read_siblings(const struct check *ck, unsigned int cpu)
{
	return read_line(ck, "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list",
			 cpu);
}

static char *read_cluster(const struct check *ck, unsigned int cpu)
{
	return read_line(ck, "/sys/devices/system/cpu/cpu%u/topology/cluster_cpus_list",
			 cpu);
}

/* Spans are in /proc/schedstat: "cpu3 ..." and then "domain0 [name] <mask>" */
static int read_spans(const struct check *ck, struct domains *doms)
{
	char path[4096], *line = NULL, *p;
	unsigned int cpu = MACHINE_MAX_CPUS, level;
	size_t size = 0;
	int ret = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/proc/schedstat", ck->root);
	f = fopen(path, "r");
	if (!f)
		return -1;
	while (!ret && getline(&line, &size, f) >= 0) {
		if (sscanf(line, "cpu%u", &cpu) == 1)
			continue;
		if (sscanf(line, "domain%u", &level) != 1)
			continue;
		if (cpu >= ck->m->nr_cpus || level >= MACHINE_MAX_LEVELS ||
		    level != doms[cpu].nr) {
			ret = -1;
			break;
		}
		p = strchr(line, ' ');
		p = p ? p + 1 : line;
		/* Kernels from 6.15 on put the name before the mask */
		if (isupper((unsigned char)*p))
			p += strcspn(p, " ") + 1;
		ret = cpus_parse_mask(&doms[cpu].span[level], p);
		doms[cpu].nr++;
	}
	free(line);
	fclose(f);
	return ret;
}

static int read_names(const struct check *ck, unsigned int cpu,
		      struct domains *d)
{
	unsigned int level;

	for (level = 0; level < d->nr; level++) {
		d->name[level] = read_line(ck, DOMAINS_DEBUGFS "/cpu%u/domain%u/name",
					   cpu, level);
		if (!d->name[level])
			d->name[level] = read_line(ck, DOMAINS_PROC "/cpu%u/domain%u/name",
						   cpu, level);
		if (!d->name[level])
			return -1;
	}
	return 0;
}

/* 6.7 renamed DIE to PKG */
static bool same_name(const char *want, const char *found)
{
	return !strcmp(want, found) ||
	       (!strcmp(want, "DIE") && !strcmp(found, "PKG"));
}

/* Levels as text: "MC 0-3, DIE 0-15", to be freed */
static char *levels_str(unsigned int nr, const char *(*name)(const void *, unsigned int),
			const struct cpus *(*span)(const void *, unsigned int),
			const void *data)
{
	char buf[CPUS_STR_LEN], *text = NULL;
	unsigned int i;
	size_t size;
	FILE *f;

	f = open_memstream(&text, &size);
	if (!f)
		return NULL;
	for (i = 0; i < nr; i++)
		fprintf(f, "%s%s %s", i ? ", " : "", name(data, i),
			cpus_str(span(data, i), buf));
	if (!nr)
		fputs("none", f);
	fclose(f);
	return text;
}

static const char *want_name(const void *data, unsigned int i)
{
	return ((const struct machine_level *)data)[i].name;
}

static const struct cpus *want_span(const void *data, unsigned int i)
{
	return &((const struct machine_level *)data)[i].span;
}

static const char *found_name(const void *data, unsigned int i)
{
	return ((const struct domains *)data)->name[i] ?: "?";
}

static const struct cpus *found_span(const void *data, unsigned int i)
{
	return &((const struct domains *)data)->span[i];
}

/*
 * Does the kernel have the cluster level? Its own configuration knows; a
 * kernel that does not show it is expected to.
 */
static bool kernel_has_cls(const struct check *ck)
{
	char cmd[4200], line[256];
	bool any = false, found = false;
	FILE *f;

	/* The root is ours (a test's directory): no quote in it */
	if (strchr(ck->root, '\''))
		return true;
	snprintf(cmd, sizeof(cmd), "zcat '%s/proc/config.gz' 2>/dev/null",
		 ck->root);
	f = popen(cmd, "r");
	if (!f)
		return true;
	while (fgets(line, sizeof(line), f)) {
		any = true;
		if (!strcmp(line, "CONFIG_SCHED_CLUSTER=y\n"))
			found = true;
	}
	pclose(f);
	return !any || found;
}

static bool domains_match(const struct domains *d,
			  const struct machine_level *want, unsigned int nr)
{
	unsigned int i;

	if (d->nr != nr)
		return false;
	for (i = 0; i < nr; i++) {
		if (!d->name[i] || !same_name(want[i].name, d->name[i]) ||
		    !cpus_equal(&want[i].span, &d->span[i]))
			return false;
	}
	return true;
}

static void check_domains(struct check *ck)
{
	struct machine_level *want;
	bool has_cls = kernel_has_cls(ck);
	unsigned int cpu, nr, i, good = 0;
	char *first = NULL;
	struct domains *doms;

	doms = calloc(ck->m->nr_cpus, sizeof(*doms));
	want = calloc(MACHINE_MAX_LEVELS, sizeof(*want));
	if (!doms || !want) {
		result(ck, false, "scheduler domains: out of memory");
		goto out;
	}
	if (read_spans(ck, doms)) {
		result(ck, false,
		       "scheduler domains: cannot read /proc/schedstat; the kernel needs CONFIG_SCHEDSTATS");
		goto out;
	}
	for (cpu = 0; cpu < ck->m->nr_cpus; cpu++) {
		struct domains *d = &doms[cpu];
		bool named = !read_names(ck, cpu, d);
		char *ws, *fs;

		nr = machine_levels(ck->m, cpu, has_cls, want);
		if (domains_match(d, want, nr)) {
			good++;
			if (!first)
				first = levels_str(nr, want_name, want_span, want);
			continue;
		}
		ws = levels_str(nr, want_name, want_span, want);
		fs = levels_str(d->nr, found_name, found_span, d);
		result(ck, false,
		       "scheduler domains of CPU %u: expected %s, found %s%s",
		       cpu, or_none(ws), or_none(fs), named ? "" :
		       " (no names: needs CONFIG_SCHED_DEBUG, debugfs mounted and, from 6.3 on, Y in sched/verbose)");
		free(ws);
		free(fs);
	}
	if (good == ck->m->nr_cpus)
		result(ck, true, "scheduler domains of all %u CPUs; CPU 0: %s",
		       good, or_none(first));
	for (cpu = 0; cpu < ck->m->nr_cpus; cpu++) {
		for (i = 0; i < doms[cpu].nr; i++)
			free(doms[cpu].name[i]);
	}
out:
	free(first);
	free(want);
	free(doms);
}

/**
 * check_machine_matches() - compare the running kernel with a machine file
 * @m: the machine
 * @root: prefix of /sys and /proc, empty but for tests
 *
 * Prints TAP.
 *
 * Return: 0 if all matches, 1 if not.
 */
int check_machine_matches(const struct machine *m, const char *root)
{
	struct check ck = { .m = m, .root = root };
	char *cluster;

	check_online(&ck);
	check_nodes(&ck);
	if (m->threads > 1)
		check_blocks(&ck, "SMT siblings", m->threads, read_siblings);
	/* Kernels before 5.16 have no clusters unless patched */
	cluster = m->clusters ? read_cluster(&ck, 0) : NULL;
	if (cluster || (m->clusters && kernel_has_cls(&ck)))
		check_blocks(&ck, "cluster", machine_threads_per_cluster(m),
			     read_cluster);
	free(cluster);
	check_blocks(&ck, "L2", machine_threads_per_l2(m), read_l2);
	check_blocks(&ck, "LLC", machine_threads_per_llc(m), read_llc);
	check_domains(&ck);

	printf("1..%u\n", ck.tests);
	if (ck.failed) {
		printf("# %u of %u checks failed: this kernel does not see machine %s\n",
		       ck.failed, ck.tests, m->name);
		return 1;
	}
	return 0;
}
