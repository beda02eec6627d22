// SPDX-License-Identifier: GPL-2.0
/*
 * lab-dtb: add a machine's caches to QEMU's devicetree. QEMU describes CPUs,
 * clusters and nodes, but no cache, and without an L3 Linux would take the
 * package for what shares the last level.
 */
#include <errno.h>
#include <libfdt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"
#include "machine.h"

#define LINE_SIZE	64
#define MAX_TREE	(4 << 20)

/* Ways of each level; Linux wants them, nothing depends on them */
#define L1_WAYS		4
#define L2_WAYS		8
#define L3_WAYS		16

struct tree {
	const char *path;	/* for messages */
	void *fdt;
	uint32_t phandle;	/* the last one that is taken */
};

static __noreturn __printf(2, 3) void die(const char *path, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "lab-dtb: %s: ", path);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

/* What libfdt returned, unless it is an error */
static int must(const struct tree *t, int ret, const char *what)
{
	if (ret < 0)
		die(t->path, "%s: %s", what, fdt_strerror(ret));
	return ret;
}

static void load(struct tree *t, const char *path)
{
	char *buf = malloc(MAX_TREE);
	size_t len;
	FILE *f;

	t->path = path;
	t->fdt = malloc(MAX_TREE);
	f = fopen(path, "r");
	if (!f)
		die(path, "%s", strerror(errno));
	if (!buf || !t->fdt)
		die(path, "out of memory");
	len = fread(buf, 1, MAX_TREE, f);
	if (ferror(f))
		die(path, "%s", strerror(errno));
	fclose(f);
	if (len < sizeof(struct fdt_header) || fdt_check_header(buf) ||
	    fdt_totalsize(buf) > len)
		die(path, "not a devicetree; have QEMU write one with -machine dumpdtb=");
	must(t, fdt_open_into(buf, t->fdt, MAX_TREE), "cannot be edited");
	free(buf);
	must(t, fdt_find_max_phandle(t->fdt, &t->phandle), "phandles");
}

static void save(struct tree *t, const char *path)
{
	FILE *f;

	must(t, fdt_pack(t->fdt), "cannot be packed");
	f = fopen(path, "w");
	if (!f)
		die(path, "%s", strerror(errno));
	if (fwrite(t->fdt, fdt_totalsize(t->fdt), 1, f) != 1 || fflush(f))
		die(path, "%s", strerror(errno));
	fclose(f);
}

static void set_cell(const struct tree *t, int node, const char *prefix,
		     const char *name, uint32_t value)
{
	char full[32];

	snprintf(full, sizeof(full), "%s%s", prefix, name);
	must(t, fdt_setprop_u32(t->fdt, node, full, value), full);
}

/* The three numbers that Linux works the rest out from */
static void set_geometry(const struct tree *t, int node, const char *prefix,
			 unsigned long long size, unsigned int ways)
{
	set_cell(t, node, prefix, "cache-size", size);
	set_cell(t, node, prefix, "cache-line-size", LINE_SIZE);
	set_cell(t, node, prefix, "cache-sets", size / LINE_SIZE / ways);
}

/* Add a unified cache below /cpus and return its phandle */
static uint32_t add_cache(struct tree *t, unsigned int level, unsigned int nr,
			  unsigned long long size, unsigned int ways,
			  uint32_t next)
{
	char name[32];
	int node;

	snprintf(name, sizeof(name), "l%u-cache%u", level, nr);
	node = must(t, fdt_path_offset(t->fdt, "/cpus"), "/cpus");
	node = must(t, fdt_add_subnode(t->fdt, node, name), name);
	must(t, fdt_setprop_string(t->fdt, node, "compatible", "cache"), name);
	must(t, fdt_setprop_empty(t->fdt, node, "cache-unified"), name);
	set_cell(t, node, "", "cache-level", level);
	set_geometry(t, node, "", size, ways);
	if (next)
		set_cell(t, node, "", "next-level-cache", next);
	set_cell(t, node, "", "phandle", ++t->phandle);
	return t->phandle;
}

static bool is_cpu(const struct tree *t, int node)
{
	int len;
	const char *type = fdt_getprop(t->fdt, node, "device_type", &len);

	return type && len == sizeof("cpu") && !memcmp(type, "cpu", len);
}

/* The node of a CPU: Linux numbers them in the order of the tree; -1 for none */
static int cpu_node(const struct tree *t, unsigned int cpu)
{
	int cpus = must(t, fdt_path_offset(t->fdt, "/cpus"), "/cpus");
	int node;

	fdt_for_each_subnode(node, t->fdt, cpus) {
		if (is_cpu(t, node) && !cpu--)
			return node;
	}
	return -1;
}

/* The tree of another machine would boot, with caches across its nodes */
static void check_cpus(const struct tree *t, const struct machine *m)
{
	unsigned int cpu, numa;
	const fdt32_t *id;
	int node, len;

	for (cpu = 0; (node = cpu_node(t, cpu)) >= 0; cpu++) {
		id = fdt_getprop(t->fdt, node, "numa-node-id", &len);
		numa = id && len == sizeof(*id) ? fdt32_to_cpu(*id) : 0;
		if (cpu < m->nr_cpus && numa != machine_node_of(m, cpu))
			die(t->path,
			    "CPU %u is in node %u, but in node %u of %s; have QEMU dump its tree",
			    cpu, numa, machine_node_of(m, cpu), m->name);
		if (fdt_getprop(t->fdt, node, "next-level-cache", NULL))
			die(t->path,
			    "CPU %u has a next-level-cache already; have QEMU dump a fresh tree",
			    cpu);
	}
	if (cpu != m->nr_cpus)
		die(t->path, "%u CPUs, but %s has %u; have QEMU dump this machine's tree",
		    cpu, m->name, m->nr_cpus);
}

static void add_caches(struct tree *t, const struct machine *m)
{
	unsigned int per_llc = machine_threads_per_llc(m);
	unsigned int per_l2 = machine_threads_per_l2(m), cpu;
	uint32_t l2 = 0, l3 = 0;
	int node;

	for (cpu = 0; cpu < m->nr_cpus; cpu++) {
		if (!(cpu % per_llc))
			l3 = add_cache(t, 3, cpu / per_llc, m->l3, L3_WAYS, 0);
		if (!(cpu % per_l2))
			l2 = add_cache(t, 2, cpu / per_l2, m->l2, L2_WAYS, l3);
		node = cpu_node(t, cpu);
		set_geometry(t, node, "i-", m->l1d, L1_WAYS);
		set_geometry(t, node, "d-", m->l1d, L1_WAYS);
		set_cell(t, node, "", "next-level-cache", l2);
	}
}

int main(int argc, char **argv)
{
	char err[MACHINE_ERR_LEN];
	static struct machine m;
	struct tree t;

	if (argc != 4) {
		fputs("Usage: lab-dtb FILE IN OUT    add machine FILE's caches to devicetree IN\n",
		      stderr);
		return 2;
	}
	if (machine_load(&m, argv[1], err)) {
		fprintf(stderr, "%s\n", err);
		return 1;
	}
	if (m.arch != ARCH_ARM64)
		die(argv[1], "only arm64 machines have a devicetree");
	/* A devicetree cell has 32 bits */
	if (m.l1d > UINT32_MAX || m.l2 > UINT32_MAX || m.l3 > UINT32_MAX)
		die(argv[1], "a cache of 4G or more does not fit a devicetree");
	load(&t, argv[2]);
	check_cpus(&t, &m);
	add_caches(&t, &m);
	save(&t, argv[3]);
	return 0;
}
