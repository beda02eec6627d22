/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_SIM_VMALLOC_H
#define _ASM_SIM_VMALLOC_H

#endif /* _ASM_SIM_VMALLOC_H */
