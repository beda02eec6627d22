// SPDX-License-Identifier: GPL-2.0
/*
 * The switch of affinity-aware placement among the scheduler features.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../kselftest.h"
#include "sched_util.h"

#define TOGGLES		200
#define FORKERS		2

static const char *file;

static void test_on_off(void)
{
	bool ok;

	ok = !feature_write(FEATURE, false) && feature_read(FEATURE) == FEATURE_OFF;
	ksft_test_result(ok, "NO_%s turns it off\n", FEATURE);
	ok = !feature_write(FEATURE, false) && feature_read(FEATURE) == FEATURE_OFF;
	ksft_test_result(ok, "NO_%s again leaves it off\n", FEATURE);
	ok = !feature_write(FEATURE, true) && feature_read(FEATURE) == FEATURE_ON;
	ksft_test_result(ok, "%s turns it on\n", FEATURE);
	ok = !write_file(file, "  NO_" FEATURE "\n") && feature_read(FEATURE) == FEATURE_OFF;
	ksft_test_result(ok, "blanks around the word do not matter\n");
}

/* Return: what write(2) failed with, or 0 */
static int write_error(const void *data, size_t size)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return errno;
	if (write(fd, data, size) < 0)
		err = errno;
	close(fd);
	return err;
}

static void test_invalid(void)
{
	static const char * const words[] = {
		"", "\n", " ", "no_such", "NO_", "NO_no_such", FEATURE "X", "X" FEATURE,
		"NO_" FEATURE "X", "NO_NO_" FEATURE, "no_" FEATURE, "numa_affinity",
		FEATURE " " FEATURE, FEATURE "\nNO_" FEATURE, "1", "Y",
	};
	static char huge[1 << 16];
	char before[4096], after[4096];
	int bad = 0, err, on;
	size_t i;

	for (on = 0; on <= 1; on++) {
		feature_write(FEATURE, on);
		read_file(file, before, sizeof(before));
		for (i = 0; i < ARRAY_SIZE(words); i++) {
			err = write_error(words[i], strlen(words[i]));
			if (err != EINVAL) {
				ksft_print_msg("\"%s\": %s\n", words[i], strerror(err));
				bad++;
			}
		}
		memset(huge, 'A', sizeof(huge));
		bad += write_error(huge, sizeof(huge)) != EINVAL;
		memcpy(huge, FEATURE, strlen(FEATURE));
		bad += write_error(huge, sizeof(huge)) != EINVAL;
		/* The end of a string for the kernel, not for write(2) */
		bad += write_error("NO_\0" FEATURE, 4 + strlen(FEATURE)) != EINVAL;
		read_file(file, after, sizeof(after));
		if (strcmp(before, after)) {
			ksft_print_msg("before: %s", before);
			ksft_print_msg("after: %s", after);
			bad++;
		}
	}
	ksft_test_result(!bad, "invalid words are refused, and change nothing\n");

	bad = write_error((void *)-4096UL, 16) != EFAULT;
	read_file(file, after, sizeof(after));
	ksft_test_result(!bad && !strcmp(before, after), "a bad address is refused\n");
}

static void test_toggle(void)
{
	struct churn *churn[FORKERS];
	int i, n, err = 0, bad = 0, forks = 0;
	struct topology topo;
	cpu_set_t cpus;

	topology_init(&topo);
	pick_per_llc(&topo, 1, MAX_LLCS, &cpus);
	if (CPU_COUNT(&cpus) < 2)
		cpus = topo.cpus;
	for (n = 0; n < FORKERS; n++) {
		churn[n] = churn_start(n ? SPIN_THREADS : SPIN_FORKS, &cpus);
		if (!churn[n])
			break;
		err |= churn_wait(churn[n], 1);
	}
	for (i = 0; i < TOGGLES && !err; i++) {
		bad += feature_write(FEATURE, i & 1) != 0;
		bad += feature_read(FEATURE) != (i & 1 ? FEATURE_ON : FEATURE_OFF);
		/* Some in the time of a few forks, some at once */
		if (!(i & 7))
			sleep_ms(20);
	}
	/* The last one first: that is how they are undone */
	for (i = n - 1; i >= 0; i--) {
		err |= churn_wait(churn[i], 10);
		churn_stop(churn[i]);
		if (churn[i]->error)
			ksft_print_msg("forker %d: %s\n", i, strerror(-churn[i]->error));
		bad += churn[i]->error || churn[i]->strays;
		forks += churn[i]->nr_done;
	}
	ksft_test_result(!err && !bad && n == FORKERS,
			 "toggled %d times while %d tasks were made: %d errors\n", TOGGLES, forks,
			 bad);
}

int main(void)
{
	enum feature_state state = feature_read(FEATURE);

	undo_init();
	ksft_print_header();
	if (state == FEATURE_NO_FILE || state == FEATURE_ABSENT)
		return ksft_exit_skip("%s\n", feature_problem(state));

	file = features_file();
	undo_write(file, state == FEATURE_ON ? FEATURE : "NO_" FEATURE);
	ksft_set_plan(8);
	test_on_off();
	test_invalid();
	test_toggle();
	undo_to(0);
	ksft_test_result(feature_read(FEATURE) == state, "restored\n");

	ksft_exit(!ksft_get_fail_cnt());
}
