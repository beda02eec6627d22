// SPDX-License-Identifier: GPL-2.0
/*
 * Machines: from the lab's files, or generated, to what the kernel boots on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "topo.h"

#ifndef SIM_LABDIR
#define SIM_LABDIR "lab"
#endif

/* The kernel's RECLAIM_DISTANCE, and what it makes of it on AMD's Zen */
#define RECLAIM_DISTANCE	30
#define RECLAIM_DISTANCE_ZEN	32

/**
 * topo_labdir - where the lab's machines and workloads are
 *
 * Return: the directory.
 */
const char *topo_labdir(void)
{
	const char *dir = getenv("SCHEDSIM_LAB");

	return dir && *dir ? dir : SIM_LABDIR;
}

/**
 * topo_find - the file that a name on the command line stands for
 * @path: takes the file's path
 * @size: its size
 * @dir: directory of the lab to look in
 * @name: a name there, or, with a slash in it, a path
 * @suffix: what the lab's files end in and the name need not
 *
 * Return: 0, or -1 if there is no such file.
 */
int topo_find(char *path, unsigned long size, const char *dir, const char *name,
	      const char *suffix)
{
	size_t len = strlen(name), slen = strlen(suffix);
	int has = len > slen && !strcmp(name + len - slen, suffix);
	int n;

	if (strchr(name, '/'))
		n = snprintf(path, size, "%s", name);
	else
		n = snprintf(path, size, "%s/%s/%s%s", topo_labdir(), dir, name,
			     has ? "" : suffix);
	return n < 0 || (unsigned long)n >= size || access(path, R_OK) ? -1 : 0;
}

/**
 * topo_load - read a machine file
 * @m: the machine
 * @name: a name in lab/machines, or a path; exits if it is no machine
 */
void topo_load(struct machine *m, const char *name)
{
	char path[4096], err[MACHINE_ERR_LEN];

	if (topo_find(path, sizeof(path), "machines", name, ""))
		die("--machine %s: cannot read %s; 'schedsim list' tells the names", name, path);
	if (machine_load(m, path, err))
		die("%s", err);
	if (m->nr_cpus > SIM_MAX_CPUS || m->nr_nodes > SIM_MAX_NODES)
		die("%s: more than %d CPUs or %d nodes", path, SIM_MAX_CPUS, SIM_MAX_NODES);
}

/**
 * topo_machine - a machine file as the kernel takes it
 * @m: the machine
 * @out: takes it
 */
void topo_machine(const struct machine *m, struct sim_machine *out)
{
	struct sim_cpu_topo *c;
	unsigned int cpu, i, j;

	memset(out, 0, sizeof(*out));
	out->nr_cpus = m->nr_cpus;
	out->nr_nodes = m->nr_nodes;
	out->has_clusters = m->clusters > 0;
	out->numa_in_package = m->arch == ARCH_X86_64 && m->nodes > 1;
	out->reclaim_distance = m->arch == ARCH_X86_64 && !strncmp(m->cpu_model, "EPYC", 4) ?
				RECLAIM_DISTANCE_ZEN : RECLAIM_DISTANCE;
	for (cpu = 0; cpu < m->nr_cpus; cpu++) {
		c = &out->cpu[cpu];
		c->package = machine_socket_of(m, cpu);
		c->node = machine_node_of(m, cpu);
		c->llc = machine_llc_of(m, cpu);
		c->core = cpu / m->threads;
		c->cluster = c->core;
		if (m->clusters)
			c->cluster = cpu / machine_threads_per_cluster(m);
		c->capacity = 1024;
	}
	for (i = 0; i < m->nr_nodes; i++) {
		for (j = 0; j < m->nr_nodes; j++)
			out->distance[i][j] = m->distance[i][j];
	}
}

/**
 * topo_generate - two nodes, 8 CPUs an LLC
 * @nr_cpus: CPUs, an even number
 * @out: takes the machine
 */
void topo_generate(int nr_cpus, struct sim_machine *out)
{
	struct sim_cpu_topo *c;
	int cpu, per_node = nr_cpus / 2, llcs = (per_node + 7) / 8;

	memset(out, 0, sizeof(*out));
	out->nr_cpus = nr_cpus;
	out->nr_nodes = 2;
	out->reclaim_distance = RECLAIM_DISTANCE;
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		c = &out->cpu[cpu];
		c->package = cpu / per_node;
		c->node = c->package;
		c->llc = c->node * llcs + cpu % per_node / 8;
		c->core = cpu;
		c->cluster = cpu;
		c->capacity = 1024;
	}
	out->distance[0][0] = 10;
	out->distance[1][1] = 10;
	out->distance[0][1] = 20;
	out->distance[1][0] = 20;
}

static void from_cpus(const struct cpus *cpus, struct sim_mask *out)
{
	unsigned int cpu;

	memset(out, 0, sizeof(*out));
	for (cpu = 0; cpu < SIM_MAX_CPUS; cpu++) {
		if (cpus_test(cpus, cpu))
			mask_set(out, cpu);
	}
}

/**
 * topo_cpus - the CPUs that --cpus stands for
 * @m: the machine
 * @spec: what machine_cpus() takes, or "free"
 * @out: takes the CPUs; exits if there are none
 */
void topo_cpus(const struct machine *m, const char *spec, struct sim_mask *out)
{
	char err[MACHINE_ERR_LEN];
	struct cpus cpus;

	/* lab/bench calls it so */
	if (machine_cpus(m, strcmp(spec, "free") ? spec : "all", &cpus, err))
		die("--cpus: %s", err);
	from_cpus(&cpus, out);
}

/**
 * topo_mask_parse - read a CPU list
 * @mask: takes the CPUs
 * @list: such as "0-3,8"
 * @nr_cpus: CPUs of the machine
 *
 * Return: 0, or -1 if this is none, or empty, or names a CPU that is not there.
 */
int topo_mask_parse(struct sim_mask *mask, const char *list, int nr_cpus)
{
	struct cpus cpus;
	int cpu;

	if (cpus_parse_list(&cpus, list) || !cpus_weight(&cpus))
		return -1;
	for (cpu = nr_cpus; cpu < MACHINE_MAX_CPUS; cpu++) {
		if (cpus_test(&cpus, cpu))
			return -1;
	}
	from_cpus(&cpus, mask);
	return 0;
}

/**
 * topo_mask_str - write a mask as a list such as "0-3,8"
 * @mask: the CPUs
 * @buf: CPUS_STR_LEN bytes
 */
void topo_mask_str(const struct sim_mask *mask, char *buf)
{
	struct cpus cpus;
	unsigned int cpu;

	cpus_clear(&cpus);
	for (cpu = 0; cpu < SIM_MAX_CPUS; cpu++) {
		if (mask_test(mask, cpu))
			cpus_set(&cpus, cpu);
	}
	cpus_str(&cpus, buf);
}
