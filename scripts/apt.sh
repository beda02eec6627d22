# SPDX-License-Identifier: GPL-2.0
# Debian packages that this system's apt does not offer: of another suite, or
# for another architecture. Sourced after lib.sh, with set: $apt_dir, where the
# private state goes; $suite; $apt_hint, what one can do without apt.
# Leaves: apt_private, apt_private_update.

# apt_private TOOL ARGS...: apt-get or apt-cache on a state of our own, so that
# the system's lists and sources stay as they are. Signatures are checked as
# ever.
apt_private()
{
	_tool=$1
	shift
	"$_tool" -q -o Dir::Etc::SourceList="$apt_dir/sources.list" \
		-o Dir::Etc::SourceParts=/dev/null \
		-o Dir::Etc::PreferencesParts=/dev/null -o Dir::Etc::Preferences=/dev/null \
		-o Dir::State="$apt_dir/state" -o Dir::State::Lists="$apt_dir/lists" \
		-o Dir::Cache="$apt_dir/cache" -o APT::Sandbox::User="" \
		-o APT::Get::AllowUnauthenticated=false "$@"
}

# The mirrors that this machine uses for Debian and for its security suite, as
# "URI suite component..." lines; both forms of sources are read.
debian_mirrors()
{
	cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
	awk '$1 == "deb" {
		i = 2
		if ($i ~ /^\[/) { while ($i !~ /\]$/) i++; i++ }
		l = $i
		while (++i <= NF && $i !~ /^#/) l = l " " $i
		print l
	}'
	for f in /etc/apt/sources.list.d/*.sources; do
		[ -f "$f" ] || continue
		awk 'function out(  i, j, n, m, u, s) {
			n = split(uris, u, " "); m = split(suites, s, " ")
			if (enabled != "no")
				for (i = 1; i <= n; i++) for (j = 1; j <= m; j++) print u[i], s[j] comps
			uris = suites = comps = enabled = ""
		}
		/^#/ { next }
		/^[ \t]*$/ { out(); next }
		tolower($1) == "uris:" { $1 = ""; uris = $0 }
		tolower($1) == "suites:" { $1 = ""; suites = $0 }
		tolower($1) == "components:" { $1 = ""; comps = $0 }
		tolower($1) == "enabled:" { enabled = $2 }
		END { out() }' "$f"
	done
}

private_sources()
{
	_key=/usr/share/keyrings/debian-archive-keyring.gpg
	[ -r "$_key" ] ||
		die "$_key is missing, so $suite could not be verified; install debian-archive-keyring"
	rm -rf "$apt_dir"
	mkdir -p "$apt_dir/lists/partial" "$apt_dir/state" "$apt_dir/cache/archives/partial"
	# Not a third party's archive that has "debian" in its address.
	debian_mirrors | grep -E '^[^ ]*/debian(-security)?/? .* main( |$)' | sort -u |
	awk -v s="$suite" -v k="$_key" '
	$2 ~ /-security$|\/updates$/ { sec[$1] = 1; next }
	$2 !~ /-(updates|backports|proposed-updates)/ { main[$1] = 1 }
	END {
		for (u in main) print "deb [signed-by=" k "]", u, s, "main"
		for (u in sec) print "deb [signed-by=" k "]", u, s "-security", "main"
	}' > "$apt_dir/sources.list"
	[ -s "$apt_dir/sources.list" ] ||
		die "no Debian mirror in this machine's apt sources; $apt_hint"
}

# apt_private_update: the package lists of $suite, or die. Wants a scratch directory.
apt_private_update()
{
	private_sources
	apt_private apt-get "$@" update >"$tmp/log" 2>&1 &&
		! grep -q '^[EW]: .*\(Failed\|NO_PUBKEY\|not signed\|GPG error\)' "$tmp/log" ||
		die "cannot get $suite's package lists ($(grep -m1 '^[EW]:' "$tmp/log")); check the network, or $apt_hint"
}
