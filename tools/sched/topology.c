// SPDX-License-Identifier: GPL-2.0
/*
 * CPU lists, and the machine's clusters, LLCs and NUMA nodes.
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
 * @cluster: its cluster, or -1 on a machine without
 *
 * Return: 0, or -1 if a number is out of range or only some CPUs have a cluster.
 */
int topology_add(struct topology *topo, int cpu, int llc, int node, int cluster)
{
	bool has_cluster = cluster >= 0;

	if (cpu < 0 || cpu >= MAX_CPUS || llc < 0 || llc >= MAX_CPUS ||
	    node < 0 || node >= MAX_CPUS || cluster < -1 || cluster >= MAX_CPUS)
		return -1;
	if (topo->nr && topo->has_clusters != has_cluster)
		return -1;
	topo->has_clusters = has_cluster;
	cpuset_add(&topo->known, cpu);
	topo->llc[cpu] = llc;
	topo->node[cpu] = node;
	topo->cluster[cpu] = cluster;
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

/*
 * Old kernels have no file. Newer ones have it on every machine, and often it
 * names a core or all of the LLC, which is no cluster.
 */
static void read_clusters(struct topology *topo)
{
	int cpu, other, beside_core, in_llc, nr = 0;
	struct cpuset shared, core;
	bool found = false;
	char *list;

	for (cpu = 0; cpu < topo->nr; cpu++) {
		if (!cpuset_has(&topo->known, cpu) || topo->cluster[cpu] >= 0)
			continue;
		list = read_cpu(cpu, "topology/cluster_cpus_list");
		if (!list || cpuset_parse(&shared, list))
			memset(&shared, 0, sizeof(shared));
		free(list);
		cpuset_add(&shared, cpu);
		list = read_cpu(cpu, "topology/thread_siblings_list");
		if (!list || cpuset_parse(&core, list))
			memset(&core, 0, sizeof(core));
		free(list);
		cpuset_add(&core, cpu);
		beside_core = 0;
		in_llc = 0;
		for (other = 0; other < topo->nr; other++) {
			if (!cpuset_has(&topo->known, other) ||
			    topo->llc[other] != topo->llc[cpu])
				continue;
			in_llc++;
			if (!cpuset_has(&shared, other))
				continue;
			beside_core += !cpuset_has(&core, other);
			topo->cluster[other] = nr;
		}
		nr++;
		found |= beside_core && beside_core + cpuset_count(&core) < in_llc;
	}
	for (cpu = 0; cpu < topo->nr && !found; cpu++)
		topo->cluster[cpu] = -1;
	topo->has_clusters = found;
}

/**
 * topology_read_sys - describe the online CPUs of this machine
 * @topo: result
 *
 * LLCs and clusters are numbered from 0 in the order of their first CPU.
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
				topology_add(topo, other, nr_llcs, read_node(other), -1);
		}
		nr_llcs++;
	}
	read_clusters(topo);
}

/**
 * topology_read_file - read a topology from a file of "cpu llc node [cluster]" lines
 * @topo: result
 * @path: the file; blank lines and lines that start with # are skipped
 */
void topology_read_file(struct topology *topo, const char *path)
{
	FILE *f = fopen(path, "r");
	int cpu, llc, node, cluster, lineno = 0, end, fields;
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
		cluster = -1;
		fields = sscanf(s, "%d %d %d %n%d %n", &cpu, &llc, &node, &end, &cluster, &end);
		if (fields < 3 || !end || s[end] || topology_add(topo, cpu, llc, node, cluster))
			die("%s:%d: expected 'cpu llc node', or everywhere 'cpu llc node cluster'",
			    path, lineno);
	}
	if (ferror(f))
		die("%s: %s", path, strerror(errno));
	free(line);
	fclose(f);
	if (!topo->nr)
		die("%s: no 'cpu llc node' line", path);
}
