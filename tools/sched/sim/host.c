// SPDX-License-Identifier: GPL-2.0
/*
 * The services that the simulated kernel asks of the program: memory, stacks,
 * a place for its text. Most run on a task's small stack, so no stdio.
 */
#include <errno.h>
#include <execinfo.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

#include "util.h"

#define ALIGN_SIZE	64UL
#define PAGE_BYTES	4096UL
#define STACKS_A_SLAB	64
#define MAX_GUARDS	24000
#define MAX_VIOLATIONS	20	/* told in full; the rest is counted */

int host_verbose;
void (*host_last_words)(void);
static enum host_output output_mode;
static char label[32];
static int lost_output;		/* why what was to be said was not */

/* ---- messages ---- */

static void write_all(int fd, const char *text, size_t len)
{
	ssize_t n;

	while (len) {
		n = write(fd, text, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			if (fd == STDOUT_FILENO)
				lost_output = errno ? errno : EIO;
			return;
		}
		text += n;
		len -= n;
	}
}

static void vprint(int fd, const char *prefix, const char *fmt, va_list ap, const char *suffix)
{
	char buf[1024];
	int n, max = sizeof(buf) - 2;

	/* Several processes share stderr: a line is written in one piece */
	n = snprintf(buf, max, "%s", prefix);
	n += vsnprintf(buf + n, max - n, fmt, ap);
	if (n > max - 1)
		n = max - 1;
	n += sprintf(buf + n, "%s", suffix);
	write_all(fd, buf, n);
}

/* Where coverage is counted: a process that ends at once would lose it */
extern void __gcov_dump(void) __attribute__((weak));

/**
 * host_exit - end the process from whatever stack, without exit()'s handlers
 * @status: exit status
 */
void host_exit(int status)
{
	if (!status && lost_output) {
		fprintf(stderr, "schedsim: cannot write the output: %s\n", strerror(lost_output));
		status = SIM_EXIT_FAILURE;
	}
	if (__gcov_dump)
		__gcov_dump();
	_exit(status);
}

static void complain(const char *fmt, va_list ap)
{
	char prefix[64];

	snprintf(prefix, sizeof(prefix), "schedsim: %s", label);
	vprint(2, prefix, fmt, ap, "\n");
}

/**
 * warn - one line to stderr
 * @fmt: format, without a newline
 */
void warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain(fmt, ap);
	va_end(ap);
}

/**
 * die - one line to stderr, and exit with status 1
 * @fmt: format, without a newline
 */
void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain(fmt, ap);
	va_end(ap);
	fflush(stdout);
	host_exit(SIM_EXIT_FAILURE);
}

/**
 * host_label - say in every message which of several runs it comes from
 * @text: such as "seed 3: "
 */
void host_label(const char *text)
{
	snprintf(label, sizeof(label), "%s", text);
}

/**
 * host_output - decide what becomes of the kernel's text
 * @mode: see enum host_output
 */
void host_output(enum host_output mode)
{
	output_mode = mode;
}

/**
 * host_clock - monotonic time of the host
 *
 * Return: nanoseconds.
 */
sim_u64 host_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

/* Results, diagnostics, plans; "#" starts both of the latter */
static int looks_like_tap(const char *s, const char *end)
{
	static const char *const words[] = {
		"ok ", "not ok ", "#", "TAP version ", "KTAP version ", "1..", "Bail out!",
	};
	size_t i, len;

	while (s < end && *s == ' ')
		s++;
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		len = strlen(words[i]);
		if ((size_t)(end - s) >= len && !memcmp(s, words[i], len))
			return 1;
	}
	return 0;
}

void host_write(char level, const char *text, unsigned long len)
{
	const char *p = text, *end = text + len, *eol;
	int important = level <= '4' || host_verbose || output_mode == HOST_VERBOSE;

	if (output_mode == HOST_ALL) {
		write_all(1, text, len);
		return;
	}
	if (output_mode != HOST_TAP) {
		if (important)
			write_all(2, text, len);
		return;
	}
	for (; p < end; p = eol) {
		eol = memchr(p, '\n', end - p);
		eol = eol ? eol + 1 : end;
		/* What a failed test says is indented and no line of TAP's own */
		if (looks_like_tap(p, eol) || *p == ' ') {
			write_all(1, p, eol - p);
			/* A record of printk() is a line whether it says so or not */
			if (eol[-1] != '\n')
				write_all(1, "\n", 1);
		} else if (important) {
			write_all(2, p, eol - p);
		}
	}
}

void host_violation(const char *invariant, const char *text)
{
	static unsigned int told;

	if (told++ >= MAX_VIOLATIONS) {
		if (told == MAX_VIOLATIONS + 1)
			warn("more violations follow and are only counted");
		return;
	}
	warn("invariant %s does not hold:", invariant);
	write_all(2, text, strlen(text));
	if (*text && text[strlen(text) - 1] != '\n')
		write_all(2, "\n", 1);
}

