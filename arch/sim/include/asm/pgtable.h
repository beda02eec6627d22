/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_SIM_PGTABLE_H
#define _ASM_SIM_PGTABLE_H

#include <asm-generic/pgtable-nopmd.h>
#include <asm/page.h>

/* No page table is ever walked: as little as the generic headers ask for. */
#define PGDIR_SHIFT	21
#define PGDIR_SIZE	(1UL << PGDIR_SHIFT)
#define PGDIR_MASK	(~(PGDIR_SIZE - 1))
#define PTRS_PER_PGD	512
#define PTRS_PER_PTE	512
#define USER_PTRS_PER_PGD	512
#define VMALLOC_START	0x100000000UL
#define VMALLOC_END	0x200000000UL
#define PAGE_KERNEL	__pgprot(1)
#define PAGE_NONE	__pgprot(0)
#define PAGE_SHARED	__pgprot(1)
#define PAGE_READONLY	__pgprot(1)
#define PAGE_COPY	__pgprot(1)
#define ZERO_PAGE(v)	((struct page *)0)

extern pgd_t swapper_pg_dir[];

#define SIM_PTE_PRESENT	1UL
#define SIM_PTE_WRITE	2UL
#define SIM_PTE_DIRTY	4UL
#define SIM_PTE_YOUNG	8UL

#define SIM_PTE_TEST(name, bit)						\
static inline int pte_##name(pte_t p) { return !!(p.pte & (bit)); }
#define SIM_PTE_SET(name, bit)						\
static inline pte_t pte_##name(pte_t p) { p.pte |= (bit); return p; }
#define SIM_PTE_CLEAR(name, bit)					\
static inline pte_t pte_##name(pte_t p) { p.pte &= ~(bit); return p; }

SIM_PTE_TEST(present, SIM_PTE_PRESENT)
SIM_PTE_TEST(write, SIM_PTE_WRITE)
SIM_PTE_TEST(dirty, SIM_PTE_DIRTY)
SIM_PTE_TEST(young, SIM_PTE_YOUNG)
SIM_PTE_SET(mkwrite, SIM_PTE_WRITE)
SIM_PTE_SET(mkdirty, SIM_PTE_DIRTY)
SIM_PTE_SET(mkyoung, SIM_PTE_YOUNG)
SIM_PTE_CLEAR(wrprotect, SIM_PTE_WRITE)
SIM_PTE_CLEAR(mkclean, SIM_PTE_DIRTY)
SIM_PTE_CLEAR(mkold, SIM_PTE_YOUNG)

static inline int pte_none(pte_t p)
{
	return !p.pte;
}

static inline pte_t pte_modify(pte_t p, pgprot_t prot)
{
	return p;
}

#define pte_pfn(p)		(pte_val(p) >> PAGE_SHIFT)
#define pfn_pte(pfn, prot)	__pte(((pfn) << PAGE_SHIFT) | pgprot_val(prot))
#define pte_page(p)		pfn_to_page(pte_pfn(p))
#define mk_pte(page, prot)	pfn_pte(page_to_pfn(page), prot)
#define set_pte(pp, p)		(*(pp) = (p))
#define set_pte_at(mm, a, pp, p)	set_pte(pp, p)
#define pte_clear(mm, a, pp)	set_pte(pp, __pte(0))
#define pmd_none(x)		(!pmd_val(x))
#define pmd_bad(x)		(0)
#define pmd_present(x)		(pmd_val(x) & 1)
#define pmd_clear(x)		do { } while (0)
#define pmd_page(x)		pfn_to_page(pmd_val(x) >> PAGE_SHIFT)
#define pmd_pfn(x)		(pmd_val(x) >> PAGE_SHIFT)
#define pmd_page_vaddr(x)	((unsigned long)__va(pmd_val(x) & PAGE_MASK))
#define update_mmu_cache(v, a, p)	do { } while (0)
#define __swp_type(x)		((x).val & 0x1f)
#define __swp_offset(x)		((x).val >> 5)
#define __swp_entry(t, o)	((swp_entry_t) { (t) | ((o) << 5) })
#define __pte_to_swp_entry(p)	((swp_entry_t) { pte_val(p) })
#define __swp_entry_to_pte(x)	((pte_t) { (x).val })
#define pte_ERROR(e)		do { } while (0)
#define pgd_ERROR(e)		do { } while (0)

#endif /* _ASM_SIM_PGTABLE_H */
