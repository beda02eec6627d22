/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_SIM_PGALLOC_H
#define _ASM_SIM_PGALLOC_H

#include <linux/mm.h>

pgd_t *pgd_alloc(struct mm_struct *mm);
void pgd_free(struct mm_struct *mm, pgd_t *pgd);

#endif /* _ASM_SIM_PGALLOC_H */
