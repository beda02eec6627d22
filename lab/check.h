/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LAB_CHECK_H
#define LAB_CHECK_H

#include "machine.h"

int check_machine_matches(const struct machine *m, const char *root);

#endif /* LAB_CHECK_H */
