#!/bin/sh
# Renders a package of seats into a branch of its repository, for Flux to read it there:
#
#   push-branch.sh PACKAGE [BRANCH]
#
# BRANCH (rendered) holds nothing else, and gets one commit for each change. Run it in a clone that may push; its working tree,
# index and branches stay as they are. SEATPLAN_PLATFORM names the platform level. Needs git with a user.name and user.email, and
# seatplan on the PATH.
set -eu
package=$1 branch=${2:-rendered}

commit=$(git rev-parse HEAD)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/out"
seatplan render "$package" --all --output "dir=$work/out"

export GIT_INDEX_FILE="$work/index"
git --work-tree="$work/out" add --all --force .
tree=$(git write-tree)
parent=$(git ls-remote origin "refs/heads/$branch" | cut -f1)
if [ -n "$parent" ]; then
  git fetch --quiet origin "$branch"
  if [ "$(git rev-parse "$parent^{tree}")" = "$tree" ]; then exit 0; fi
fi
new=$(git commit-tree "$tree" ${parent:+-p "$parent"} -m "Render $commit")
git push origin "$new:refs/heads/$branch"
