/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_SIM_STRING_H
#define _ASM_SIM_STRING_H


#endif /* _ASM_SIM_STRING_H */
