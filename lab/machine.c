// SPDX-License-Identifier: GPL-2.0
/*
 * Machine files: parser and topology arithmetic. Nothing here prints or
 * exits, so that the simulator and the tests can use it too.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"
#include "machine.h"

/* ---- CPU sets ---- */

/**
 * cpus_clear() - empty a set
 * @c: the set
 */
void cpus_clear(struct cpus *c)
{
	memset(c, 0, sizeof(*c));
}

/**
 * cpus_set() - add one CPU to a set
 * @c: the set
 * @cpu: the CPU, below MACHINE_MAX_CPUS
 */
void cpus_set(struct cpus *c, unsigned int cpu)
{
	c->bits[cpu / CPUS_WORD_BITS] |= 1UL << (cpu % CPUS_WORD_BITS);
}

/**
 * cpus_set_range() - add consecutive CPUs to a set
 * @c: the set
 * @first: the first CPU
 * @nr: how many
 */
void cpus_set_range(struct cpus *c, unsigned int first, unsigned int nr)
{
	while (nr--)
		cpus_set(c, first++);
}

/**
 * cpus_test() - is this CPU in the set?
 * @c: the set
 * @cpu: the CPU
 *
 * Return: true if it is.
 */
bool cpus_test(const struct cpus *c, unsigned int cpu)
{
	if (cpu >= MACHINE_MAX_CPUS)
		return false;
	return c->bits[cpu / CPUS_WORD_BITS] >> (cpu % CPUS_WORD_BITS) & 1;
}

/**
 * cpus_equal() - do two sets hold the same CPUs?
 * @a: one set
 * @b: the other
 *
 * Return: true if they do.
 */
