// SPDX-License-Identifier: GPL-2.0
/*
 * pathcount: a QEMU plugin that counts the guest's instructions from the entry
 * of one kernel function until its caller goes on.
 *
 *	-plugin pathcount.so,entry=START,caller=START-END,marker=START,out=FILE
 *
 * Addresses are hexadecimal, of a kernel at its linked address. Only calls that
 * come from within the caller count, with all that the function calls itself;
 * the kernel runs it with interrupts off. Executing the marker ends a section:
 * a line "calls instructions" in FILE.
 *
 * It runs with one thread for all CPUs: nothing is shared.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu-plugin-api.h"

#define MAX_VCPUS	512

/* The version of the interface as of QEMU 7.2 */
EXPORT int qemu_plugin_version = 1;

enum {
	BLOCK_OTHER, BLOCK_ENTRY, BLOCK_CALLER, BLOCK_CALLER_START, BLOCK_MARKER,
	NR_BLOCKS
};

static uint64_t entry, caller_start, caller_end, marker;
static FILE *out;
static uint64_t calls, insns;
static bool inside[MAX_VCPUS], called[MAX_VCPUS];

/* A block's kind and length, packed into the pointer that its callback gets */
static void run_block(unsigned int vcpu, void *data)
{
	uintptr_t kind = (uintptr_t)data % NR_BLOCKS;
	uintptr_t len = (uintptr_t)data / NR_BLOCKS;

	if (vcpu >= MAX_VCPUS)
		return;
	switch (kind) {
	case BLOCK_CALLER:
		inside[vcpu] = false;
		return;
	case BLOCK_CALLER_START:
		inside[vcpu] = false;
		called[vcpu] = true;
		return;
	case BLOCK_ENTRY:
		if (called[vcpu]) {
			inside[vcpu] = true;
			calls++;
		}
		called[vcpu] = false;
		break;
	case BLOCK_MARKER:
		fprintf(out, "%" PRIu64 " %" PRIu64 "\n", calls, insns);
		fflush(out);
		calls = 0;
		insns = 0;
		break;
	}
	if (inside[vcpu])
		insns += len;
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	uint64_t start = qemu_plugin_tb_vaddr(tb);
	uintptr_t kind = BLOCK_OTHER;

	(void)id;
	if (start == entry)
		kind = BLOCK_ENTRY;
	else if (start == marker)
		kind = BLOCK_MARKER;
	else if (start == caller_start)
		kind = BLOCK_CALLER_START;
	else if (start > caller_start && start < caller_end)
		kind = BLOCK_CALLER;
	kind += NR_BLOCKS * qemu_plugin_tb_n_insns(tb);
	qemu_plugin_register_vcpu_tb_exec_cb(tb, run_block, 0, (void *)kind);
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info,
			int argc, char **argv)
{
	const char *path = NULL;
	int i;

	(void)info;
	for (i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "out=", 4))
			path = argv[i] + 4;
		else if (sscanf(argv[i], "entry=%" SCNx64, &entry) != 1 &&
			 sscanf(argv[i], "marker=%" SCNx64, &marker) != 1 &&
			 sscanf(argv[i], "caller=%" SCNx64 "-%" SCNx64,
				&caller_start, &caller_end) != 2)
			break;
	}
	if (i < argc || !entry || !marker || !caller_end || !path) {
		fprintf(stderr, "pathcount: wants entry=, caller=, marker= and out=\n");
		return -1;
	}
	out = fopen(path, "w");
	if (!out) {
		perror(path);
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	return 0;
}
