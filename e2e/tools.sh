#!/usr/bin/env bash
# Builds the real tools that the end-to-end tests run against, from their Go modules, once, outside the checkout:
# Kubernetes, what the test cluster needs besides, kustomize, helm, Argo CD, Flux, agent-sandbox, and kpt where it is not installed. Prints
# the folder that holds them; `share` beside it gets the manifests that belong to them.
#   e2e/tools.sh            builds all that is missing (about 20 minutes on two cores)
#   e2e/tools.sh kustomize  builds only that; `cluster` is all that e2e/cluster/up starts
# Needs Go >= 1.26 and the Go module proxy. SEATPLAN_CACHE (default ~/.cache/seatplan) keeps the binaries.
set -euo pipefail

KUBERNETES_VERSION=v1.35.4
KUSTOMIZE_VERSION=v5.8.1
HELM_VERSION=v4.3.1
KPT_VERSION=v1.0.0-beta.61 # the oldest that its module's name of today has
CONTAINERD_VERSION=v2.4.2  # 1.6 is too old for gVisor's shim
GVISOR_VERSION=v0.0.0-20260905035102-160fafc42237 # of its branch `go`
KUBE_ROUTER_VERSION=v2.1.0
COREDNS_VERSION=v1.15.0
ARGOCD_VERSION=v3.6.1 # its go.mod is argocd/go.mod, with upstream's replace lines; it needs Go 1.27
FLUX_VERSION=v1.9.4   # of kustomize-controller, in flux/go.mod
AGENT_SANDBOX_VERSION=v0.5.6 # in agent-sandbox/go.mod
SOURCE_CONTROLLER_VERSION=v1.9.1 # for the CustomResourceDefinitions of sources

CACHE=${SEATPLAN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/seatplan}
BIN=$CACHE/bin
SHARE=$CACHE/share
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export CGO_ENABLED=0 GOFLAGS=-buildvcs=false

# once NAME VERSION PROGRAM...: a stamp says that it is done, so that a changed version rebuilds just that part
once() {
  local name=$1 version=$2 program missing=''; shift 2
  for program; do [[ -x $BIN/$program ]] || missing=yes; done
  if [[ -e $CACHE/stamp/$name@$version && -z $missing ]]; then return; fi
  echo "building $name $version (once; kept in $CACHE)" >&2
  ("build_$name" "$version" "$@" >&2)
  mkdir -p "$CACHE/stamp"; touch "$CACHE/stamp/$name@$version"
}
module_dir() { (cd / && go mod download -json "$1") | sed -n 's/.*"Dir": "\(.*\)".*/\1/p'; }
go_build() { go build -trimpath "$@"; }
go_install() { GOBIN=$BIN go install -trimpath -ldflags '-s -w' "$@"; } # takes no module that has replace lines
enter_folder() { WORK=$(mktemp -d); trap 'rm -rf "$WORK"' EXIT; cd "$WORK"; }

build_kubernetes() { # its module replaces its staging modules by folders that the published module lacks: name the published ones
  local version=$1 module v=k8s.io/component-base/version; shift
  module=$(module_dir "k8s.io/kubernetes@$version"); enter_folder
  sed -e 's|^module .*|module seatplan-e2e|' \
    -e "s|=> ./staging/src/k8s.io/\(.*\)|=> k8s.io/\1 v0.${version#v1.}|" "$module/go.mod" >go.mod
  cat "$module/go.sum" >go.sum
  go mod edit -require="k8s.io/kubernetes@$version"
  go_build -mod=mod -o "$BIN/" \
    -ldflags "-s -w -X $v.gitVersion=$version -X $v.gitMajor=1 -X $v.gitMinor=$(cut -d. -f2 <<<"$version")" \
    "${@/#/k8s.io/kubernetes/cmd/}"
}
build_containerd() { go_install github.com/containerd/containerd/v2/cmd/{containerd,containerd-shim-runc-v2,ctr}@"$1"; }
build_kube-router() { go_install "github.com/cloudnativelabs/kube-router/v2/cmd/kube-router@$1"; }
build_gvisor() { # from a copy of its module with one line changed
  local module; module=$(module_dir "gvisor.dev/gvisor@$1"); enter_folder
  cp -r "$module/." .; chmod -R u+w .
  # The shim gives up when it cannot lower its own oom_score_adj, which takes CAP_SYS_RESOURCE.
  sed -i 's/oomScoreMax = -999/oomScoreMax = 0/' pkg/shim/v1/manager.go
  grep -q 'oomScoreMax = 0' pkg/shim/v1/manager.go || { echo 'gVisor shim: the line to change is gone' >&2; exit 1; }
  go_build -ldflags "-s -w -X gvisor.dev/gvisor/runsc/version.version=$1" -o "$BIN/runsc" ./runsc
  go_build -ldflags '-s -w' -o "$BIN/containerd-shim-runsc-v1" ./shim
}
build_coredns() { # with the few plugins of cluster/src/coredns.go
  enter_folder; cp "$HERE/cluster/src/coredns.go" main.go
  go mod init seatplan-e2e 2>/dev/null; go mod edit -require="github.com/coredns/coredns@${1%%-*}"
  go_build -mod=mod -ldflags '-s -w' -o "$BIN/coredns" .
}
build_tool() { go_build -ldflags '-s -w' -o "$BIN/tool" "$HERE/cluster/src/tool.go"; }
build_kustomize() { go_install "sigs.k8s.io/kustomize/kustomize/v5@$1"; }
build_helm() { go_install "helm.sh/helm/v4/cmd/helm@$1"; }
build_kpt-live() { # only `kpt fn` and `kpt live`: see kpt/main.go
  local module; module=$(module_dir "github.com/kptdev/kpt@$1"); enter_folder
  sed 's|^module .*|module seatplan-e2e|' "$module/go.mod" >go.mod
  cat "$module/go.sum" >go.sum
  cp "$HERE/kpt/main.go" .
  go mod edit -require="github.com/kptdev/kpt@$1"
  go_build -mod=mod -ldflags "-s -w -X main.version=${1#v}" -o "$BIN/kpt" .
}

