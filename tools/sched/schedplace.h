/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCHEDPLACE_H
#define _SCHEDPLACE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SP_VERSION	1

void die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t n, size_t size);
char *xstrdup(const char *s);
void clean_text(char *s);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Make room for one more element at the end of a growing array. */
#define vec_reserve(ptr, nr, cap) do {					\
	if ((nr) == (cap)) {						\
		(cap) = (cap) ? (cap) * 2 : 64;				\
		(ptr) = xrealloc((ptr), (cap), sizeof(*(ptr)));		\
	}								\
} while (0)

int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);

#endif
