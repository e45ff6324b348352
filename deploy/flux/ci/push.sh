#!/bin/sh
# Renders a package of seats and pushes it as the artifact that Flux applies:
#
#   push.sh PACKAGE oci://registry.example/acme/seats [TAG]
#
# TAG (main) is what the OCIRepository follows. FLUX_FLAGS goes to every flux command (`--creds flux:TOKEN`, `--provider aws`);
# SEATPLAN_PLATFORM names the platform level. Needs git, flux >= 2.4, and seatplan on the PATH.
set -eu
package=$1 artifact=$2 tag=${3:-main}

commit=$(git rev-parse HEAD)
origin=$(git config --get remote.origin.url)

# A folder that is there before stays a folder. What seatplan makes itself is a link, of which flux pushes nothing.
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
seatplan render "$package" --all --output "dir=$out"

# shellcheck disable=SC2086 # several flags
flux push artifact "$artifact:$commit" --path "$out" --reproducible \
  --source "$origin" --revision "$tag@sha1:$commit" ${FLUX_FLAGS:-}
# shellcheck disable=SC2086
flux tag artifact "$artifact:$commit" --tag "$tag" ${FLUX_FLAGS:-}
