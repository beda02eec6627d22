// SPDX-License-Identifier: GPL-2.0
/* lab-machine: ask a machine file for QEMU's arguments, CPU lists, a check */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "machine.h"

static void usage(FILE *f)
{
	fputs("Usage: lab-machine arch FILE              x86_64 or arm64\n"
	      "       lab-machine qemu FILE              QEMU's arguments, one a line\n"
	      "       lab-machine cpus FILE [SPEC]       a CPU list; SPEC is all (default),\n"
	      "                                          per-llc, per-node, llc N, node N,\n"
	      "                                          spread N or a list to verify\n"
	      "       lab-machine describe FILE          the machine in words\n"
	      "       lab-machine domains FILE [nocls]   the scheduler domains of every CPU, a line\n"
	      "                                          each; nocls: of a kernel without clusters\n"
	      "       lab-machine check [--root DIR] FILE\n"
	      "                                          does the running kernel see it?\n",
	      f);
}

static const char *arch_name(const struct machine *m)
{
	return m->arch == ARCH_X86_64 ? "x86_64" : "arm64";
}

static void qemu_numa(const struct machine *m)
{
	unsigned int per_node = machine_threads_per_node(m), i, j;
	unsigned long long mib = m->memory >> 20, share;

	/* A single node is what a PC without NUMA tables has anyway */
	if (m->nr_nodes == 1)
		return;
	for (i = 0; i < m->nr_nodes; i++) {
		/* The last node takes what does not divide evenly */
		share = mib / m->nr_nodes;
		if (i == m->nr_nodes - 1)
			share = mib - share * i;
		printf("-object\nmemory-backend-ram,id=mem%u,size=%lluM\n", i,
		       share);
		printf("-numa\nnode,nodeid=%u,memdev=mem%u,cpus=%u-%u\n", i, i,
		       i * per_node, (i + 1) * per_node - 1);
	}
	for (i = 0; i < m->nr_nodes; i++) {
		for (j = 0; j < m->nr_nodes; j++)
			printf("-numa\ndist,src=%u,dst=%u,val=%u\n", i, j,
			       m->distance[i][j]);
	}
}

static int qemu_x86(const struct machine *m, const char *path)
{
	unsigned int dies = m->nodes * m->llcs;

	if (m->clusters && (m->threads > 1 || m->nodes > 1)) {
		fprintf(stderr,
			"%s: with clusters, QEMU's x86 has one thread a core and one node a socket; set 'clusters 0'\n",
			path);
		return 1;
	}
	if (m->nr_cpus > MACHINE_X86_MAX_CPUS ||
	    machine_max_apic_id(m) >= MACHINE_X86_MAX_CPUS) {
		fprintf(stderr,
			"%s: %u CPUs with APIC ids up to %u: QEMU's emulated x86 stops at %d CPUs and id %d; schedsim takes it\n",
			path, m->nr_cpus, machine_max_apic_id(m),
			MACHINE_X86_MAX_CPUS, MACHINE_X86_MAX_CPUS - 1);
		return 1;
	}
	/* One die an LLC: Intel models report one L3 a die */
	if (m->clusters) {
		/*
		 * QEMU's L2 belongs to the threads of a core. Without leaf 0xb
		 * and as a Centaur, whose CMP_LEGACY bit QEMU sets, Linux takes
		 * no thread for another's sibling, and the L2 remains shared.
		 */
		printf("-machine\nq35\n-cpu\n%s,vendor=CentaurHauls,cpuid-0xb=off\n",
		       m->cpu_model);
		printf("-smp\n%u,sockets=%u,dies=%u,cores=%u,threads=%u\n",
		       m->nr_cpus, m->sockets, dies, m->clusters, m->cores);
		return 0;
	}
	/*
	 * Under KVM a model takes the host's vendor, and with AMD's the guest
	 * finds one L3 a socket.
	 */
	printf("-machine\nq35\n-cpu\n%s%s\n", m->cpu_model,
	       strncmp(m->cpu_model, "EPYC", 4) ? ",vendor=GenuineIntel" : "");
	printf("-smp\n%u,sockets=%u,dies=%u,cores=%u,threads=%u\n", m->nr_cpus,
	       m->sockets, dies, m->cores, m->threads);
	return 0;
}

static int qemu_arm64(const struct machine *m)
{
	/* GICv2, the default, stops at 8 CPUs */
	printf("-machine\nvirt,gic-version=3\n-cpu\n%s\n", m->cpu_model);
	/*
	 * QEMU knows nothing between a socket and a cluster. Without clusters,
	 * the socket is one, which Linux drops for being no smaller than MC.
	 */
	printf("-smp\n%u,sockets=%u,clusters=%u,cores=%u,threads=%u\n",
	       m->nr_cpus, m->sockets,
	       m->clusters ? m->nodes * m->llcs * m->clusters : 1,
	       m->clusters ? m->cores : m->nodes * m->llcs * m->cores,
	       m->threads);
	return 0;
}

