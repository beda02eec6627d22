/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Machine files: the one description of a server that QEMU's arguments, the
 * guest's topology check and the simulator's topology come from.
 */
#ifndef LAB_MACHINE_H
#define LAB_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

#define MACHINE_MAX_CPUS	512
#define MACHINE_MAX_NODES	64
#define MACHINE_MAX_LEVELS	(5 + MACHINE_MAX_NODES)
#define MACHINE_NAME_LEN	64
#define MACHINE_ERR_LEN		512

/*
 * QEMU 7.2 emulates xAPIC only: ids 0..254, 255 is broadcast. A larger machine
 * is for the simulator alone.
 */
#define MACHINE_X86_MAX_CPUS	255

#define CPUS_WORD_BITS		(8 * sizeof(unsigned long))
#define CPUS_WORDS		(MACHINE_MAX_CPUS / CPUS_WORD_BITS)
/* The longest list: every other CPU, four characters each */
#define CPUS_STR_LEN		(MACHINE_MAX_CPUS * 4 + 1)

/**
 * struct cpus - a set of CPUs
 * @bits: one bit a CPU
 */
struct cpus {
	unsigned long bits[CPUS_WORDS];
};

enum machine_arch {
	ARCH_X86_64,
	ARCH_ARM64,
};

/**
 * struct machine - one machine file
 * @name: the file's name, without its directory
 * @arch: instruction set
 * @sockets: packages in the machine
 * @nodes: NUMA nodes per socket
 * @llcs: last-level caches per node
 * @clusters: clusters per LLC, 0 for none
 * @cores: cores per cluster, or per LLC if there are no clusters
 * @threads: hardware threads per core
 * @distance: NUMA distance table, as the firmware reports it
 * @l1d: L1 data cache of a core, bytes
 * @l2: L2 cache of a core (on x86 of a cluster, if there are any), bytes
 * @l3: the last-level cache, bytes
 * @llc_bandwidth: memory bandwidth that one LLC can draw, MB/s
 * @node_bandwidth: memory bandwidth of one node, MB/s
 * @memory: bytes of memory in the whole guest
 * @cpu_model: QEMU's -cpu
 * @nr_cpus: CPUs in the machine
 * @nr_nodes: NUMA nodes in the machine
 * @nr_llcs: last-level caches in the machine
 *
 * CPUs are numbered thread by thread, core by core, LLC by LLC: QEMU lists
 * them so in the MADT (x86) or the devicetree (arm64), and Linux keeps that
 * order. The two threads of a core thus have consecutive numbers.
 */
struct machine {
	char name[MACHINE_NAME_LEN];
	enum machine_arch arch;
	unsigned int sockets, nodes, llcs, clusters, cores, threads;
	unsigned int distance[MACHINE_MAX_NODES][MACHINE_MAX_NODES];
	unsigned long long l1d, l2, l3;
	unsigned int llc_bandwidth, node_bandwidth;
	unsigned long long memory;
	char cpu_model[MACHINE_NAME_LEN];

	unsigned int nr_cpus, nr_nodes, nr_llcs;
};

/**
 * struct machine_level - a scheduler domain that one CPU should have
 * @name: name in the kernel's topology table
 * @span: CPUs in the domain
 */
struct machine_level {
	const char *name;
	struct cpus span;
};

int machine_load(struct machine *m, const char *path, char *err);

unsigned int machine_max_apic_id(const struct machine *m);
unsigned int machine_threads_per_l2(const struct machine *m);
unsigned int machine_threads_per_llc(const struct machine *m);
unsigned int machine_threads_per_cluster(const struct machine *m);
unsigned int machine_threads_per_node(const struct machine *m);
unsigned int machine_llc_of(const struct machine *m, unsigned int cpu);
unsigned int machine_node_of(const struct machine *m, unsigned int cpu);
unsigned int machine_socket_of(const struct machine *m, unsigned int cpu);

int machine_cpus(const struct machine *m, const char *spec, struct cpus *out,
		 char *err);
unsigned int machine_levels(const struct machine *m, unsigned int cpu,
			    bool has_cls, struct machine_level *levels);

void cpus_clear(struct cpus *c);
void cpus_set(struct cpus *c, unsigned int cpu);
void cpus_set_range(struct cpus *c, unsigned int first, unsigned int nr);
bool cpus_test(const struct cpus *c, unsigned int cpu);
bool cpus_equal(const struct cpus *a, const struct cpus *b);
unsigned int cpus_weight(const struct cpus *c);
int cpus_parse_list(struct cpus *c, const char *list);
int cpus_parse_mask(struct cpus *c, const char *mask);
const char *cpus_str(const struct cpus *c, char *buf);

#endif /* LAB_MACHINE_H */
