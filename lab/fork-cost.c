// SPDX-License-Identifier: GPL-2.0
/*
 * fork-cost: how long it takes to create a task and to be rid of it again.
 *
 * Run in a guest whose clock counts instructions (lab/run with LAB_ICOUNT=1),
 * a nanosecond is an instruction of the whole machine. Figures are medians
 * over batches, so that a tick or a kernel thread in between does not count.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "compiler.h"

#define BATCHES	41
#define BATCH	50
#define STACK	65536

static __noreturn void die(const char *what)
{
	fprintf(stderr, "fork-cost: %s: %s\n", what, strerror(errno));
	exit(1);
}

static long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000L + ts.tv_nsec;
}

static int child(void *arg)
{
	(void)arg;
	return 0;
}

static int compare(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return x < y ? -1 : x > y;
}

/* The median over batches of a creation, and of all until the parent goes on. */
static void measure(const char *name, int flags)
{
	char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	long create[BATCHES], whole[BATCHES];
	int i, j;

	if (stack == MAP_FAILED)
		die("stack");
	for (i = 0; i < BATCHES; i++) {
		create[i] = 0;
		whole[i] = 0;
		for (j = 0; j < BATCH; j++) {
			long start = now(), made;
			int pid = clone(child, stack + STACK, flags | SIGCHLD, NULL);

			if (pid < 0)
				die("clone");
			made = now();
			if (waitpid(pid, NULL, 0) != pid)
				die("waitpid");
			create[i] += made - start;
			whole[i] += now() - start;
		}
		create[i] /= BATCH;
		whole[i] /= BATCH;
	}
	qsort(create, BATCHES, sizeof(*create), compare);
	qsort(whole, BATCHES, sizeof(*whole), compare);
	printf("%s %ld %ld\n", name, create[BATCHES / 2], whole[BATCHES / 2]);
	munmap(stack, STACK);
}

int main(void)
{
	/* Touch everything once. */
	measure("warm-up", CLONE_VM);
	measure("thread", CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND);
	measure("process", 0);
	return 0;
}
