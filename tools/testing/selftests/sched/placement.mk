# SPDX-License-Identifier: GPL-2.0
# Tests of affinity-aware task placement. Include before ../lib.mk.
PLACEMENT_PROGS := placement placement_cpuset placement_hotplug placement_knob

TEST_GEN_PROGS += $(PLACEMENT_PROGS)

# lib.mk does the same, but after the rule below has been read
ifeq ($(OUTPUT),)
OUTPUT := $(CURDIR)
endif

# The rule is in lib.mk; these are not to become the default goal
.DEFAULT_GOAL := all
$(addprefix $(OUTPUT)/,$(PLACEMENT_PROGS)): sched_util.c
