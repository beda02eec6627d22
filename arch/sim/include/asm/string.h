/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_SIM_STRING_H
#define _ASM_SIM_STRING_H

/* The host's libc has faster ones than lib/string.c. */
#define __HAVE_ARCH_MEMCPY
void *memcpy(void *to, const void *from, __kernel_size_t n);

#define __HAVE_ARCH_MEMMOVE
void *memmove(void *to, const void *from, __kernel_size_t n);

#define __HAVE_ARCH_MEMSET
void *memset(void *s, int c, __kernel_size_t n);

#define __HAVE_ARCH_MEMCMP
int memcmp(const void *a, const void *b, __kernel_size_t n);

#define __HAVE_ARCH_STRLEN
__kernel_size_t strlen(const char *s);

#endif /* _ASM_SIM_STRING_H */
