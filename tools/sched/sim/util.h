/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages, memory, small helpers for all of the program.
 */
#ifndef SIM_UTIL_H
#define SIM_UTIL_H

#include "sim_host.h"

#define SIM_EXIT_FAILURE	1	/* wrong arguments or files, nothing was simulated */
#define SIM_EXIT_VIOLATION	2	/* an invariant did not hold */
#define SIM_EXIT_PANIC		3	/* the simulated kernel gave up */

#define NSEC_PER_USEC	1000ULL
#define NSEC_PER_MSEC	1000000ULL
#define NSEC_PER_SEC	1000000000ULL

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof(*(a)))

#ifndef __printf
#define __printf(a, b)	__attribute__((format(printf, a, b)))
#endif
#ifndef __noreturn
#define __noreturn	__attribute__((noreturn))
#endif

/**
 * enum host_output - what becomes of the kernel's text
 * @HOST_QUIET: warnings and worse to stderr, the rest is dropped
 * @HOST_VERBOSE: all to stderr
 * @HOST_TAP: what looks like TAP to stdout, the rest as with HOST_QUIET
 * @HOST_ALL: all to stdout
 */
enum host_output { HOST_QUIET, HOST_VERBOSE, HOST_TAP, HOST_ALL };

extern int host_verbose;		/* show all that the kernel says */
extern void (*host_last_words)(void);	/* called before a panic ends the program */

void host_output(enum host_output mode);
void host_label(const char *label);
__printf(1, 2) void warn(const char *fmt, ...);
void __noreturn __printf(1, 2) die(const char *fmt, ...);
void *xcalloc(unsigned long n, unsigned long size);
void *xgrow(void *p, unsigned long nr, unsigned long *cap, unsigned long size);
void __noreturn host_exit(int status);
sim_u64 host_clock(void);
int host_setaffinity(int pid, const struct sim_mask *mask);

static inline int mask_test(const struct sim_mask *m, unsigned int cpu)
{
	return m->w[cpu / 64] >> (cpu % 64) & 1;
}

static inline void mask_set(struct sim_mask *m, unsigned int cpu)
{
	m->w[cpu / 64] |= 1ULL << (cpu % 64);
}

#endif /* SIM_UTIL_H */
