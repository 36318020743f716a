#!/bin/sh
# dist.sh BINARY DIRECTORY: what is handed to people. The source tarball, a tarball and a Debian package of the program,
# checksums, and a bill of materials (CycloneDX) of the libraries it is linked with. The same commit and binary make the
# same bytes: times are the commit's, owners are root, names are sorted.
set -eu

binary=$1
out=$2
version=$("$binary" --version | cut -d ' ' -f 2)
architecture=$(dpkg --print-architecture)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8 TZ=UTC

umask 022
rm -rf "$out"
mkdir -p "$out"
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT INT TERM

# The source, as it is committed.
git archive --format=tar --prefix="atrium-$version/" HEAD | gzip -9n >"$out/atrium-$version.tar.gz"

# What make install puts somewhere, put here.
root=$stage/root
make -s install-files binary="$binary" DESTDIR="$root" PREFIX=/usr
strip --strip-unneeded "$root/usr/bin/atrium"
gzip -9n "$root"/usr/share/man/man?/*
mkdir -p "$root/usr/share/zsh/vendor-completions" "$root/usr/share/doc/atrium"
mv "$root/usr/share/zsh/site-functions/_atrium" "$root/usr/share/zsh/vendor-completions/"
rmdir "$root/usr/share/zsh/site-functions"
cp README.md SECURITY.md CHANGELOG.md "$root/usr/share/doc/atrium/"
cp LICENSE "$root/usr/share/doc/atrium/copyright"

# Packages of the libraries the program is linked with, and of the two it loads when they are first needed.
linked=$(objdump -p "$root/usr/bin/atrium" | awk '$1 == "NEEDED" { print $2 }' | sort -u)
packages=
for library in $linked libcurl.so.4 libmicrohttpd.so.12; do
  path=$(ldconfig -p | awk -v name="$library" '$1 == name { print $NF; exit }')
  package=$(dpkg-query -S "$(readlink -f "$path")" "$path" 2>/dev/null | head -1 | cut -d : -f 1)
  [ -n "$package" ] || { echo "dist: no package holds $library" >&2; exit 1; }
  packages="$packages $package"
done
packages=$(printf '%s\n' $packages | sort -u)

depends=
for package in $packages; do
  installed=$(dpkg-query -W -f '${Version}' "$package" | sed 's/^[0-9]*://; s/[-+~].*//')
  case $package in
    libc6 | libstdc++6 | libgcc-s1) depends="$depends, $package (>= $installed)" ;;
    *) depends="$depends, $package" ;;
  esac
done

mkdir -p "$root/DEBIAN"
cat >"$root/DEBIAN/control" <<CONTROL
Package: atrium
Version: $version
Architecture: $architecture
Maintainer: The Atrium project <atrium@example.org>
Installed-Size: $(du -sk "$root/usr" | cut -f 1)
Depends: ${depends#, }
Recommends: ca-certificates, xdg-utils
Section: net
Priority: optional
Description: terminal browser for bank accounts, documents and stored objects
 Atrium browses Open Bank Project banks, Alfresco repositories, Oracle Mobile
 Cloud storage, IBM MobileFirst resources and SAP Mobile Platform data with one
 set of keys, and holds a sandbox of all five.
CONTROL
(cd "$root" && find usr -type f | sort | xargs md5sum >DEBIAN/md5sums)
find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group -Zxz --build "$root" "$out/atrium_${version}_$architecture.deb" >/dev/null

tar --directory "$root/usr" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
  --transform "s,^\.,atrium-$version-$architecture," -cf - . | gzip -9n >"$out/atrium-$version-$architecture.tar.gz"

# The bill of materials.
{
  printf '{"bomFormat":"CycloneDX","specVersion":"1.5","version":1,'
  printf '"metadata":{"timestamp":"%s",' "$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)"
  printf '"component":{"type":"application","name":"atrium","version":"%s","licenses":[{"license":{"id":"Apache-2.0"}}]}},' "$version"
  printf '"components":['
  swift=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p' | head -1)
  printf '{"type":"library","name":"swift-runtime","version":"%s","licenses":[{"license":{"id":"Apache-2.0"}}]}' "$swift"
  for package in $packages; do
    full=$(dpkg-query -W -f '${Version}' "$package")
    printf ',{"type":"library","name":"%s","version":"%s","purl":"pkg:deb/debian/%s@%s?arch=%s"}' \
      "$package" "$full" "$package" "$full" "$architecture"
  done
  printf ']}\n'
} >"$out/atrium-$version.cdx.json"

(cd "$out" && sha256sum atrium* >SHA256SUMS)
ls -l "$out"