static int cmd_qemu(const struct machine *m, const char *path)
{
	if ((m->memory >> 20) / m->nr_nodes < 64) {
		fprintf(stderr, "%s: %lluM of memory for %u nodes; give each at least 64M\n",
			path, m->memory >> 20, m->nr_nodes);
		return 1;
	}
	if (m->arch == ARCH_ARM64 ? qemu_arm64(m) : qemu_x86(m, path))
		return 1;
	printf("-m\n%lluM\n", m->memory >> 20);
	qemu_numa(m);
	return 0;
}

static int cmd_cpus(const struct machine *m, const char *spec)
{
	char err[MACHINE_ERR_LEN], buf[CPUS_STR_LEN];
	struct cpus cpus;

	if (machine_cpus(m, spec, &cpus, err)) {
		fprintf(stderr, "lab-machine: %s\n", err);
		return 1;
	}
	puts(cpus_str(&cpus, buf));
	return 0;
}

static void print_size(unsigned long long v)
{
	if (!(v & ((1ULL << 30) - 1)))
		printf("%lluG", v >> 30);
	else if (!(v & ((1ULL << 20) - 1)))
		printf("%lluM", v >> 20);
	else
		printf("%lluK", v >> 10);
}

static void print_domains(const struct machine *m, unsigned int cpu, bool has_cls)
{
	struct machine_level levels[MACHINE_MAX_LEVELS];
	unsigned int i, nr = machine_levels(m, cpu, has_cls, levels);
	char buf[CPUS_STR_LEN];

	printf("scheduler domains of CPU %u:", cpu);
	for (i = 0; i < nr; i++)
		printf("%s %s %s", i ? "," : "", levels[i].name,
		       cpus_str(&levels[i].span, buf));
	putchar('\n');
}

static int cmd_domains(const struct machine *m, bool has_cls)
{
	unsigned int cpu;

	for (cpu = 0; cpu < m->nr_cpus; cpu++)
		print_domains(m, cpu, has_cls);
	return 0;
}

static int cmd_describe(const struct machine *m)
{
	unsigned int i, j;

	printf("%s: %s, %u CPUs, %u LLCs, %u NUMA node%s\n", m->name,
	       arch_name(m), m->nr_cpus, m->nr_llcs, m->nr_nodes, m->nr_nodes == 1 ? "" : "s");
	printf("%u socket%s x %u node%s x %u LLC%s", m->sockets,
	       m->sockets == 1 ? "" : "s", m->nodes, m->nodes == 1 ? "" : "s",
	       m->llcs, m->llcs == 1 ? "" : "s");
	if (m->clusters)
		printf(" x %u clusters", m->clusters);
	printf(" x %u cores x %u thread%s\n", m->cores, m->threads,
	       m->threads == 1 ? "" : "s");
	printf("caches: L1d ");
	print_size(m->l1d);
	printf(", L2 ");
	print_size(m->l2);
	printf(", L3 ");
	print_size(m->l3);
	printf(" each; bandwidth: %u MB/s an LLC, %u MB/s a node\n",
	       m->llc_bandwidth, m->node_bandwidth);
	for (i = 0; i < m->nr_nodes; i++) {
		printf("node %u: CPUs %u-%u, distances", i,
		       i * machine_threads_per_node(m),
		       (i + 1) * machine_threads_per_node(m) - 1);
		for (j = 0; j < m->nr_nodes; j++)
			printf(" %u", m->distance[i][j]);
		putchar('\n');
	}
	print_domains(m, 0, true);
	return 0;
}

int main(int argc, char **argv)
{
	char err[MACHINE_ERR_LEN], spec[64] = "all";
	const char *root = "", *cmd, *path;
	static struct machine m;
	int ret = 2;

	if (argc == 2 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))) {
		usage(stdout);
		return 0;
	}
	if (argc > 4 && !strcmp(argv[1], "check") && !strcmp(argv[2], "--root")) {
		root = argv[3];
		argv[3] = argv[1];
		argv += 2;
		argc -= 2;
	}
	if (argc < 3 || argc > 5) {
		usage(stderr);
		return 2;
	}
	cmd = argv[1];
	path = argv[2];

	if (argc > 3 && strcmp(cmd, "cpus") &&
	    (argc > 4 || strcmp(cmd, "domains") || strcmp(argv[3], "nocls"))) {
		usage(stderr);
		return 2;
	}
	/* "llc 3" is the same as "llc=3" */
	if (argc > 3)
		snprintf(spec, sizeof(spec), "%s%s%s", argv[3],
			 argc > 4 ? "=" : "", argc > 4 ? argv[4] : "");

	if (machine_load(&m, path, err)) {
		fprintf(stderr, "%s\n", err);
		return 1;
	}
	if (!strcmp(cmd, "arch"))
		ret = puts(arch_name(&m)) < 0;
	else if (!strcmp(cmd, "qemu"))
		ret = cmd_qemu(&m, path);
	else if (!strcmp(cmd, "cpus"))
		ret = cmd_cpus(&m, spec);
	else if (!strcmp(cmd, "describe"))
		ret = cmd_describe(&m);
	else if (!strcmp(cmd, "domains"))
		ret = cmd_domains(&m, argc < 4);
	else if (!strcmp(cmd, "check"))
		ret = check_machine_matches(&m, root);
	else
		usage(stderr);

	if (fflush(stdout) || ferror(stdout)) {
		perror("lab-machine: standard output");
		return 1;
	}
	return ret;
}
