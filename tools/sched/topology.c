// SPDX-License-Identifier: GPL-2.0
/*
 * CPU lists, and the machine's LLCs and NUMA nodes.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "schedplace.h"
#include "topology.h"

#define SYS_CPU "/sys/devices/system/cpu"

/**
 * cpuset_parse - parse a CPU list such as "0-3,8"
 * @set: result
 * @list: the list; white space at its end is accepted
 *
 * Return: 0, or -1 if the list is malformed or names a CPU out of range.
 */
int cpuset_parse(struct cpuset *set, const char *list)
{
	const char *s = list;
	long first, last;
	char *end;

	memset(set, 0, sizeof(*set));
	while (isspace((unsigned char)*s))
		s++;
	while (*s) {
		if (!isdigit((unsigned char)*s))
			return -1;
		first = strtol(s, &end, 10);
		last = first;
		if (*end == '-') {
			s = end + 1;
			if (!isdigit((unsigned char)*s))
				return -1;
			last = strtol(s, &end, 10);
		}
		if (last < first || last >= MAX_CPUS)
			return -1;
		for (; first <= last; first++)
			cpuset_add(set, first);
		s = end;
		if (*s == ',') {
			s++;
			continue;
		}
		while (isspace((unsigned char)*s))
			s++;
		if (*s)
			return -1;
	}
	return 0;
}

/**
 * cpuset_format - format a set as a CPU list
 * @set: the set
 *
 * Return: a string to be freed.
 */
char *cpuset_format(const struct cpuset *set)
{
	char *buf = NULL;
	size_t size;
	FILE *f = open_memstream(&buf, &size);
	const char *sep = "";
	int cpu, last;

	if (!f)
		die("out of memory");
	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (!cpuset_has(set, cpu))
			continue;
		last = cpu;
		while (last + 1 < MAX_CPUS && cpuset_has(set, last + 1))
			last++;
		if (last > cpu)
			fprintf(f, "%s%d-%d", sep, cpu, last);
		else
			fprintf(f, "%s%d", sep, cpu);
		sep = ",";
		cpu = last;
	}
	if (fclose(f))
		die("out of memory");
	return buf;
}

/**
 * cpuset_count - number of CPUs in a set
 * @set: the set
 *
 * Return: the number.
 */
int cpuset_count(const struct cpuset *set)
{
	int i, nr = 0;

	for (i = 0; i < MAX_CPUS / 64; i++)
		nr += __builtin_popcountll(set->bits[i]);
	return nr;
}

/**
 * topology_add - describe one CPU
 * @topo: the topology
 * @cpu: CPU number
 * @llc: its last-level cache
 * @node: its NUMA node
 *
 * Return: 0, or -1 if a number is out of range.
 */
int topology_add(struct topology *topo, int cpu, int llc, int node)
{
	if (cpu < 0 || cpu >= MAX_CPUS || llc < 0 || llc >= MAX_CPUS ||
	    node < 0 || node >= MAX_CPUS)
		return -1;
	cpuset_add(&topo->known, cpu);
	topo->llc[cpu] = llc;
	topo->node[cpu] = node;
	if (cpu >= topo->nr)
		topo->nr = cpu + 1;
	return 0;
}

static char *read_line(const char *path)
{
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t size = 0;
	ssize_t len;

	if (!f)
		return NULL;
	len = getline(&line, &size, f);
	fclose(f);
	if (len <= 0) {
		free(line);
		return NULL;
	}
	if (line[len - 1] == '\n')
		line[len - 1] = '\0';
	return line;
}

static char *read_cpu(int cpu, const char *file)
{
	char *path = xasprintf(SYS_CPU "/cpu%d/%s", cpu, file);
	char *line = read_line(path);

	free(path);
	return line;
}

static char *read_cache(int cpu, int index, const char *file)
{
	char *path = xasprintf("cache/index%d/%s", index, file);
	char *line = read_cpu(cpu, path);

	free(path);
	return line;
}

/* The CPUs that share this CPU's highest cache that holds data. */
static char *read_llc_cpus(int cpu)
{
	char *best = NULL, *level, *type, *list;
	int index, best_level = 0;

	for (index = 0; (level = read_cache(cpu, index, "level")); index++) {
		type = read_cache(cpu, index, "type");
		if (type && strcmp(type, "Instruction") && atoi(level) > best_level) {
			list = read_cache(cpu, index, "shared_cpu_list");
			if (list && *list) {
				free(best);
				best = list;
				best_level = atoi(level);
			} else {
				free(list);
			}
		}
		free(type);
		free(level);
	}
	/* Virtual machines often show no cache: take the package then. */
	if (!best)
		best = read_cpu(cpu, "topology/package_cpus_list");
	if (!best)
		best = read_cpu(cpu, "topology/core_siblings_list");
	return best;
}

static int read_node(int cpu)
{
	char *path = xasprintf(SYS_CPU "/cpu%d", cpu);
	DIR *dir = opendir(path);
	struct dirent *de;
	int node = 0;

	free(path);
	if (!dir)
		return 0;
	while ((de = readdir(dir))) {
		if (!strncmp(de->d_name, "node", 4) &&
		    isdigit((unsigned char)de->d_name[4])) {
			node = atoi(de->d_name + 4);
			break;
		}
	}
	closedir(dir);
	return node;
}

/**
 * topology_read_sys - describe the online CPUs of this machine
 * @topo: result
 *
 * LLCs are numbered from 0 in the order of their first CPU.
 */
void topology_read_sys(struct topology *topo)
{
	struct cpuset online, shared;
	int cpu, other, nr_llcs = 0;
	char *list;

	memset(topo, 0, sizeof(*topo));
	list = read_line(SYS_CPU "/online");
	if (!list || cpuset_parse(&online, list))
		die("cannot read the online CPUs from " SYS_CPU "/online (is /sys mounted?)");
	free(list);

	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (!cpuset_has(&online, cpu) || cpuset_has(&topo->known, cpu))
			continue;
		list = read_llc_cpus(cpu);
		if (!list || cpuset_parse(&shared, list))
			memset(&shared, 0, sizeof(shared));
		free(list);
		cpuset_add(&shared, cpu);
		for (other = cpu; other < MAX_CPUS; other++) {
			if (cpuset_has(&online, other) && cpuset_has(&shared, other) &&
			    !cpuset_has(&topo->known, other))
				topology_add(topo, other, nr_llcs, read_node(other));
		}
		nr_llcs++;
	}
}

/**
 * topology_read_file - read a topology from a file of "cpu llc node" lines
 * @topo: result
 * @path: the file; blank lines and lines that start with # are skipped
 */
void topology_read_file(struct topology *topo, const char *path)
{
	FILE *f = fopen(path, "r");
	int cpu, llc, node, lineno = 0, end;
	char *line = NULL, *s;
	size_t size = 0;

	if (!f)
		die("%s: %s", path, strerror(errno));
	memset(topo, 0, sizeof(*topo));
	while (getline(&line, &size, f) > 0) {
		lineno++;
		s = line + strspn(line, " \t\r\n");
		if (!*s || *s == '#')
			continue;
		end = 0;
		if (sscanf(s, "%d %d %d %n", &cpu, &llc, &node, &end) != 3 ||
		    !end || s[end] || topology_add(topo, cpu, llc, node))
			die("%s:%d: expected 'cpu llc node', three numbers", path, lineno);
	}
	if (ferror(f))
		die("%s: %s", path, strerror(errno));
	free(line);
	fclose(f);
	if (!topo->nr)
		die("%s: no 'cpu llc node' line", path);
}
