# SPDX-License-Identifier: GPL-2.0
# Shared by the scripts beside it: source after setting nothing, from anywhere.
# Leaves: $top (the project), $build (everything made), die, note, lock_base.

me=${0##*/}
top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) || exit 1
build=${BUILD:-$top/build}
case $build in
/*) ;;
*) build=$(pwd)/$build ;;
esac
bases=$(cd "$top/patches" && ls -d [0-9]*.[0-9]* 2>/dev/null | tr '\n' ' ')
bases=${bases% }
export LC_ALL=C

# One line that says what is wrong and what to do; nothing after it runs.
die()
{
	printf '%s: %s\n' "$me" "$*" >&2
	exit 1
}

note()
{
	[ -n "${QUIET-}" ] || printf '%s\n' "$*" >&2
}

# check_base BASE: a base is what has a directory of patches.
check_base()
{
	case " $bases " in
	*" $1 "*) [ -n "$1" ] && return 0 ;;
	esac
	die "no series for base '$1'; set BASE to one of: $bases"
}

# Whoever ends make ends what it has booted, whichever script is in between.
export LAB_OWNER="${LAB_OWNER:-$PPID}"

# Objects are the same wherever the project lies, so let ccache know them again.
export CCACHE_BASEDIR="${CCACHE_BASEDIR:-$build}" CCACHE_NOHASHDIR=1

# A scratch directory that no exit path leaves behind.
scratch()
{
	mkdir -p "$build" || die "cannot create $build"
	tmp=$(mktemp -d "$build/tmp.XXXXXX") || die "cannot create a directory in $build"
	trap 'rm -rf "$tmp"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
}

# lock_base BASE[/DIR]: one writer at a time in there; held until exit.
lock_base()
{
	[ -n "${STEER_LOCKED-}" ] && return 0
	mkdir -p "$build/$1" || die "cannot create $build/$1"
	exec 9>"$build/$1/.lock"
	flock -n 9 || {
		note "$me: waiting for another command that works on $1"
		flock 9
	}
	STEER_LOCKED=1
	export STEER_LOCKED
}

# Every file of ours that lives at its kernel path; in a checkout those that
# git tracks, so that work in progress is nobody's business.
overlay_files()
{
	(
		cd "$top" || exit 1
		set -- kernel include arch Documentation tools/testing
		if [ -e .git ]; then
			git ls-files -- "$@" ||
				die "git does not read $top; is it another user's? (git config safe.directory)"
		else
			find "$@" -type f 2>/dev/null
			:
		fi
	)
}

# base_git BASE ARGS...: git on the repository of a base.
base_git()
{
	_repo=$build/$1/base.git
	shift
	git --git-dir="$_repo" -c core.abbrev=12 -c user.name="${GIT_USER:-sched-steer}" \
		-c user.email="${GIT_MAIL:-sched-steer@localhost}" "$@"
}

# The version that was found, such as "6.1.192 (Debian 6.1.192-3)".
base_version()
{
	cat "$build/$1/version" 2>/dev/null || echo unknown
}
