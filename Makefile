# SPDX-License-Identifier: GPL-2.0
# sched-steer: the one entry point. 'make help' lists the targets.
BASE ?= 6.1
MACHINE ?= zen3-mini
RUNS ?= 20
ARCH ?= x86_64
MAKEFLAGS += --no-print-directory
BUILD ?= build
override BUILD := $(abspath $(BUILD))
export BUILD LINUX_DIR LINUX_TARBALL UPDATE FORCE VANILLA CONFIG SIM
TOOLS := $(BUILD)/tools
export LAB_TOOLS := $(TOOLS)

help:
	@sed -n 's/^#: //p' Makefile

#: Main targets
#:   demo      boot the patched kernel on an emulated server and print, workload
#:             by workload, where tasks go with our switches off and on
#:   check     all tests, on every base; N passed, N failed, N skipped
#:   compare   the vanilla kernel beside the patched one, switches off and on
#:
#: Working on the series
#:   tree      build/BASE/linux: the base in git, a commit a patch
#:             (VANILLA=1: build/BASE/vanilla, untouched)
#:   refresh   commits made in build/BASE/linux become patches and overlay again
#:   series    build/BASE/series: the complete series for 'git am', proved
#:   steps     build each step of the series, with our options off and on
#:   lint      checkpatch --strict, sparse and codespell on what is ours
#:
#: Kernels and tools
#:   kernel    the lab's kernel of BASE (VANILLA=1: of the untouched base;
#:             ARCH=arm64)
#:   deb       installable packages (CONFIG=file, else the running system's)
#:   tools     schedplace and the lab's programs, into build/tools
#:   guest     the lab's initial RAM disk (ARCH=arm64)
#:   kunit     the KUnit suites, on a booted kernel of BASE
#:   kselftest the kselftests, on a booted kernel of BASE
#:   cost      instructions of fork and wakeup paths, patched to vanilla
#:   clean     remove build/ (the downloaded bases too)
#:
#: Simulator
#:   sim       build/BASE/schedsim: the patched scheduler in one process, hundreds
#:             of CPUs, virtual time (VANILLA=1: schedsim-vanilla; SIM=asan, gcov
#:             or debug: with sanitizers, coverage, or symbols for callgrind)
#:   sim-check its tests, on BASE
#:   sim-compare  the lab's workloads, booted and simulated, side by side
#:
#: Variables
#:   BASE=6.1 or 5.10            the base kernel (6.1)
#:   MACHINE=name                a file in lab/machines (zen3-mini)
#:   RUNS=n                      runs of each workload (20)
#:   WORKLOADS="name[:cpus] ..." see lab/bench --help
#:   LINUX_TARBALL= LINUX_DIR=   a source of your own instead of Debian's
#:   UPDATE=1                    ask Debian for a newer point release
#:   FORCE=1                     let 'tree' drop your commits and edits

tree:
	@scripts/setup source
	@scripts/tree $(BASE)

refresh:
	@scripts/refresh $(BASE)

series:
	@scripts/setup source
	@scripts/series $(BASE)

steps:
	@scripts/setup source kernel
	@scripts/steps $(BASE)

lint:
	@scripts/setup source kernel lint
	@scripts/lint $(BASE)

kernel:
	@scripts/setup source kernel $(if $(filter arm64,$(ARCH)),arm64)
	@scripts/kernel $(BASE) $(if $(VANILLA),vanilla,steer) $(ARCH)

deb:
	@scripts/setup source kernel deb
	@scripts/deb $(BASE)

tools:
	@scripts/setup tools
	@$(MAKE) -s -C tools/sched O=$(TOOLS)
	@$(MAKE) -s -C lab O=$(TOOLS)

guest: tools
	@scripts/setup lab
	@scripts/guest $(ARCH) $(BUILD)/lab$(if $(filter-out x86_64,$(ARCH)),/$(ARCH))

demo: tools
	@scripts/setup source kernel lab
	@scripts/bench demo $(BASE) $(MACHINE) $(RUNS) $(WORKLOADS)

compare: tools
	@scripts/setup source kernel lab
	@scripts/bench compare $(BASE) $(MACHINE) $(RUNS) $(WORKLOADS)

kunit kselftest: tools
	@scripts/setup source kernel lab
	@scripts/test $@ $(BASE) $(MACHINE)

cost: tools
	@scripts/setup source kernel lab
	@scripts/cost $(BASE) $(MACHINE)

sim:
	@scripts/setup source kernel sim
	@scripts/sim $(BASE)

sim-check: tools
	@scripts/setup source kernel sim
	@scripts/tests/sim $(BASE)

sim-compare: tools
	@scripts/setup source kernel lab sim
	@scripts/sim-compare $(BASE) $(MACHINE) $(RUNS) $(WORKLOADS)

check:
	@scripts/check

clean:
	@for w in $(BUILD)/*/base.git; do \
		[ ! -d "$$w" ] || git --git-dir="$$w" worktree prune; \
	done
	rm -rf $(BUILD)

.PHONY: help tree refresh series steps lint kernel deb tools guest demo compare \
	kunit kselftest cost check clean sim sim-check sim-compare
