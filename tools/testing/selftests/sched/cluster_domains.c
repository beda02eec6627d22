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

/* Return: false if the kernel's own configuration says so */
static bool kernel_has_level(void)
{
	bool told = false, found = false;
	char line[256];
	FILE *f;

	f = popen("zcat /proc/config.gz 2>/dev/null", "r");
	if (!f)
		return true;
	while (fgets(line, sizeof(line), f)) {
		told = true;
		found |= !strcmp(line, "CONFIG_SCHED_CLUSTER=y\n");
	}
	pclose(f);
	return found || !told;
}

int main(void)
{
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

	bad = cluster_domains_check(&clusters, &nr);
	if (bad == -ENOENT)
		ksft_test_result_skip("domains: not shown: needs root, debugfs, SCHED_DEBUG\n");
	else if (!kernel_has_level())
		ksft_test_result_skip("domains: this kernel is built without SCHED_CLUSTER\n");
	else
		ksft_test_result(!bad, "domains of %d CPUs: %d contradictions\n", nr, bad);
	ksft_exit(!ksft_get_fail_cnt());
}