build_argocd() { # one program; which server it is says the name that it is called by
  export GOTOOLCHAIN=go1.27.3
  local module name; module=$(module_dir "github.com/argoproj/argo-cd/v3@$1"); cd "$HERE/argocd"
  go_build -ldflags "-s -w -X github.com/argoproj/argo-cd/v3/common.version=${1#v}" \
    -o "$BIN/argocd" github.com/argoproj/argo-cd/v3/cmd
  for name in cmp-server repo-server application-controller; do ln -f "$BIN/argocd" "$BIN/argocd-$name"; done
  rm -rf "$SHARE/argocd"; mkdir -p "$SHARE/argocd"
  cp "$module"/manifests/install.yaml "$module"/manifests/crds/*-crd.yaml "$SHARE/argocd/"; chmod -R u+w "$SHARE/argocd"
}
build_flux() {
  local module; cd "$HERE/flux"
  go_build -ldflags '-s -w' -o "$BIN/kustomize-controller" github.com/fluxcd/kustomize-controller
  rm -rf "$SHARE/flux"; mkdir -p "$SHARE/flux"
  for module in "kustomize-controller@$1" "source-controller@$SOURCE_CONTROLLER_VERSION"; do
    cp "$(module_dir "github.com/fluxcd/$module")"/config/crd/bases/*.yaml "$SHARE/flux/"
  done
  chmod -R u+w "$SHARE/flux"
}
build_agent-sandbox() { cd "$HERE/agent-sandbox"
  go_build -ldflags '-s -w' -o "$BIN/agent-sandbox-controller" sigs.k8s.io/agent-sandbox/cmd/agent-sandbox-controller
}
build_flux-check() { cd "$HERE/flux"; go_build -ldflags '-s -w' -o "$BIN/flux-check" .; }

build() {
  case $1 in
    kubernetes) once kubernetes "$KUBERNETES_VERSION" \
      kube-{apiserver,controller-manager,scheduler,proxy} kubelet kubectl ;;
    cluster) build kubernetes
      once containerd "$CONTAINERD_VERSION" containerd containerd-shim-runc-v2 ctr
      once gvisor "$GVISOR_VERSION" runsc containerd-shim-runsc-v1
      once kube-router "$KUBE_ROUTER_VERSION" kube-router
      once coredns "$COREDNS_VERSION-$(of coredns.go)" coredns
      once tool "$(of tool.go)" tool ;;
    kustomize) once kustomize "$KUSTOMIZE_VERSION" kustomize ;;
    argocd) once argocd "$ARGOCD_VERSION" argocd argocd-{cmp-server,repo-server,application-controller} ;;
    flux) once flux "$FLUX_VERSION" kustomize-controller
      once flux-check "$FLUX_VERSION-$(of ../../flux/main.go)" flux-check ;;
    agent-sandbox) once agent-sandbox "$AGENT_SANDBOX_VERSION" agent-sandbox-controller ;;
    helm) once helm "$HELM_VERSION" helm ;;
    kpt) once kpt-live "$KPT_VERSION" kpt ;;
    *) echo "unknown tool: $1" >&2; exit 2 ;;
  esac
}
of() { sha256sum <"$HERE/cluster/src/$1" | cut -c1-8; } # the version of a program of ours

mkdir -p "$BIN"
if (($# == 0)); then
  set -- kustomize helm cluster argocd flux agent-sandbox
  command -v kpt >/dev/null || set -- "$@" kpt
fi
for tool; do build "$tool"; done
echo "$BIN"
