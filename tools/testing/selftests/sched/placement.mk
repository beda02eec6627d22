# SPDX-License-Identifier: GPL-2.0
# Tests of where tasks are placed. Include before ../lib.mk.
PLACEMENT_PROGS := placement placement_cpuset placement_hotplug placement_knob
# Those of clusters come later in the series than this file
CLUSTER_PROGS := $(filter-out cluster_util,$(basename $(wildcard cluster_*.c)))

TEST_GEN_PROGS += $(PLACEMENT_PROGS) $(CLUSTER_PROGS)

# lib.mk does the same, but after the rules below have been read
ifeq ($(OUTPUT),)
OUTPUT := $(CURDIR)
endif

# The rule is in lib.mk; these are not to become the default goal
.DEFAULT_GOAL := all
$(addprefix $(OUTPUT)/,$(PLACEMENT_PROGS)): sched_util.c
$(addprefix $(OUTPUT)/,$(CLUSTER_PROGS)): sched_util.c cluster_util.c
