/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How tasks are spread over clusters while nothing is forked and nothing ends:
 * what schedplace and the simulator both work out.
 */
#ifndef _SCHEDPLACE_SPREAD_H
#define _SCHEDPLACE_SPREAD_H

#include <stdbool.h>

/**
 * struct spread - tasks by cluster, and sums over time
 * @nr: tasks that run or wait in each cluster
 * @allowed: clusters with a CPU that tasks may use
 * @nr_clusters: bound of their numbers
 * @busy: clusters with a task
 * @most: tasks of the fullest one
 * @even: no cluster has two tasks more than another
 * @changed: the last three are to be found anew
 * @ended: a task has ended, which ends the time that counts
 * @ns: the time that counts
 * @even_ns: of it, with @even
 * @busy_ns: sum of @busy over it
 * @most_ns: sum of @most over it
 */
struct spread {
	int *nr;
	bool *allowed;
	int nr_clusters;
	int busy, most;
	bool even, changed, ended;
	unsigned long long ns, even_ns, busy_ns, most_ns;
};

static inline void spread_add(struct spread *s, int cluster, int delta)
{
	s->nr[cluster] += delta;
	s->changed = true;
}

/* Time passes, which counts from @start on. */
static inline void spread_time(struct spread *s, unsigned long long now,
			       unsigned long long then, unsigned long long start)
{
	int i, least = -1;

	if (now < start)
		now = start;
	if (s->ended || then <= now)
		return;
	if (s->changed) {
		s->busy = 0;
		s->most = 0;
		for (i = 0; i < s->nr_clusters; i++) {
			if (!s->allowed[i])
				continue;
			s->busy += s->nr[i] > 0;
			if (s->nr[i] > s->most)
				s->most = s->nr[i];
			if (least < 0 || s->nr[i] < least)
				least = s->nr[i];
		}
		s->even = s->most <= least + 1;
		s->changed = false;
	}
	s->ns += then - now;
	if (s->even)
		s->even_ns += then - now;
	s->busy_ns += s->busy * (then - now);
	s->most_ns += s->most * (then - now);
}

/* A task was forked: what was counted so far was not settled. */
static inline void spread_restart(struct spread *s)
{
	s->ended = false;
	s->ns = 0;
	s->even_ns = 0;
	s->busy_ns = 0;
	s->most_ns = 0;
}

#endif
