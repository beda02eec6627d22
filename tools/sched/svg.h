/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCHEDPLACE_SVG_H
#define _SCHEDPLACE_SVG_H

struct trace;

void svg_write(struct trace *tr, const char *path);

#endif
