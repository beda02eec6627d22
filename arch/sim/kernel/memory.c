// SPDX-License-Identifier: GPL-2.0
/*
 * Memory: the host's allocator under the kernel's names, so that a sanitizer
 * sees every object, and per-CPU areas. There are no pages; an address space
 * is a name and a size.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "sim.h"

/* ---- objects ---- */

struct sim_cache {
	const char *name;
	unsigned int size;
	void (*ctor)(void *object);
};

struct kmem_cache *kmalloc_caches[NR_KMALLOC_TYPES][KMALLOC_SHIFT_HIGH + 1];

static void *cache_alloc(struct kmem_cache *cache)
{
	struct sim_cache *c = (struct sim_cache *)cache;
	void *p = host_alloc(c->size);

	if (p && c->ctor)
		c->ctor(p);
	return p;
}

void *__kmalloc(size_t size, gfp_t flags)
{
	return host_alloc(size);
}

void *__kmalloc_node(size_t size, gfp_t flags, int node)
{
	return host_alloc(size);
}

void *__kmalloc_node_track_caller(size_t size, gfp_t flags, int node, unsigned long caller)
{
	return host_alloc(size);
}

void *__kmalloc_track_caller(size_t size, gfp_t flags, unsigned long caller)
{
	return host_alloc(size);
}

void *SIM_KMALLOC_LARGE(size_t size, gfp_t flags)
{
	return host_alloc(size);
}

void *kmalloc_trace(struct kmem_cache *cache, gfp_t flags, size_t size)
{
	return host_alloc(size);
}

void *kmalloc_node_trace(struct kmem_cache *cache, gfp_t flags, int node, size_t size)
{
	return host_alloc(size);
}

void kfree(const void *p)
{
	host_free((void *)p);
}

struct kmem_cache *kmem_cache_create(const char *name, unsigned int size, unsigned int align,
				     slab_flags_t flags, void (*ctor)(void *object))
{
	struct sim_cache *c = host_alloc(sizeof(*c));

	if (!c)
		panic("no memory for the cache %s", name);
	c->name = name;
	c->size = size;
	c->ctor = ctor;
	return (struct kmem_cache *)c;
}

struct kmem_cache *kmem_cache_create_usercopy(const char *name, unsigned int size,
					      unsigned int align, slab_flags_t flags,
					      unsigned int useroffset, unsigned int usersize,
					      void (*ctor)(void *object))
{
	return kmem_cache_create(name, size, align, flags, ctor);
}

/**
 * sim_memory_init - make the caches behind kmalloc()
 *
 * Small sizes that the compiler knows are looked up there by an index.
 */
void sim_memory_init(void)
{
	int type, i;

	for (i = 0; i <= KMALLOC_SHIFT_HIGH; i++)
		for (type = 0; type < NR_KMALLOC_TYPES; type++)
			kmalloc_caches[type][i] =
				kmem_cache_create("kmalloc", i == 1 ? 96 : i == 2 ? 192 : 1U << i,
						  0, 0, NULL);
}

void kmem_cache_destroy(struct kmem_cache *cache)
{
	host_free(cache);
}

void *kmem_cache_alloc(struct kmem_cache *cache, gfp_t flags)
{
	return cache_alloc(cache);
}

void *kmem_cache_alloc_node(struct kmem_cache *cache, gfp_t flags, int node)
{
	return cache_alloc(cache);
}

void *kmem_cache_alloc_lru(struct kmem_cache *cache, struct list_lru *lru, gfp_t flags)
{
	return cache_alloc(cache);
}

void kmem_cache_free(struct kmem_cache *cache, void *p)
{
	host_free(p);
}

void kmem_cache_free_bulk(struct kmem_cache *cache, size_t n, void **p)
{
	while (n--)
		host_free(p[n]);
}

