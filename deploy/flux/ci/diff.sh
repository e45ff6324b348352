#!/bin/sh
# What a change of a package would change in the cluster: the difference between the artifact that Flux applies and what the
# package renders to now. Exit code 0 without any, 1 with some.
#
#   diff.sh PACKAGE oci://registry.example/acme/seats [TAG]
#
# FLUX_FLAGS and SEATPLAN_PLATFORM as for push.sh.
set -eu
package=$1 artifact=$2 tag=${3:-main}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/now" "$work/new"
seatplan render "$package" --all --output "dir=$work/new"

# shellcheck disable=SC2086 # several flags
if flux diff artifact "$artifact:$tag" --path "$work/new" ${FLUX_FLAGS:-}; then exit 0; fi
# flux says only that they differ
# shellcheck disable=SC2086
flux pull artifact "$artifact:$tag" --output "$work/now" ${FLUX_FLAGS:-}
cd "$work"
git --no-pager diff --no-index --stat --patch now new
