// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of what a cluster of CPUs is to the scheduler. */
#include <kunit/test.h>
#include <linux/cluster_topology.h>
#include <linux/kernel.h>

/* A machine, each level as the number of the CPU's unit; a CPU that is offline has none */
#define NR_TEST_CPUS	8
#define OFFLINE		-1

/**
 * struct test_machine - its CPUs' units of each level
 * @core: core of each CPU, or OFFLINE
 * @cluster: cluster
 * @cache: who shares the last known cache
 * @node: node
 */
struct test_machine {
	int core[NR_TEST_CPUS], cluster[NR_TEST_CPUS], cache[NR_TEST_CPUS], node[NR_TEST_CPUS];
};

static struct test_masks {
	struct cpumask core, cluster, cache, node, none_below;
} test_masks[NR_TEST_CPUS];

static const struct cpumask *test_core(int cpu)
{
	return &test_masks[cpu].core;
}

static const struct cpumask *test_cache(int cpu)
{
	return &test_masks[cpu].cache;
}

/* Masks are what online CPUs with the same number have in common. */
static void set_mask(struct cpumask *mask, const struct test_machine *m, const int *unit, int cpu)
{
	int i;

	cpumask_clear(mask);
	for (i = 0; i < NR_TEST_CPUS; i++)
		if (m->core[i] != OFFLINE && m->core[cpu] != OFFLINE && unit[i] == unit[cpu])
			cpumask_set_cpu(i, mask);
}

static void set_machine(const struct test_machine *m)
{
	int cpu;

	for (cpu = 0; cpu < NR_TEST_CPUS; cpu++) {
		struct test_masks *t = &test_masks[cpu];

		set_mask(&t->core, m, m->core, cpu);
		set_mask(&t->cluster, m, m->cluster, cpu);
		set_mask(&t->cache, m, m->cache, cpu);
		set_mask(&t->node, m, m->node, cpu);
		cpumask_clear(&t->none_below);
		cpumask_set_cpu(cpu, &t->none_below);
	}
}

static const struct cpumask *mc_of(int cpu)
{
	return cluster_cache_span(&test_masks[cpu].cluster, &test_masks[cpu].node, test_cache, cpu);
}

static const struct cpumask *cls_of(int cpu, bool smt)
{
	const struct test_masks *t = &test_masks[cpu];

	return cluster_span(smt ? &t->core : &t->none_below, &t->cluster, mc_of(cpu), test_core,
			    cpu);
}

/* Everything that would make the scheduler warn: partial overlap, or out of the level above. */
static void expect_sane(struct kunit *test, bool smt)
{
	int a, b;

	for (a = 0; a < NR_TEST_CPUS; a++) {
		if (cpumask_empty(test_core(a)))
			continue;
		KUNIT_EXPECT_TRUE(test, cpumask_test_cpu(a, cls_of(a, smt)));
		KUNIT_EXPECT_TRUE(test, cpumask_subset(cls_of(a, smt), mc_of(a)));
		if (smt)
			KUNIT_EXPECT_TRUE(test, cpumask_subset(test_core(a), cls_of(a, smt)));
		KUNIT_EXPECT_TRUE(test, cpumask_subset(mc_of(a), &test_masks[a].node));
		for (b = 0; b < NR_TEST_CPUS; b++) {
			if (cpumask_empty(test_core(b)))
				continue;
			KUNIT_EXPECT_TRUE(test, cpumask_equal(cls_of(a, smt), cls_of(b, smt)) ||
					  !cpumask_intersects(cls_of(a, smt), cls_of(b, smt)));
			KUNIT_EXPECT_TRUE(test, cpumask_equal(mc_of(a), mc_of(b)) ||
					  !cpumask_intersects(mc_of(a), mc_of(b)));
		}
	}
}

/* With and without SCHED_SMT: does @cpu have a level of its cluster? */
static void expect_cls(struct kunit *test, const struct test_machine *m, int cpu, bool cls)
{
	set_machine(m);
	expect_sane(test, true);
	expect_sane(test, false);
	KUNIT_EXPECT_TRUE(test, cpumask_equal(cls_of(cpu, true),
					      cls ? &test_masks[cpu].cluster : test_core(cpu)));
	KUNIT_EXPECT_TRUE(test, cpumask_equal(cls_of(cpu, false),
					      cls ? &test_masks[cpu].cluster :
						    &test_masks[cpu].none_below));
}

