/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_SIM_SPARSEMEM_H
#define _ASM_SIM_SPARSEMEM_H

#define SECTION_SIZE_BITS	27
#define MAX_PHYSMEM_BITS	40

#endif /* _ASM_SIM_SPARSEMEM_H */
