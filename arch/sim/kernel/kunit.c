// SPDX-License-Identifier: GPL-2.0
/* The KUnit suites that are linked in, run as a booted kernel runs them. */
#include <kunit/test.h>
#include <linux/string.h>

#include "sim.h"

static bool listening;
static int nr_passed, nr_failed;

/**
 * sim_kunit_line - look at a line that the kernel prints
 * @line: without its level; may lack the end
 *
 * The suites' results are the lines that are not indented; their text is all
 * that every version of KUnit tells.
 */
void sim_kunit_line(const char *line)
{
	if (!listening)
		return;
	if (!strncmp(line, "ok ", 3))
		nr_passed++;
	else if (!strncmp(line, "not ok ", 7))
		nr_failed++;
}

int sim_kunit(void)
{
	listening = true;
	kunit_run_all_tests();
	listening = false;
	if (!nr_passed && !nr_failed)
		return -ENOENT;
	return nr_failed;
}
