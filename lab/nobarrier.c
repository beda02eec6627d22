// SPDX-License-Identifier: GPL-2.0
/*
 * Preloaded to rt-app: let its threads start when they are created.
 *
 * rt-app holds every thread at a barrier until it has created all of them, so
 * that the scheduler places the later ones while the earlier ones sleep. That
 * is not what a program does whose threads begin to work at once, and it hides
 * what placement does about threads that are there already.
 */
#include <pthread.h>

int pthread_barrier_wait(pthread_barrier_t *barrier)
{
	(void)barrier;
	return 0;
}
