// SPDX-License-Identifier: GPL-2.0
/*
 * Clusters in sysfs, and the scheduler's domains made of them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../kselftest.h"
#include "cluster_util.h"

static struct clusters clusters;

int main(void)
{
	const char *problem;
	int err, bad, nr;

	undo_init();
	ksft_print_header();
	err = clusters_read(&clusters);
	if (err == -ENOENT)
		return ksft_exit_skip("%s\n", clusters_problem(&clusters, err));

	ksft_set_plan(2);
	if (err) {
		ksft_test_result_fail("clusters in sysfs: %s\n", strerror(-err));
		ksft_test_result_skip("domains: sysfs does not tell what to expect\n");
		ksft_exit(false);
	}
	ksft_print_msg("%d CPUs, %d clusters%s%s\n", CPU_COUNT(&clusters.online),
		       clusters_count(&clusters, &clusters.online),
		       clusters_problem(&clusters, 0) ? ": " : "",
		       clusters_problem(&clusters, 0) ? : "");
	bad = clusters_check(&clusters);
	ksft_test_result(!bad, "clusters in sysfs: %d contradictions\n", bad);

	problem = level_problem(&clusters);
	bad = cluster_domains_check(&clusters, !problem, &nr);
	if (bad == -ENOENT)
		ksft_test_result_skip("domains: not shown: needs root, debugfs, SCHED_DEBUG\n");
	else if (!bad && problem)
		ksft_test_result_skip("domains: %s\n", problem);
	else
		ksft_test_result(!bad, "domains of %d CPUs: %d contradictions\n", nr, bad);
	ksft_exit(!ksft_get_fail_cnt());
}
