#!/usr/bin/env bash
# Makes a base image for the tests without pulling one: Node 24 of this checkout's node_modules, the shared libraries it
# loads, and a passwd file; no shell, no package manager. Harder to live in than the official image, so what runs here
# runs there.
#   e2e/base-image.sh localhost/seatplan-node:test
set -euo pipefail
image=$1
node=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/node_modules/node/bin/node

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
install -D -m 0755 "$node" "$root/usr/local/bin/node"
# ldd names each library by the path under which the loader looks for it
for library in $(ldd "$node" | grep -o '/[^ ]*'); do install -D -m 0755 "$library" "$root$library"; done
install -d -m 0755 "$root/etc"
install -d -m 1777 "$root/tmp"
printf '%s\n' root:x:0:0:root:/root:/sbin/nologin nobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin >"$root/etc/passwd"
printf '%s\n' root:x:0: nogroup:x:65534: >"$root/etc/group"

tar --owner=0 --group=0 --numeric-owner -C "$root" -c . |
  docker import --change 'ENV PATH=/usr/local/bin' --change 'CMD ["node"]' - "$image"
