# SPDX-License-Identifier: GPL-2.0
# Shared by main-run and metrics-run: TAP.
#
# O is the directory with the programs (default: build/sim of the tree), TOOLS
# that of schedplace and lab-result (default: build/tools).
# TOOL is put before each call: TOOL="valgrind -q --error-exitcode=99".

here=$(cd "$(dirname "$0")" && pwd) || exit 1
top=$(cd "$here/../../../.." && pwd) || exit 1
O=$(cd "${O:-$top/build/sim}" 2>/dev/null && pwd)
TOOLS=${TOOLS:-$top/build/tools}
schedplace=$TOOLS/schedplace
SCHEDSIM_LAB=$top/lab
export SCHEDSIM_LAB LC_ALL=C
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
nr=0
failed=0

# check NAME COMMAND...: ok if the command succeeds
check()
{
	name=$1
	shift
	nr=$((nr + 1))
	if "$@" >"$tmp/why" 2>&1; then
		echo "ok $nr - $name"
	else
		failed=$((failed + 1))
		echo "not ok $nr - $name"
		sed 's/^/# /' "$tmp/why" | head -n 40
	fi
}

skip()
{
	nr=$((nr + 1))
	echo "ok $nr - $1 # SKIP $2"
}

why=
if ! command -v python3 >/dev/null; then
	why="needs python3"
elif [ ! -x "$schedplace" ]; then
	why="needs $schedplace"
fi

# same JSON TRACE: what schedplace says of the trace is what the JSON says
same()
{
	"$schedplace" report --json "$2" >"$tmp/report.json" || return 1
	python3 - "$1" "$tmp/report.json" <<- 'END'
	import json, sys
	ours = json.load(open(sys.argv[1]))
	theirs = json.load(open(sys.argv[2]))
	run = ours["runs"][0]
	assert ours["kernel"] == theirs.pop("kernel"), "kernel"
	theirs.pop("per_task")
	assert theirs["tasks"], "no tasks"
	wrong = [k for k in theirs if theirs[k] != run.get(k)]
	for k in wrong:
	    print(k, "is", run.get(k), "but schedplace says", theirs[k])
	sys.exit(1 if wrong else 0)
	END
}

finish()
{
	echo "1..$nr"
	[ $failed -eq 0 ]
}
