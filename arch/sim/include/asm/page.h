/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_SIM_PAGE_H
#define _ASM_SIM_PAGE_H

#include <linux/const.h>

/* No memory is managed; what is here lets the generic headers compile. */
#define PAGE_SHIFT	12
#define PAGE_SIZE	(_AC(1, UL) << PAGE_SHIFT)
#define PAGE_MASK	(~(PAGE_SIZE - 1))
#define HPAGE_SHIFT	21
#define HPAGE_SIZE	(1UL << HPAGE_SHIFT)
#define HUGETLB_PAGE_ORDER	(HPAGE_SHIFT - PAGE_SHIFT)

#ifndef __ASSEMBLY__
#include <linux/types.h>

struct page;

extern struct page *sim_page;

typedef struct {
	unsigned long pte;
} pte_t;

typedef struct {
	unsigned long pgd;
} pgd_t;

typedef struct {
	unsigned long pgprot;
} pgprot_t;

typedef struct page *pgtable_t;

#define pte_val(x)	((x).pte)
#define pgd_val(x)	((x).pgd)
#define pgprot_val(x)	((x).pgprot)
#define __pte(x)	((pte_t) { (x) })
#define __pgd(x)	((pgd_t) { (x) })
#define __pgprot(x)	((pgprot_t) { (x) })

#define clear_page(p)			memset((void *)(p), 0, PAGE_SIZE)
#define copy_page(t, f)			memcpy((void *)(t), (void *)(f), PAGE_SIZE)
#define clear_user_page(p, v, pg)	clear_page(p)
#define copy_user_page(t, f, v, pg)	copy_page(t, f)

#define PAGE_OFFSET		0UL
#define __pa(v)			((unsigned long)(v))
#define __va(p)			((void *)(unsigned long)(p))
#define virt_to_pfn(v)		(__pa(v) >> PAGE_SHIFT)
#define pfn_to_virt(p)		__va((p) << PAGE_SHIFT)
/* Statistics look for the page of a kernel stack: all memory is one page */
#define virt_to_page(v)		((void)(v), sim_page)
#define page_to_virt(p)		pfn_to_virt(page_to_pfn(p))
#define virt_addr_valid(v)	(1)
#define page_to_phys(p)		((phys_addr_t)page_to_pfn(p) << PAGE_SHIFT)

#include <asm-generic/memory_model.h>
#include <asm-generic/getorder.h>
#endif /* !__ASSEMBLY__ */

#define VM_DATA_DEFAULT_FLAGS	VM_DATA_FLAGS_NON_EXEC

#endif /* _ASM_SIM_PAGE_H */