int kmem_cache_alloc_bulk(struct kmem_cache *cache, gfp_t flags, size_t n, void **p)
{
	size_t i;

	for (i = 0; i < n; i++) {
		p[i] = cache_alloc(cache);
		if (!p[i]) {
			kmem_cache_free_bulk(cache, i, p);
			return 0;
		}
	}
	return n;
}

/* ---- per-CPU areas ---- */

/* In front of every dynamic piece of CPU 0's area; the other areas follow it */
struct chunk {
	size_t size;	/* with this header */
	size_t used;
};

#define CHUNK_ALIGN	64

static char *percpu_base;
static size_t percpu_first, percpu_end;
static struct chunk chunks[4096];
static int nr_chunks;

/**
 * sim_percpu_init - manage the room behind the static per-CPU variables
 * @base: start of the section
 * @used: bytes of it that are static
 * @size: bytes of every CPU's area
 */
void sim_percpu_init(void *base, size_t used, size_t size)
{
	percpu_base = base;
	percpu_first = ALIGN(used, CHUNK_ALIGN);
	percpu_end = size;
	chunks[0].size = percpu_end - percpu_first;
	nr_chunks = 1;
}

void __percpu *__alloc_percpu_gfp(size_t size, size_t align, gfp_t gfp)
{
	size_t at = percpu_first;
	int i, cpu;

	size = ALIGN(max_t(size_t, size, 1), CHUNK_ALIGN);
	for (i = 0; i < nr_chunks; at += chunks[i++].size)
		if (!chunks[i].used && chunks[i].size >= size)
			break;
	if (i == nr_chunks || align > CHUNK_ALIGN)
		return NULL;
	if (chunks[i].size > size && nr_chunks < ARRAY_SIZE(chunks)) {
		memmove(&chunks[i + 1], &chunks[i], (nr_chunks - i) * sizeof(chunks[0]));
		nr_chunks++;
		chunks[i + 1].size -= size;
		chunks[i].size = size;
	}
	chunks[i].used = 1;
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr((void __percpu *)(percpu_base + at), cpu), 0, chunks[i].size);
	return (void __percpu *)(percpu_base + at);
}

void __percpu *__alloc_percpu(size_t size, size_t align)
{
	return __alloc_percpu_gfp(size, align, GFP_KERNEL);
}

static void merge(int i)
{
	if (i < 0 || i + 1 >= nr_chunks || chunks[i].used || chunks[i + 1].used)
		return;
	chunks[i].size += chunks[i + 1].size;
	nr_chunks--;
	memmove(&chunks[i + 1], &chunks[i + 2], (nr_chunks - i - 1) * sizeof(chunks[0]));
}

void free_percpu(void __percpu *p)
{
	size_t at = percpu_first;
	int i;

	if (!p)
		return;
	for (i = 0; i < nr_chunks; at += chunks[i++].size)
		if ((char *)p == percpu_base + at)
			break;
	if (i == nr_chunks || !chunks[i].used)
		panic("free_percpu(%px): not allocated", p);
	chunks[i].used = 0;
	merge(i);
	merge(i - 1);
}

/* ---- address spaces ---- */

struct mm_struct init_mm = {
	.mm_users	= ATOMIC_INIT(2),
	.mm_count	= ATOMIC_INIT(1),
	.page_table_lock = __SPIN_LOCK_UNLOCKED(init_mm.page_table_lock),
	.mmlist		= LIST_HEAD_INIT(init_mm.mmlist),
};

pgd_t *pgd_alloc(struct mm_struct *mm)
{
	return kzalloc(sizeof(pgd_t), GFP_KERNEL);
}

void pgd_free(struct mm_struct *mm, pgd_t *pgd)
{
	kfree(pgd);
}

/* The last user is gone, and with it what was resident. */
void exit_mmap(struct mm_struct *mm)
{
	add_mm_counter(mm, MM_ANONPAGES, -(long)get_mm_counter(mm, MM_ANONPAGES));
}
