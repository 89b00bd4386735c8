# SPDX-License-Identifier: GPL-2.0
# Shared by the scripts in tools/: paths, messages, running commands inside build/root, and the
# cache of what takes long to build.
# shellcheck shell=bash

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=$TOP/build
ROOT=$BUILD/root
QEMU_SRC=$BUILD/qemu/src
QEMU_BIN=$BUILD/qemu/bin
# What kbuild compiles the module with: no debug information, of which BTF would be made.
MODULE_FLAGS=(KCFLAGS="-Werror -g0" CONFIG_DEBUG_INFO_BTF_MODULES=)
ME=$(basename "$0")

say() { printf '%s: %s\n' "$ME" "$*" >&2; }
die() { say "$*"; exit 1; }

# need_value OPTION COUNT: fail if no word follows the option
need_value() { (($2 > 1)) || die "$1 needs a value; see $ME --help"; }

# need_built PATH TARGET: fail with advice if PATH has not been built yet
need_built() { [[ -e $1 ]] || die "${1#"$TOP"/} is missing; run 'make $2' first"; }

# package_names LIST: print the names of packages in that file of tools/
package_names() { sed 's/#.*//' "$TOP/tools/$1" | xargs -n 1; }

# in_root COMMAND...: run it inside build/root, with the project at /gslot, an empty /tmp and no
# inherited environment. The mounts are private to the command.
in_root() {
	local -a env=(HOME=/root TERM="${TERM:-dumb}" LANG=C.UTF-8 INITRD=No
		      DEBIAN_FRONTEND=noninteractive
		      PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin)

	# shellcheck disable=SC2016
	unshare --mount --propagation private bash -euc '
		top=$1 root=$2; shift 2
		mount --bind "$top" "$root/gslot"
		mount --bind /dev "$root/dev"
		mount -t proc proc "$root/proc"
		mount -t tmpfs tmpfs "$root/tmp"
		exec env -i "$@"
	' in_root "$TOP" "$ROOT" "${env[@]}" chroot "$ROOT" "$@"
}

# kernel_release VERSION: print the release of the newest kernel in build/root of that version
# ("6.12"), or of all ("newest"), or of one of tools/make-debug-kernel ("debug", "kcsan")
kernel_release() {
	local want=$1 release pattern="linux-headers-$1[.-]*-amd64"

	if [[ $want == debug ]]; then
		need_built "$BUILD/debug/release" debug-kernel
		cat "$BUILD/debug/release"
		return
	fi
	if [[ $want == kcsan ]]; then
		[[ -e $BUILD/kcsan/release ]] ||
			die "no kernel kcsan; run tools/make-debug-kernel --kcsan"
		cat "$BUILD/kcsan/release"
		return
	fi
	[[ $want != newest ]] || pattern='linux-headers-[0-9]*-amd64'
	release=$(find "$ROOT/usr/src" -maxdepth 1 -name "$pattern" -printf '%f\n' |
			sed 's/^linux-headers-//' | sort -V | tail -1)
	[[ $release ]] || die "no kernel $1 in build/root; run 'make setup'"
	echo "$release"
}

# linux_source TAR-ARGUMENT...: unpack Debian 13's kernel source inside build/root
linux_source() {
	# shellcheck disable=SC2016
	in_root bash -euc '
		apt() { apt-get -qq -o Dir::Cache=/tmp/cache -o Dir::State::lists=/tmp/lists "$@"; }
		mkdir -p /tmp/cache/archives/partial /tmp/lists/partial
		cd /tmp
		apt update
		apt -o APT::Sandbox::User=root download linux-source-6.12
		dpkg-deb --fsys-tarfile linux-source-6.12_*.deb |
			tar -xO ./usr/src/linux-source-6.12.tar.xz | tar -xJ "$@"
	' linux_source "$@"
}

# cache_file WHAT DIGEST [PACKAGE...]: the cache's archive of WHAT, built from inputs with that
# digest, and with these packages of build/root, or with all. GSLOT_CACHE names the cache's folder,
# if it is to outlive this clone.
cache_file() {
	local packages

	packages=$(in_root dpkg-query --show "${@:3}" | sha256sum | cut -d' ' -f1)
	echo "${GSLOT_CACHE:-$BUILD/cache}/$1-$(sha256sum <<<"$2 $packages" | cut -c1-32).tar"
}

# cache_get ARCHIVE DIR: replace DIR by what the archive has, if the cache has it whole. Called as a
# condition, so that errexit is off.
cache_get() {
	[[ -s $1 ]] || return
	rm -rf "$2.unpacked" && mkdir -p "$2.unpacked" || return
	if ! (cd "${1%/*}" && sha256sum --status -c "${1##*/}.sha256") ||
		! tar -C "$2.unpacked" -xf "$1"; then
		say "the cache's ${1##*/} is damaged: not used"
		rm -rf "$1" "$1.sha256" "$2.unpacked"
		return 1
	fi
	touch -c "$1" "$1.sha256"
	rm -rf "$2" && mv "$2.unpacked" "$2"
}

# cache_put ARCHIVE DIR FILE...: pack these files of DIR, and drop archives not used for a month
cache_put() {
	local folder temporary

	folder=$(dirname "$1")
	mkdir -p "$folder"
	temporary=$(mktemp -d "$folder/put.XXXXXX")
	tar -C "$2" -cf "$temporary/${1##*/}" "${@:3}"
	(cd "$temporary" && sha256sum "${1##*/}" >"${1##*/}.sha256")
	sync -f "$temporary"
	# The sum first: an archive without its own is not used.
	mv "$temporary/${1##*/}.sha256" "$temporary/${1##*/}" "$folder/"
	rmdir "$temporary"
	find "$folder" -maxdepth 1 '(' -name '*-*.tar*' -o -name 'put.*' ')' -mtime +30 \
		-exec rm -rf {} +
}
