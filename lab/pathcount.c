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
 * a line "calls instructions usual" in FILE, the last being what a call took
 * most often. The mean shifts with the paths that are taken; that does not.
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
#define MAX_INSNS	65536	/* of a call, to be counted by its length */

/* The version of the interface as of QEMU 7.2 */
EXPORT int qemu_plugin_version = 1;

enum {
	BLOCK_OTHER, BLOCK_ENTRY, BLOCK_CALLER, BLOCK_CALLER_START, BLOCK_MARKER,
	NR_BLOCKS
};

static uint64_t entry, caller_start, caller_end, marker;
static FILE *out;
static uint64_t calls, insns, length[MAX_VCPUS], lengths[MAX_INSNS];
static bool inside[MAX_VCPUS], called[MAX_VCPUS];

static void leave(unsigned int vcpu)
{
	if (inside[vcpu] && length[vcpu] < MAX_INSNS)
		lengths[length[vcpu]]++;
	inside[vcpu] = false;
}

static unsigned int usual_length(void)
{
	unsigned int i, usual = 0;

	for (i = 1; i < MAX_INSNS; i++) {
		if (lengths[i] > lengths[usual])
			usual = i;
	}
	return usual;
}

/* A block's kind and length, packed into the pointer that its callback gets */
static void run_block(unsigned int vcpu, void *data)
{
	uintptr_t kind = (uintptr_t)data % NR_BLOCKS;
	uintptr_t len = (uintptr_t)data / NR_BLOCKS;

	if (vcpu >= MAX_VCPUS)
		return;
	switch (kind) {
	case BLOCK_CALLER:
		leave(vcpu);
		return;
	case BLOCK_CALLER_START:
		leave(vcpu);
		called[vcpu] = true;
		return;
	case BLOCK_ENTRY:
		if (called[vcpu]) {
			inside[vcpu] = true;
			length[vcpu] = 0;
			calls++;
		}
		called[vcpu] = false;
		break;
	case BLOCK_MARKER:
		fprintf(out, "%" PRIu64 " %" PRIu64 " %u\n", calls, insns, usual_length());
		fflush(out);
		calls = 0;
		insns = 0;
		memset(lengths, 0, sizeof(lengths));
		break;
	}
	if (inside[vcpu]) {
		insns += len;
		length[vcpu] += len;
	}
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
