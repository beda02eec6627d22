// SPDX-License-Identifier: GPL-2.0
/*
 * schedplace: record and report where the scheduler places tasks.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "schedplace.h"

static const char usage[] =
"schedplace - record and report where the scheduler places tasks\n"
"\n"
"Usage:\n"
"  schedplace record [-o TRACE] [-b KB] -- COMMAND [ARG...]\n"
"  schedplace report [--json] [--svg FILE] [OPTION...] TRACE\n"
"  schedplace --help | --version\n"
"\n"
"record runs COMMAND and writes what happened to it and its descendants to\n"
"TRACE, a text file in ftrace's format. It needs root and tracefs.\n"
"report says on which CPUs, LLCs and NUMA nodes the tasks started and ran, how\n"
"far they migrated, and whether they queued on a CPU while another was idle.\n"
"\n"
"'schedplace record --help' and 'schedplace report --help' list the options.\n";

/**
 * warn - print one line about something that doesn't stop the program
 * @fmt: printf format, without a newline
 */
void warn(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("schedplace: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

/**
 * die - print one line about what is wrong, and exit with status 1
 * @fmt: printf format, without a newline
 */
void die(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("schedplace: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

/**
 * xcalloc - calloc() that doesn't return without memory
 * @n: number of elements
 * @size: size of one
 *
 * Return: zeroed memory.
 */
void *xcalloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p)
		die("out of memory");
	return p;
}

/**
 * xrealloc - reallocarray() that doesn't return without memory
 * @p: old memory or NULL
 * @n: number of elements
 * @size: size of one
 *
 * Return: the memory, whose new part is not initialized.
 */
void *xrealloc(void *p, size_t n, size_t size)
{
	p = reallocarray(p, n ? n : 1, size);
	if (!p)
		die("out of memory");
	return p;
}

/**
 * vec_grow - make room for one more element in an array
 * @p: the array
 * @nr: elements in use
 * @cap: room for elements, updated
 * @size: size of one
 *
 * Return: the array.
 */
void *vec_grow(void *p, size_t nr, size_t *cap, size_t size)
{
	if (nr < *cap)
		return p;
	*cap = *cap ? *cap * 2 : 16;
	return xrealloc(p, *cap, size);
}

/**
 * xstrdup - strdup() that doesn't return without memory
 * @s: the string
 *
 * Return: the copy.
 */
char *xstrdup(const char *s)
{
	char *p = strdup(s);

	if (!p)
		die("out of memory");
	return p;
}

/**
 * xasprintf - asprintf() that doesn't return without memory
 * @fmt: printf format
 *
 * Return: the new string.
 */
char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *p;
	int ret;

	va_start(ap, fmt);
	ret = vasprintf(&p, fmt, ap);
	va_end(ap);
	if (ret < 0)
		die("out of memory");
	return p;
}

static int utf8_length(const unsigned char *s)
{
	int i, len;

	if (*s < 0x80)
		return *s >= ' ' && *s != 0x7f;
	len = *s >= 0xf0 ? 4 : *s >= 0xe0 ? 3 : 2;
	if (*s < 0xc2 || *s > 0xf4)
		return 0;
	for (i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	}
	/* Terminal controls, overlong forms, surrogates, beyond Unicode. */
	if ((*s == 0xc2 && s[1] < 0xa0) || (*s == 0xe0 && s[1] < 0xa0) ||
	    (*s == 0xed && s[1] > 0x9f) || (*s == 0xf0 && s[1] < 0x90) ||
	    (*s == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

/**
 * clean_text - replace what terminals obey, and JSON and XML can't hold
 * @s: a line; control characters and invalid UTF-8 become "?"
 */
void clean_text(char *s)
{
	int len;

	while (*s) {
		len = utf8_length((unsigned char *)s);
		if (!len) {
			*s = *s == '\t' ? ' ' : '?';
			len = 1;
		}
		s += len;
	}
}

int main(int argc, char **argv)
{
	if (argc >= 2) {
		if (!strcmp(argv[1], "record"))
			return cmd_record(argc - 1, argv + 1);
		if (!strcmp(argv[1], "report"))
			return cmd_report(argc - 1, argv + 1);
		if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
		    !strcmp(argv[1], "help")) {
			fputs(usage, stdout);
			return 0;
		}
		if (!strcmp(argv[1], "--version")) {
			printf("schedplace, trace format version %d\n", SP_VERSION);
			return 0;
		}
		warn("unknown command '%s', see 'schedplace --help'", argv[1]);
		return 2;
	}
	fputs(usage, stderr);
	return 2;
}