bool cpus_equal(const struct cpus *a, const struct cpus *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/**
 * cpus_weight() - number of CPUs in a set
 * @c: the set
 *
 * Return: the number.
 */
unsigned int cpus_weight(const struct cpus *c)
{
	unsigned int i, n = 0;

	for (i = 0; i < CPUS_WORDS; i++)
		n += __builtin_popcountl(c->bits[i]);
	return n;
}

/**
 * cpus_parse_list() - read a list such as "0-3,8"
 * @c: the set, empty if the list is
 * @list: the text, which may end in a newline
 *
 * Return: 0, or -1 if this is no CPU list.
 */
int cpus_parse_list(struct cpus *c, const char *list)
{
	unsigned long first, last;
	char *end;

	cpus_clear(c);
	if (!*list || *list == '\n')
		return 0;
	for (;;) {
		if (!isdigit((unsigned char)*list))
			return -1;
		first = strtoul(list, &end, 10);
		last = first;
		if (*end == '-') {
			list = end + 1;
			if (!isdigit((unsigned char)*list))
				return -1;
			last = strtoul(list, &end, 10);
		}
		if (last < first || last >= MACHINE_MAX_CPUS)
			return -1;
		cpus_set_range(c, first, last - first + 1);
		if (!*end || *end == '\n')
			return 0;
		if (*end != ',')
			return -1;
		list = end + 1;
	}
}

static int hex_digit(char ch)
{
	if (ch >= '0' && ch <= '9')
		return ch - '0';
	if (ch >= 'a' && ch <= 'f')
		return ch - 'a' + 10;
	return -1;
}

/**
 * cpus_parse_mask() - read a mask as the kernel prints it: "0000000f,ffffffff"
 * @c: the set
 * @mask: the text; it ends at a blank or at the end of the string
 *
 * Return: 0, or -1 if this is no mask.
 */
int cpus_parse_mask(struct cpus *c, const char *mask)
{
	size_t len = strcspn(mask, " \t\n");
	unsigned int cpu = 0;
	int digit, bit;

	cpus_clear(c);
	if (!len)
		return -1;
	while (len--) {
		if (mask[len] == ',')
			continue;
		digit = hex_digit(mask[len]);
		if (digit < 0)
			return -1;
		for (bit = 0; bit < 4; bit++, cpu++) {
			if (!(digit >> bit & 1))
				continue;
			if (cpu >= MACHINE_MAX_CPUS)
				return -1;
			cpus_set(c, cpu);
		}
	}
	return 0;
}

/**
 * cpus_str() - write a set as a list such as "0-3,8"
 * @c: the set
 * @buf: at least CPUS_STR_LEN bytes
 *
 * Return: @buf.
 */
const char *cpus_str(const struct cpus *c, char *buf)
{
	unsigned int cpu, last;
	char *p = buf;

	*p = '\0';
	for (cpu = 0; cpu < MACHINE_MAX_CPUS; cpu = last + 1) {
		last = cpu;
		if (!cpus_test(c, cpu))
			continue;
		while (cpus_test(c, last + 1))
			last++;
		p += sprintf(p, "%s%u", p == buf ? "" : ",", cpu);
		if (last > cpu)
			p += sprintf(p, "-%u", last);
	}
	return buf;
}

/* ---- The parser ---- */

enum machine_key {
	KEY_ARCH, KEY_SOCKETS, KEY_NODES, KEY_LLCS, KEY_CLUSTERS, KEY_CORES,
	KEY_THREADS, KEY_DISTANCES, KEY_DISTANCE, KEY_L1D, KEY_L2, KEY_L3,
	KEY_LLC_BANDWIDTH, KEY_NODE_BANDWIDTH, KEY_MEMORY, KEY_CPU_MODEL,
	NR_KEYS
};

static const char * const key_names[NR_KEYS] = {
	[KEY_ARCH]		= "arch",
	[KEY_SOCKETS]		= "sockets",
	[KEY_NODES]		= "nodes",
	[KEY_LLCS]		= "llcs",
	[KEY_CLUSTERS]		= "clusters",
	[KEY_CORES]		= "cores",
	[KEY_THREADS]		= "threads",
	[KEY_DISTANCES]		= "distances",
	[KEY_DISTANCE]		= "distance",
	[KEY_L1D]		= "l1d",
	[KEY_L2]		= "l2",
	[KEY_L3]		= "l3",
	[KEY_LLC_BANDWIDTH]	= "llc_bandwidth",
	[KEY_NODE_BANDWIDTH]	= "node_bandwidth",
	[KEY_MEMORY]		= "memory",
	[KEY_CPU_MODEL]		= "cpu_model",
};

struct parser {
	struct machine *m;
	const char *path;
	char *err;
	unsigned int line;
	unsigned int seen[NR_KEYS];	/* line of the key, 0 if not met */
	unsigned int rows;		/* distance lines so far */
	unsigned int row_len;		/* numbers in each of them */
	unsigned int local, remote;	/* from "distances" */
};

static __printf(3, 4) int fail(const struct parser *ps, unsigned int line,
			       const char *fmt, ...)
{
	va_list ap;
	int n;

	n = snprintf(ps->err, MACHINE_ERR_LEN, "%s:%u: ", ps->path, line);
	if (n < 0 || n >= MACHINE_ERR_LEN)
		return -1;
	va_start(ap, fmt);
	vsnprintf(ps->err + n, MACHINE_ERR_LEN - n, fmt, ap);
	va_end(ap);
	return -1;
}

static int parse_number(struct parser *ps, enum machine_key key, const char *text,
			unsigned int min, unsigned int max, unsigned int *out)
{
	unsigned long v;
	char *end;

	errno = 0;
	v = strtoul(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || errno)
		return fail(ps, ps->line, "%s: '%s' is not a number",
			    key_names[key], text);
	if (v < min || v > max)
		return fail(ps, ps->line, "%s: %s is not in %u..%u",
			    key_names[key], text, min, max);
	*out = v;
	return 0;
}

static int parse_size(struct parser *ps, enum machine_key key, const char *text,
		      unsigned long long *out)
{
	unsigned long long v;
	unsigned int shift;
	char *end;

	errno = 0;
	v = strtoull(text, &end, 10);
	switch (*end) {
	case 'K':
		shift = 10;
		break;
	case 'M':
		shift = 20;
		break;
	case 'G':
		shift = 30;
		break;
	default:
		shift = 0;
	}
	if (!isdigit((unsigned char)*text) || !shift || end[1] || errno || !v ||
	    v >> (63 - shift))
		return fail(ps, ps->line,
			    "%s: '%s' is not a size (a number and K, M or G)",
			    key_names[key], text);
	*out = v << shift;
	return 0;
}

static int parse_name(struct parser *ps, enum machine_key key, const char *text,
		      char *out)
{
	const char *p;

	if (strlen(text) >= MACHINE_NAME_LEN)
		return fail(ps, ps->line, "%s: longer than %d characters",
			    key_names[key], MACHINE_NAME_LEN - 1);
	/* Copied into a command line: nothing that a shell or QEMU splits */
	for (p = text; *p; p++) {
		if (!isalnum((unsigned char)*p) && !strchr("-_.+", *p))
			return fail(ps, ps->line,
				    "%s: '%s' has a character other than letters, digits and -_.+",
				    key_names[key], text);
	}
	strcpy(out, text);
	return 0;
}

static int parse_distance_row(struct parser *ps, char **words, unsigned int nr)
{
	unsigned int i;

	if (ps->rows == MACHINE_MAX_NODES)
		return fail(ps, ps->line, "distance: more than %d lines",
			    MACHINE_MAX_NODES);
	if (ps->rows && nr != ps->row_len)
		return fail(ps, ps->line,
			    "distance: %u numbers, the line before has %u",
			    nr, ps->row_len);
	ps->row_len = nr;
	for (i = 0; i < nr; i++) {
		if (parse_number(ps, KEY_DISTANCE, words[i], 10, 254,
				 &ps->m->distance[ps->rows][i]))
			return -1;
	}
	ps->rows++;
	return 0;
}

static int parse_value(struct parser *ps, enum machine_key key, char **words,
		       unsigned int nr)
{
	struct machine *m = ps->m;

	if (key == KEY_DISTANCE)
		return parse_distance_row(ps, words, nr);
	if (key == KEY_DISTANCES) {
		if (nr > 2)
			return fail(ps, ps->line,
				    "distances: wants the local and the remote value, has %u numbers (one line a node is called 'distance')",
				    nr);
		if (parse_number(ps, key, words[0], 10, 10, &ps->local))
			return -1;
		return nr < 2 ? 0 : parse_number(ps, key, words[1], 11, 254,
						 &ps->remote);
	}
	if (nr != 1)
		return fail(ps, ps->line, "%s: wants one value, has %u",
			    key_names[key], nr);

	switch (key) {
	case KEY_ARCH:
		if (!strcmp(words[0], "x86_64"))
			m->arch = ARCH_X86_64;
		else if (!strcmp(words[0], "arm64"))
			m->arch = ARCH_ARM64;
		else
			return fail(ps, ps->line,
				    "arch: '%s' is neither x86_64 nor arm64",
				    words[0]);
		return 0;
	case KEY_SOCKETS:
		return parse_number(ps, key, words[0], 1, 64, &m->sockets);
	case KEY_NODES:
		return parse_number(ps, key, words[0], 1, 64, &m->nodes);
	case KEY_LLCS:
		return parse_number(ps, key, words[0], 1, 512, &m->llcs);
	case KEY_CLUSTERS:
		return parse_number(ps, key, words[0], 0, 512, &m->clusters);
	case KEY_CORES:
		return parse_number(ps, key, words[0], 1, 512, &m->cores);
	case KEY_THREADS:
		return parse_number(ps, key, words[0], 1, 8, &m->threads);
	case KEY_L1D:
		return parse_size(ps, key, words[0], &m->l1d);
	case KEY_L2:
		return parse_size(ps, key, words[0], &m->l2);
	case KEY_L3:
		return parse_size(ps, key, words[0], &m->l3);
	case KEY_LLC_BANDWIDTH:
		return parse_number(ps, key, words[0], 1, 10000000,
				    &m->llc_bandwidth);
	case KEY_NODE_BANDWIDTH:
		return parse_number(ps, key, words[0], 1, 10000000,
				    &m->node_bandwidth);
	case KEY_MEMORY:
		return parse_size(ps, key, words[0], &m->memory);
	case KEY_CPU_MODEL:
		return parse_name(ps, key, words[0], m->cpu_model);
	default:
		return -1;
	}
}

static int parse_line(struct parser *ps, char *text)
{
	char *words[MACHINE_MAX_NODES + 1], *save, *word;
	unsigned int nr = 0, key;

	text[strcspn(text, "#")] = '\0';
	for (word = strtok_r(text, " \t\r\n", &save); word;
	     word = strtok_r(NULL, " \t\r\n", &save)) {
		if (nr > MACHINE_MAX_NODES)
			return fail(ps, ps->line, "more than %d values",
				    MACHINE_MAX_NODES);
		words[nr++] = word;
	}
	if (!nr)
		return 0;

	for (key = 0; key < NR_KEYS; key++) {
		if (!strcmp(words[0], key_names[key]))
			break;
	}
	if (key == NR_KEYS)
		return fail(ps, ps->line, "unknown key '%s'", words[0]);
	if (nr == 1)
		return fail(ps, ps->line, "%s: has no value", words[0]);
	if (ps->seen[key] && key != KEY_DISTANCE)
		return fail(ps, ps->line, "%s: already given in line %u",
			    words[0], ps->seen[key]);
	ps->seen[key] = ps->line;
	return parse_value(ps, key, words + 1, nr - 1);
}

static int check_distances(struct parser *ps)
{
	struct machine *m = ps->m;
	unsigned int i, j, line;

	if (ps->seen[KEY_DISTANCES] && ps->seen[KEY_DISTANCE])
		return fail(ps, ps->seen[KEY_DISTANCE],
			    "distance: line %u already gives 'distances'; keep one of them",
			    ps->seen[KEY_DISTANCES]);
	if (!ps->seen[KEY_DISTANCES] && !ps->seen[KEY_DISTANCE])
		return fail(ps, ps->line,
			    "missing key 'distances' (or 'distance', one line a node)");

	if (ps->seen[KEY_DISTANCES]) {
		if (m->nr_nodes > 1 && !ps->remote)
			return fail(ps, ps->seen[KEY_DISTANCES],
				    "distances: %u nodes need a remote value, too",
				    m->nr_nodes);
		for (i = 0; i < m->nr_nodes; i++) {
			for (j = 0; j < m->nr_nodes; j++)
				m->distance[i][j] = i == j ? ps->local :
							     ps->remote;
		}
		return 0;
	}

	line = ps->seen[KEY_DISTANCE];
	if (ps->rows != m->nr_nodes || ps->row_len != m->nr_nodes)
		return fail(ps, line,
			    "distance: %u lines of %u numbers, but the machine has %u nodes",
			    ps->rows, ps->row_len, m->nr_nodes);
	for (i = 0; i < m->nr_nodes; i++) {
		for (j = 0; j < m->nr_nodes; j++) {
			unsigned int d = m->distance[i][j];

			if (i == j ? d != 10 : d == 10)
				return fail(ps, line,
					    "distance: %u from node %u to node %u; 10 means the node itself",
					    d, i, j);
			if (m->distance[i][j] != m->distance[j][i])
				return fail(ps, line,
					    "distance: nodes %u and %u differ by direction (%u, %u)",
					    i, j, m->distance[i][j],
					    m->distance[j][i]);
		}
	}
	return 0;
}

static unsigned int bits_for(unsigned int nr)
{
	unsigned int bits = 0;

	while (1U << bits < nr)
		bits++;
	return bits;
}

/**
 * machine_max_apic_id() - the highest APIC id of an x86 machine
 * @m: the machine
 *
 * x86 packs the ids of each level into a power of two, so ids have gaps.
 *
 * Return: the id.
 */
unsigned int machine_max_apic_id(const struct machine *m)
{
	unsigned int dies = m->nodes * m->llcs;
	unsigned int id = m->sockets - 1;

	id = (id << bits_for(dies)) | (dies - 1);
	if (m->clusters)
		id = (id << bits_for(m->clusters)) | (m->clusters - 1);
	id = (id << bits_for(m->cores)) | (m->cores - 1);
	return (id << bits_for(m->threads)) | (m->threads - 1);
}

static int check_machine(struct parser *ps)
{
	struct machine *m = ps->m;
	unsigned long long cpus;
	unsigned int key;

	for (key = 0; key < NR_KEYS; key++) {
		if (!ps->seen[key] && key != KEY_DISTANCES &&
		    key != KEY_DISTANCE)
			return fail(ps, ps->line, "missing key '%s'",
				    key_names[key]);
	}

	m->nr_nodes = m->sockets * m->nodes;
	cpus = (unsigned long long)m->nr_nodes * m->llcs * m->cores *
	       (m->clusters ? m->clusters : 1) * m->threads;
	if (cpus > MACHINE_MAX_CPUS)
		return fail(ps, ps->line, "%llu CPUs, at most %d are supported",
			    cpus, MACHINE_MAX_CPUS);
	m->nr_cpus = cpus;
	m->nr_llcs = m->nr_nodes * m->llcs;
	if (m->nr_nodes > MACHINE_MAX_NODES)
		return fail(ps, ps->line, "%u nodes, at most %d are supported",
			    m->nr_nodes, MACHINE_MAX_NODES);
	return check_distances(ps);
}

/**
 * machine_load() - read a machine file
 * @m: filled in on success
 * @path: the file
 * @err: MACHINE_ERR_LEN bytes; on failure, one line "file:line: what"
 *
 * Return: 0 or -1.
 */
int machine_load(struct machine *m, const char *path, char *err)
{
	struct parser ps = { .m = m, .path = path, .err = err };
	const char *name = strrchr(path, '/');
	char *text = NULL;
	size_t size = 0;
	int ret = 0;
	FILE *f;

	memset(m, 0, sizeof(*m));
	name = name ? name + 1 : path;
	snprintf(m->name, sizeof(m->name), "%.*s", MACHINE_NAME_LEN - 1, name);

	f = fopen(path, "r");
	if (!f) {
		snprintf(err, MACHINE_ERR_LEN, "%s: %s", path, strerror(errno));
		return -1;
	}
	while (!ret && getline(&text, &size, f) >= 0) {
		ps.line++;
		ret = parse_line(&ps, text);
	}
	if (!ret && ferror(f))
		ret = fail(&ps, ps.line, "%s", strerror(errno));
	free(text);
	fclose(f);
	return ret ? ret : check_machine(&ps);
}

/* ---- Topology ---- */

/**
 * machine_threads_per_cluster() - CPUs in a cluster
 * @m: the machine
 *
 * Return: the number; without clusters, that of an LLC.
 */
unsigned int machine_threads_per_cluster(const struct machine *m)
{
	return m->cores * m->threads;
}

/**
 * machine_threads_per_l2() - CPUs that share an L2 cache
 * @m: the machine
 *
 * Return: the number: on x86 a shared L2 is what makes a cluster.
 */
unsigned int machine_threads_per_l2(const struct machine *m)
{
	return m->clusters && m->arch == ARCH_X86_64 ?
	       machine_threads_per_cluster(m) : m->threads;
}

/**
 * machine_threads_per_llc() - CPUs that share a last-level cache
 * @m: the machine
 *
 * Return: the number.
 */
unsigned int machine_threads_per_llc(const struct machine *m)
{
	return machine_threads_per_cluster(m) * (m->clusters ? m->clusters : 1);
}

/**
 * machine_threads_per_node() - CPUs in a NUMA node
 * @m: the machine
 *
 * Return: the number.
 */
unsigned int machine_threads_per_node(const struct machine *m)
{
	return machine_threads_per_llc(m) * m->llcs;
}

/**
 * machine_llc_of() - last-level cache of a CPU
 * @m: the machine
 * @cpu: the CPU
 *
 * Return: the LLC's number, counted over the whole machine.
 */
unsigned int machine_llc_of(const struct machine *m, unsigned int cpu)
{
	return cpu / machine_threads_per_llc(m);
}

/**
 * machine_node_of() - NUMA node of a CPU
 * @m: the machine
 * @cpu: the CPU
 *
 * Return: the node's number.
 */
unsigned int machine_node_of(const struct machine *m, unsigned int cpu)
{
	return cpu / machine_threads_per_node(m);
}

/**
 * machine_socket_of() - package of a CPU
 * @m: the machine
 * @cpu: the CPU
 *
 * Return: the package's number.
 */
unsigned int machine_socket_of(const struct machine *m, unsigned int cpu)
{
	return machine_node_of(m, cpu) / m->nodes;
}

static int cpus_nth(const struct machine *m, const char *what,
		    const char *number, unsigned int nr, unsigned int weight,
		    struct cpus *out, char *err)
{
	unsigned long n;
	char *end;

	n = strtoul(number, &end, 10);
	if (!isdigit((unsigned char)*number) || *end || n >= nr) {
		snprintf(err, MACHINE_ERR_LEN, "%s has no %s '%s' (0..%u)",
			 m->name, what, number, nr - 1);
		return -1;
	}
	cpus_set_range(out, n * weight, weight);
	return 0;
}

/**
 * machine_cpus() - the CPUs that a word stands for
 * @m: the machine
 * @spec: all, per-llc, per-node (the first CPU of each), llc=N, node=N,
 *        spread=N (N CPUs at equal distances), or a CPU list
 * @out: the CPUs
 * @err: MACHINE_ERR_LEN bytes; on failure, one line
 *
 * Return: 0 or -1.
 */
int machine_cpus(const struct machine *m, const char *spec, struct cpus *out,
		 char *err)
{
	unsigned long i, n;
	char *end;

	cpus_clear(out);
	if (!strcmp(spec, "all")) {
		cpus_set_range(out, 0, m->nr_cpus);
		return 0;
	}
	if (!strcmp(spec, "per-llc")) {
		for (i = 0; i < m->nr_llcs; i++)
			cpus_set(out, i * machine_threads_per_llc(m));
		return 0;
	}
	if (!strcmp(spec, "per-node")) {
		for (i = 0; i < m->nr_nodes; i++)
			cpus_set(out, i * machine_threads_per_node(m));
		return 0;
	}
	if (!strncmp(spec, "llc=", 4))
		return cpus_nth(m, "LLC", spec + 4, m->nr_llcs,
				machine_threads_per_llc(m), out, err);
	if (!strncmp(spec, "node=", 5))
		return cpus_nth(m, "node", spec + 5, m->nr_nodes,
				machine_threads_per_node(m), out, err);
	if (!strncmp(spec, "spread=", 7)) {
		spec += 7;
		n = strtoul(spec, &end, 10);
		if (!isdigit((unsigned char)*spec) || *end || !n ||
		    n > m->nr_cpus) {
			snprintf(err, MACHINE_ERR_LEN,
				 "cannot spread '%s' over the %u CPUs of %s",
				 spec, m->nr_cpus, m->name);
			return -1;
		}
		for (i = 0; i < n; i++)
			cpus_set(out, i * m->nr_cpus / n);
		return 0;
	}
	if (!*spec || cpus_parse_list(out, spec)) {
		snprintf(err, MACHINE_ERR_LEN,
			 "'%s' is no CPU list, nor all, per-llc, per-node, llc=N, node=N or spread=N",
			 spec);
		return -1;
	}
	for (i = m->nr_cpus; i < MACHINE_MAX_CPUS; i++) {
		if (cpus_test(out, i)) {
			snprintf(err, MACHINE_ERR_LEN,
				 "'%s' has CPU %lu, but %s only has 0-%u",
				 spec, i, m->name, m->nr_cpus - 1);
			return -1;
		}
	}
	return 0;
}

static unsigned int add_level(struct machine_level *levels, unsigned int nr,
			      const char *name, const struct cpus *span)
{
	/* The kernel drops a level that adds nothing to the one below */
	if (cpus_weight(span) == 1 ||
	    (nr && cpus_equal(&levels[nr - 1].span, span)))
		return nr;
	levels[nr].name = name;
	levels[nr].span = *span;
	return nr + 1;
}

static unsigned int add_block(struct machine_level *levels, unsigned int nr,
			      const char *name, unsigned int cpu,
			      unsigned int weight)
{
	struct cpus span;

	cpus_clear(&span);
	cpus_set_range(&span, cpu - cpu % weight, weight);
	return add_level(levels, nr, name, &span);
}

/**
 * machine_levels() - scheduler domains that a CPU should have
 * @m: the machine
 * @cpu: the CPU
 * @has_cls: the kernel has the cluster level
 * @levels: MACHINE_MAX_LEVELS of them, lowest first
 *
 * Return: how many there are.
 */
unsigned int machine_levels(const struct machine *m, unsigned int cpu,
			    bool has_cls, struct machine_level *levels)
{
	unsigned int home = machine_node_of(m, cpu);
	unsigned int per_node = machine_threads_per_node(m);
	unsigned int nr = 0, node, d, next;
	struct cpus span;

	nr = add_block(levels, nr, "SMT", cpu, m->threads);
	if (m->clusters && has_cls)
		nr = add_block(levels, nr, "CLS", cpu,
			       machine_threads_per_cluster(m));
	nr = add_block(levels, nr, "MC", cpu, machine_threads_per_llc(m));
	/* x86 drops DIE where a package holds several nodes; NODE remains */
	nr = add_block(levels, nr, m->arch == ARCH_X86_64 && m->nodes > 1 ?
		       "NODE" : "DIE", cpu, per_node);

	/* One NUMA level for every distance that occurs anywhere */
	for (d = 10; ; d = next) {
		unsigned int i, j;

		next = ~0U;
		for (i = 0; i < m->nr_nodes; i++) {
			for (j = 0; j < m->nr_nodes; j++) {
				if (m->distance[i][j] > d &&
				    m->distance[i][j] < next)
					next = m->distance[i][j];
			}
		}
		if (next == ~0U)
			return nr;

		cpus_clear(&span);
		for (node = 0; node < m->nr_nodes; node++) {
			if (m->distance[home][node] <= next)
				cpus_set_range(&span, node * per_node,
					       per_node);
		}
		nr = add_level(levels, nr, "NUMA", &span);
	}
}