void host_backtrace(void)
{
	void *frame[48];

	/* Names only for what the program exports: addr2line(1) knows the rest */
	backtrace_symbols_fd(frame, backtrace(frame, ARRAY_SIZE(frame)), 2);
}

void host_panic(const char *text)
{
	static int nested;

	if (nested++)
		_exit(SIM_EXIT_PANIC);
	warn("the simulated kernel gave up:");
	write_all(2, text, strlen(text));
	if (*text && text[strlen(text) - 1] != '\n')
		write_all(2, "\n", 1);
	host_backtrace();
	if (host_last_words)
		host_last_words();
	fflush(NULL);
	host_exit(SIM_EXIT_PANIC);
}

/* ---- memory ---- */

/* In front of what host_alloc() returns, so that host_realloc() knows the size */
struct block {
	unsigned long size;
	unsigned long pad[ALIGN_SIZE / sizeof(unsigned long) - 1];
};

void *host_alloc(unsigned long size)
{
	unsigned long total = (size + sizeof(struct block) + ALIGN_SIZE - 1) & ~(ALIGN_SIZE - 1);
	struct block *b;

	if (total < size)
		return NULL;
	b = aligned_alloc(ALIGN_SIZE, total);
	if (!b)
		return NULL;
	memset(b, 0, total);
	b->size = size;
	return b + 1;
}

void *host_map(unsigned long size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		die("no memory for a machine of that size: %lu MB", size >> 20);
	return p;
}

void host_free(void *p)
{
	if (p)
		free((struct block *)p - 1);
}

void *host_realloc(void *p, unsigned long size)
{
	unsigned long old = p ? ((struct block *)p - 1)->size : 0;
	void *q = host_alloc(size);

	if (!q)
		return NULL;
	if (p)
		memcpy(q, p, old < size ? old : size);
	host_free(p);
	return q;
}

static void **free_stacks;
static unsigned long nr_free_stacks, cap_free_stacks;

/*
 * A guard page makes two mappings more, and a process may have 65530. Beyond
 * what leaves enough of them, stacks do without one rather than fail.
 */
static void grow_stacks(void)
{
	size_t slot = SIM_STACK_SIZE + PAGE_BYTES;
	static int guards, unguarded;
	char *slab;
	int i;

	slab = mmap(NULL, STACKS_A_SLAB * slot, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	if (slab == MAP_FAILED)
		die("no memory for the stacks of more tasks: %s", strerror(errno));
	for (i = STACKS_A_SLAB - 1; i >= 0; i--) {
		if (!unguarded && (guards == MAX_GUARDS ||
				   mprotect(slab + i * slot, PAGE_BYTES, PROT_NONE))) {
			unguarded = 1;
			warn("no guard pages below the stacks of more than %d tasks", guards);
		}
		guards++;
		free_stacks = xgrow(free_stacks, nr_free_stacks, &cap_free_stacks,
				    sizeof(*free_stacks));
		free_stacks[nr_free_stacks++] = slab + i * slot + PAGE_BYTES;
	}
}

void *host_stack_alloc(void)
{
	if (!nr_free_stacks)
		grow_stacks();
	return free_stacks[--nr_free_stacks];
}

void host_stack_reset(void *stack)
{
#ifdef __SANITIZE_ADDRESS__
	/* The last owner may have ended amid a function */
	__asan_unpoison_memory_region(stack, SIM_STACK_SIZE);
#else
	(void)stack;
#endif
}

void host_stack_free(void *stack)
{
	free_stacks = xgrow(free_stacks, nr_free_stacks, &cap_free_stacks, sizeof(*free_stacks));
	free_stacks[nr_free_stacks++] = stack;
}

/**
 * xcalloc - calloc() that does not return without memory
 * @n: number of elements
 * @size: size of one
 *
 * Return: zeroed memory.
 */
void *xcalloc(unsigned long n, unsigned long size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p)
		die("out of memory");
	return p;
}

/**
 * xgrow - make room for one more element at the end of an array
 * @p: the array, or NULL
 * @nr: elements in use
 * @cap: room for elements, updated
 * @size: size of one
 *
 * Return: the array; what is new in it is not initialized.
 */
void *xgrow(void *p, unsigned long nr, unsigned long *cap, unsigned long size)
{
	if (nr < *cap)
		return p;
	*cap = *cap ? *cap * 2 : 64;
	p = reallocarray(p, *cap, size);
	if (!p)
		die("out of memory");
	return p;
}

#ifdef __SANITIZE_ADDRESS__
/* A kernel that is switched off frees nothing: leaks at the end are no news. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0:detect_stack_use_after_return=0";
}

const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void)
{
	return "print_stacktrace=1";
}
#endif
