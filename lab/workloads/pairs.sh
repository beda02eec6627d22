# SPDX-License-Identifier: GPL-2.0
# As many pairs as there are clusters on the CPUs that lab/bench gives: each pair
# has room in a cluster of its own, and is made by forks that spread over all.
exec pairs -s 3 "$CLUSTERS"
