#!/usr/bin/env bash
# Builds the real tools that the end-to-end tests run against, from their Go modules, once, outside the checkout:
# kube-apiserver and kubectl, kustomize, helm, and kpt where it is not installed. Prints the folder that holds them.
#   e2e/tools.sh            builds all that is missing
#   e2e/tools.sh kustomize  builds only that
# Needs Go >= 1.26 and the Go module proxy. SEATPLAN_CACHE (default ~/.cache/seatplan) keeps the binaries.
set -euo pipefail

KUBERNETES_VERSION=v1.35.4
KUSTOMIZE_VERSION=v5.8.1
HELM_VERSION=v4.3.1
KPT_VERSION=v1.0.0-beta.61 # the oldest that its module's name of today has

CACHE=${SEATPLAN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/seatplan}
BIN=$CACHE/bin
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export CGO_ENABLED=0 GOFLAGS=-buildvcs=false

once() { # once NAME VERSION: a stamp says that it is done, so that a changed version rebuilds just that part
  local stamp=$CACHE/stamp/$1@$2
  if [[ -e $stamp ]]; then return; fi
  echo "building $1 $2 (once; kept in $CACHE)" >&2
  "build_$1" "$2" >&2
  mkdir -p "$CACHE/stamp"; touch "$stamp"
}
module_dir() { (cd / && go mod download -json "$1") | sed -n 's/.*"Dir": "\(.*\)".*/\1/p'; }

build_kubernetes() { # its module replaces its staging modules by folders that the published module lacks: name the published ones
  local module work v=k8s.io/component-base/version
  module=$(module_dir "k8s.io/kubernetes@$1")
  work=$(mktemp -d)
  sed -e 's|^module .*|module seatplan-e2e|' \
    -e "s|=> ./staging/src/k8s.io/\(.*\)|=> k8s.io/\1 v0.${1#v1.}|" "$module/go.mod" >"$work/go.mod"
  cat "$module/go.sum" >"$work/go.sum"
  (cd "$work" && go mod edit -require="k8s.io/kubernetes@$1" &&
    go build -trimpath -mod=mod -o "$BIN/" \
      -ldflags "-s -w -X $v.gitVersion=$1 -X $v.gitMajor=1 -X $v.gitMinor=$(cut -d. -f2 <<<"$1")" \
      k8s.io/kubernetes/cmd/{kube-apiserver,kubectl})
  rm -rf "$work"
}
build_kustomize() { GOBIN=$BIN go install -trimpath -ldflags '-s -w' "sigs.k8s.io/kustomize/kustomize/v5@$1"; }
build_helm() { GOBIN=$BIN go install -trimpath -ldflags '-s -w' "helm.sh/helm/v4/cmd/helm@$1"; }
build_kpt() { # only `kpt fn`: see kpt/main.go
  local module work
  module=$(module_dir "github.com/kptdev/kpt@$1")
  work=$(mktemp -d)
  sed 's|^module .*|module seatplan-e2e|' "$module/go.mod" >"$work/go.mod"
  cat "$module/go.sum" >"$work/go.sum"
  cp "$HERE/kpt/main.go" "$work/"
  (cd "$work" && go mod edit -require="github.com/kptdev/kpt@$1" &&
    go build -trimpath -mod=mod -ldflags "-s -w -X main.version=${1#v}" -o "$BIN/kpt" .)
  rm -rf "$work"
}

mkdir -p "$BIN"
for tool in "${@:-all}"; do
  case $tool in
    all) once kustomize "$KUSTOMIZE_VERSION"; once helm "$HELM_VERSION"; once kubernetes "$KUBERNETES_VERSION"
      command -v kpt >/dev/null || once kpt "$KPT_VERSION" ;;
    kubernetes) once kubernetes "$KUBERNETES_VERSION" ;;
    kustomize) once kustomize "$KUSTOMIZE_VERSION" ;;
    helm) once helm "$HELM_VERSION" ;;
    kpt) once kpt "$KPT_VERSION" ;;
    *) echo "unknown tool: $tool" >&2; exit 2 ;;
  esac
done
echo "$BIN"
