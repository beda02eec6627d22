/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCHEDPLACE_H
#define _SCHEDPLACE_H

#include <stddef.h>
#include <stdio.h>

#include <linux/types.h>

#define SP_VERSION	1

typedef __u64 u64;
typedef __s16 s16;
typedef __u8 u8;

#define __printf(a, b)	__attribute__((format(printf, a, b)))
#define __noreturn	__attribute__((noreturn))

void __noreturn __printf(1, 2) die(const char *fmt, ...);
void __printf(1, 2) warn(const char *fmt, ...);

void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t n, size_t size);
void *vec_grow(void *p, size_t nr, size_t *cap, size_t size);
char *xstrdup(const char *s);
void clean_text(char *s);
__printf(1, 2) char *xasprintf(const char *fmt, ...);

/* Make room for one more element at the end of a growing array. */
#define vec_reserve(ptr, nr, cap) \
	((ptr) = vec_grow(ptr, nr, &(cap), sizeof(*(ptr))))

int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);

#endif