/* Masks end at the last CPU that there may be. */
static bool enough_cpus(struct kunit *test)
{
	if (nr_cpu_ids >= NR_TEST_CPUS)
		return true;
	kunit_info(test, "fewer than %d CPUs: nothing to test", NR_TEST_CPUS);
	return false;
}

#define ALONE	{ 0, 1, 2, 3, 4, 5, 6, 7 }
#define PAIRS	{ 0, 0, 1, 1, 2, 2, 3, 3 }
#define FOURS	{ 0, 0, 0, 0, 1, 1, 1, 1 }
#define ALL	{ 0, 0, 0, 0, 0, 0, 0, 0 }

static void cluster_is_a_level(struct kunit *test)
{
	static const struct test_machine single = { ALONE, PAIRS, FOURS, ALL };
	static const struct test_machine threads = { PAIRS, FOURS, ALL, ALL };

	if (!enough_cpus(test))
		return;
	expect_cls(test, &single, 0, true);
	expect_cls(test, &single, 7, true);
	expect_cls(test, &threads, 5, true);
}

static void cluster_equals_core(struct kunit *test)
{
	static const struct test_machine threads = { PAIRS, PAIRS, ALL, ALL };
	static const struct test_machine single = { ALONE, ALONE, ALL, ALL };

	if (!enough_cpus(test))
		return;
	expect_cls(test, &threads, 0, false);
	expect_cls(test, &single, 0, false);
}

static void cluster_is_less_than_core(struct kunit *test)
{
	static const struct test_machine threads = { PAIRS, ALONE, ALL, ALL };

	if (!enough_cpus(test))
		return;
	expect_cls(test, &threads, 3, false);
}

static void cluster_equals_cache(struct kunit *test)
{
	static const struct test_machine mc = { ALONE, FOURS, FOURS, ALL };
	static const struct test_machine package = { ALONE, ALL, ALL, ALL };

	if (!enough_cpus(test))
		return;
	expect_cls(test, &mc, 0, false);
	expect_cls(test, &package, 0, false);
}

static void cluster_absent(struct kunit *test)
{
	static const struct test_machine single = { ALONE, ALONE, FOURS, ALL };

	if (!enough_cpus(test))
		return;
	expect_cls(test, &single, 0, false);
	KUNIT_EXPECT_TRUE(test, cpumask_equal(mc_of(0), test_cache(0)));
}

static void cluster_without_cache(struct kunit *test)
{
	static const struct test_machine m = { ALONE, FOURS, ALONE, ALL };
	static const struct test_machine threads = { PAIRS, FOURS, PAIRS, ALL };
	bool extend = IS_ENABLED(CONFIG_SCHED_CLUSTER);

	if (!enough_cpus(test))
		return;
	expect_cls(test, &m, 0, false);
	KUNIT_EXPECT_TRUE(test, cpumask_equal(mc_of(0), extend ? &test_masks[0].cluster :
								  test_cache(0)));
	expect_cls(test, &threads, 7, false);
	KUNIT_EXPECT_TRUE(test, cpumask_equal(mc_of(7), extend ? &test_masks[7].cluster :
								  test_cache(7)));
}

static void cluster_crosses_cache(struct kunit *test)
{
	static const struct test_machine m = {
		ALONE, { 0, 0, 0, 0, 1, 1, 1, 1 }, { 0, 0, 1, 1, 1, 1, 2, 2 }, ALL
	};

	if (!enough_cpus(test))
		return;
	expect_cls(test, &m, 0, false);
	expect_cls(test, &m, 2, false);
	KUNIT_EXPECT_TRUE(test, cpumask_equal(mc_of(0), test_cache(0)));
	KUNIT_EXPECT_TRUE(test, cpumask_equal(mc_of(2), test_cache(2)));
}

static void cluster_crosses_node(struct kunit *test)
{
	static const struct test_machine whole = { ALONE, ALL, PAIRS, FOURS };
	static const struct test_machine part = {
		ALONE, { 0, 0, 1, 1, 1, 1, 2, 2 }, FOURS, FOURS
	};

	if (!enough_cpus(test))
		return;
	expect_cls(test, &whole, 0, false);
	KUNIT_EXPECT_TRUE(test, cpumask_equal(mc_of(0), test_cache(0)));
	expect_cls(test, &part, 0, true);
	expect_cls(test, &part, 2, false);
	expect_cls(test, &part, 5, false);
	KUNIT_EXPECT_TRUE(test, cpumask_equal(mc_of(2), test_cache(2)));
}

