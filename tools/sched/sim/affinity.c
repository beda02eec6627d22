// SPDX-License-Identifier: GPL-2.0
/*
 * The program's calls of sim_setaffinity() come here (see the Makefile), so
 * that metrics knows which idle CPUs a waiting task could have used. Control
 * groups' cpusets are not seen.
 */
#include "metrics.h"

/**
 * host_setaffinity - sim_setaffinity(), and tell metrics
 * @pid: the task, 0 for the current one
 * @mask: CPUs that it may use
 *
 * Return: 0 or -errno.
 */
int host_setaffinity(int pid, const struct sim_mask *mask)
{
	int ret = sim_setaffinity(pid, mask);

	if (!ret)
		events_note(EV_ALLOWED, pid ? pid : sim_pid(), metrics_class(mask));
	return ret;
}
