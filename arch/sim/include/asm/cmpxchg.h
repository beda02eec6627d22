/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_SIM_CMPXCHG_H
#define _ASM_SIM_CMPXCHG_H

/* One host thread: plain loads and stores are atomic. */
#define arch_xchg(ptr, x)						\
({									\
	__typeof__(ptr) __xp = (ptr);					\
	__typeof__(*(ptr)) __xo = *__xp;				\
									\
	*__xp = (__typeof__(*(ptr)))(x);				\
	__xo;								\
})

#define arch_cmpxchg(ptr, o, n)						\
({									\
	__typeof__(ptr) __cp = (ptr);					\
	__typeof__(*(ptr)) __co = *__cp;				\
	__typeof__(*(ptr)) __cn = (__typeof__(*(ptr)))(n);		\
									\
	if (__co == (__typeof__(*(ptr)))(o))				\
		*__cp = __cn;						\
	__co;								\
})

#define arch_cmpxchg_local	arch_cmpxchg
#define arch_cmpxchg64		arch_cmpxchg
#define arch_cmpxchg64_local	arch_cmpxchg

#endif /* _ASM_SIM_CMPXCHG_H */
