/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_SIM_MMZONE_H
#define _ASM_SIM_MMZONE_H

extern struct pglist_data *node_data[];

#define NODE_DATA(nid)	(node_data[nid])

#endif /* _ASM_SIM_MMZONE_H */
