/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LAB_COMPILER_H
#define LAB_COMPILER_H

#define __attr(...)	__attribute__((__VA_ARGS__))

/* The kernel's names, for user space */
#ifndef __printf
#define __printf(a, b)	__attr(format(printf, a, b))
#endif
#ifndef __noreturn
#define __noreturn	__attr(noreturn)
#endif

#endif /* LAB_COMPILER_H */