static void cluster_splits_core(struct kunit *test)
{
	static const struct test_machine m = {
		PAIRS, { 0, 0, 0, 1, 1, 1, 1, 1 }, ALL, ALL
	};

	if (!enough_cpus(test))
		return;
	/* Those whose own core is whole have to see it as well */
	expect_cls(test, &m, 0, false);
	expect_cls(test, &m, 2, false);
	expect_cls(test, &m, 3, false);
	expect_cls(test, &m, 7, false);
}

static void clusters_of_unlike_size(struct kunit *test)
{
	static const struct test_machine m = {
		ALONE, { 0, 0, 0, 1, 1, 2, 3, 3 }, { 0, 0, 0, 0, 0, 0, 1, 1 }, ALL
	};

	if (!enough_cpus(test))
		return;
	expect_cls(test, &m, 0, true);
	expect_cls(test, &m, 4, true);
	expect_cls(test, &m, 5, false);
	expect_cls(test, &m, 6, false);
}

static void cluster_with_cpu_offline(struct kunit *test)
{
	static const struct test_machine single = {
		{ 0, OFFLINE, 2, 3, 4, OFFLINE, OFFLINE, OFFLINE }, FOURS, ALL, ALL
	};
	static const struct test_machine threads = {
		{ 0, OFFLINE, 1, 1, 2, 2, 3, OFFLINE }, FOURS, ALL, ALL
	};

	if (!enough_cpus(test))
		return;
	expect_cls(test, &single, 0, true);
	KUNIT_EXPECT_EQ(test, cpumask_weight(cls_of(0, true)), 3U);
	expect_cls(test, &single, 4, false);
	expect_cls(test, &threads, 0, true);
	expect_cls(test, &threads, 6, true);
	/* Asked for a CPU that is offline, whose masks are empty: nothing but what is below */
	KUNIT_EXPECT_TRUE(test, cls_of(1, true) == test_core(1));
}

static void pptt_level(struct kunit *test)
{
	/* The package is right above the core, or it is the core, the CPU, or absent */
	KUNIT_EXPECT_EQ(test, cluster_pptt_level(false, 1), -1);
	KUNIT_EXPECT_EQ(test, cluster_pptt_level(true, 2), -1);
	KUNIT_EXPECT_EQ(test, cluster_pptt_level(false, 0), -1);
	KUNIT_EXPECT_EQ(test, cluster_pptt_level(true, 1), -1);
	/* Something between, once or several times */
	KUNIT_EXPECT_EQ(test, cluster_pptt_level(false, 2), 1);
	KUNIT_EXPECT_EQ(test, cluster_pptt_level(false, 4), 1);
	KUNIT_EXPECT_EQ(test, cluster_pptt_level(true, 3), 2);
}

static void cache_id(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, cluster_cache_id(5, 0), -1);
	KUNIT_EXPECT_EQ(test, cluster_cache_id(5, 1), 5);
	KUNIT_EXPECT_EQ(test, cluster_cache_id(5, 2), 4);
	KUNIT_EXPECT_EQ(test, cluster_cache_id(7, 4), 4);
	/* Six threads take the IDs of eight */
	KUNIT_EXPECT_EQ(test, cluster_cache_id(13, 6), 8);
	KUNIT_EXPECT_EQ(test, cluster_cache_id(15, 8), 8);
	/* More IDs than the package has */
	KUNIT_EXPECT_EQ(test, cluster_cache_id(15, 4096), 0);
}

static struct kunit_case cluster_topology_cases[] = {
	KUNIT_CASE(cluster_is_a_level),
	KUNIT_CASE(cluster_equals_core),
	KUNIT_CASE(cluster_is_less_than_core),
	KUNIT_CASE(cluster_equals_cache),
	KUNIT_CASE(cluster_absent),
	KUNIT_CASE(cluster_without_cache),
	KUNIT_CASE(cluster_crosses_cache),
	KUNIT_CASE(cluster_crosses_node),
	KUNIT_CASE(cluster_splits_core),
	KUNIT_CASE(clusters_of_unlike_size),
	KUNIT_CASE(cluster_with_cpu_offline),
	KUNIT_CASE(pptt_level),
	KUNIT_CASE(cache_id),
	{}
};

static struct kunit_suite cluster_topology_suite = {
	.name = "sched-cluster-topology",
	.test_cases = cluster_topology_cases,
};

kunit_test_suites(&cluster_topology_suite);
