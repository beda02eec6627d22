/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What pathcount uses of QEMU's interface for plugins: Debian's package has no
 * header for it.
 */
#ifndef LAB_QEMU_PLUGIN_API_H
#define LAB_QEMU_PLUGIN_API_H

#include <stddef.h>
#include <stdint.h>

#define EXPORT	__attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_info;

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   void (*cb)(qemu_plugin_id_t id,
						      struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
					  void (*cb)(unsigned int vcpu, void *data),
					  int flags, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info,
			       int argc, char **argv);

#endif /* LAB_QEMU_PLUGIN_API_H */
