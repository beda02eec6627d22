// SPDX-License-Identifier: GPL-2.0
/*
 * The switch of wakeups that look into the cluster first, among the scheduler
 * features, and what it does to pairs of processes that wake each other.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../kselftest.h"
#include "cluster_util.h"

#define TOGGLES		200
#define WARMUP		100
#define ROUNDS		400

static struct clusters clusters;
static const char *file;

static void test_on_off(void)
{
	bool ok;

	ok = !feature_write(CLUSTER_FEATURE, false) &&
	     feature_read(CLUSTER_FEATURE) == FEATURE_OFF;
	ksft_test_result(ok, "NO_%s turns it off\n", CLUSTER_FEATURE);
	ok = !feature_write(CLUSTER_FEATURE, true) && feature_read(CLUSTER_FEATURE) == FEATURE_ON;
	ksft_test_result(ok, "%s turns it on\n", CLUSTER_FEATURE);
}

static void test_invalid(void)
{
	static const char * const words[] = {
		CLUSTER_FEATURE "X", "X" CLUSTER_FEATURE, "NO_" CLUSTER_FEATURE "X",
		"NO_NO_" CLUSTER_FEATURE, "cluster_wakeup", CLUSTER_FEATURE " " CLUSTER_FEATURE,
	};
	char old[4096] = "", new[4096] = "";
	int bad = 0, on;
	size_t i;

	for (on = 0; on <= 1; on++) {
		bad += feature_write(CLUSTER_FEATURE, on) != 0;
		bad += read_file(file, old, sizeof(old)) < 0;
		for (i = 0; i < ARRAY_SIZE(words); i++) {
			if (write_file(file, words[i]) == -EINVAL)
				continue;
			ksft_print_msg("\"%s\" is not refused\n", words[i]);
			bad++;
		}
		bad += read_file(file, new, sizeof(new)) < 0 || strcmp(old, new);
	}
	ksft_test_result(!bad, "invalid words are refused, and change nothing\n");
}

static void test_toggle(const cpu_set_t *cpus)
{
	int i, err, bad = 0, wakeups = 0;
	struct pairs *pairs;

	pairs = pairs_start(4, cpus, &clusters);
	err = pairs ? pairs_wait(pairs, 1) : -errno;
	for (i = 0; i < TOGGLES && !err; i++) {
		bad += feature_write(CLUSTER_FEATURE, i & 1) != 0;
		bad += feature_read(CLUSTER_FEATURE) != (i & 1 ? FEATURE_ON : FEATURE_OFF);
		/* Some in the time of a few wakeups, some at once */
		if (!(i & 7))
			err = pairs_wait(pairs, 1);
	}
	if (!err)
		err = pairs_wait(pairs, 10);
	if (pairs && pairs_stop(pairs))
		bad++;
	if (err)
		ksft_print_msg("toggle %d: %s\n", i, strerror(-err));
	if (pairs)
		pairs_near(pairs, &wakeups);
	ksft_test_result(!err && !bad, "toggled %d times amid %d wakeups: %d errors\n", i, wakeups,
			 bad);
}

/* Return: percent of the wakeups that stay in the waker's cluster, or an error */
static int share(const cpu_set_t *cpus, int nr, bool on)
{
	int err, near, wakeups, near2, wakeups2;
	struct pairs *pairs;

	err = feature_write(CLUSTER_FEATURE, on);
	if (err)
		return err;
	/* Forks spread the two of a pair over the clusters; then they find together */
	pairs = pairs_start(nr, cpus, &clusters);
	if (!pairs)
		return -errno;
	err = pairs_wait(pairs, WARMUP);
	near = pairs_near(pairs, &wakeups);
	if (!err)
		err = pairs_wait(pairs, ROUNDS);
	near2 = pairs_near(pairs, &wakeups2);
	if (pairs_stop(pairs) && !err)
		err = -ECHILD;
	if (err)
		return err;
	ksft_print_msg("%s: %d pairs on %s: %d of %d wakeups in the waker's cluster\n",
		       on ? "on" : "off", nr, show_cpus(cpus), near2 - near, wakeups2 - wakeups);
	return 100 * (near2 - near) / (wakeups2 - wakeups);
}

/*
 * Of half as many pairs as clusters, each has idle CPUs in its cluster and in
 * others. A pipe's wakeup is synchronous, so the waker's CPU is the target: off,
 * the woken one stays on its idle CPU, wherever that is; on, it comes near.
 */
static void test_share(const cpu_set_t *cpus)
{
	static const char title[] = "pairs stay in a cluster";
	int nr = clusters_count(&clusters, cpus), off, on;

	if (nr < 2) {
		ksft_test_result_skip("%s: needs two clusters that share a cache\n", title);
		return;
	}
	off = share(cpus, nr / 2, false);
	on = share(cpus, nr / 2, true);
	if (off < 0 || on < 0)
		ksft_test_result_fail("%s: %s\n", title, strerror(off < 0 ? -off : -on));
	else
		ksft_test_result(on >= 75, "%s: %d %% of the wakeups, %d %% when off\n", title, on,
				 off);
}

int main(void)
{
	enum feature_state state = feature_read(CLUSTER_FEATURE);
	cpu_set_t cpus, mine;
	const char *none;
	int err, cpu;

	undo_init();
	ksft_print_header();
	if (state == FEATURE_NO_FILE)
		return ksft_exit_skip("%s\n", feature_problem(state));
	if (state == FEATURE_ABSENT)
		return ksft_exit_skip("this kernel has no scheduler feature " CLUSTER_FEATURE "\n");
	err = clusters_read(&clusters);
	none = clusters_problem(&clusters, err);
	if (err && !none)
		return ksft_exit_fail_msg("clusters in sysfs: %s\n", strerror(-err));
	if (!none)
		none = level_problem(&clusters);

	/* The CPUs that a cluster shares a cache with, or where there is none, all */
	sched_getaffinity(0, sizeof(mine), &mine);
	cpus = mine;
	for (cpu = 0; cpu < CPU_SETSIZE && !none; cpu++) {
		if (CPU_ISSET(cpu, &mine) && cluster_is_level(&clusters, cpu)) {
			CPU_AND(&cpus, &mine, &clusters.cpu[cpu].upper);
			break;
		}
	}

	file = features_file();
	undo_write(file, state == FEATURE_ON ? CLUSTER_FEATURE : "NO_" CLUSTER_FEATURE);
	ksft_set_plan(6);
	test_on_off();
	test_invalid();
	test_toggle(&cpus);
	if (none)
		ksft_test_result_skip("pairs stay in a cluster: %s\n", none);
	else
		test_share(&cpus);
	undo_to(0);
	ksft_test_result(feature_read(CLUSTER_FEATURE) == state, "restored\n");

	ksft_exit(!ksft_get_fail_cnt());
}
