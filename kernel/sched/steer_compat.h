/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between the bases, so that no other file of ours has to ask for
 * the kernel's version.
 */
#ifndef _KERNEL_SCHED_STEER_COMPAT_H
#define _KERNEL_SCHED_STEER_COMPAT_H

#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
/* Takes what the busier node runs as well, for its own rule. */
#define steer_adjust_numa_imbalance(imbalance, dst_running, imb_numa_nr) \
	adjust_numa_imbalance(imbalance, dst_running, dst_running, imb_numa_nr)
#else
#define steer_adjust_numa_imbalance(imbalance, dst_running, imb_numa_nr) \
	adjust_numa_imbalance(imbalance, dst_running, imb_numa_nr)
#endif

#endif /* _KERNEL_SCHED_STEER_COMPAT_H */
