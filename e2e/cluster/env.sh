# shellcheck shell=bash disable=SC2034
# Settings shared by `up`, `down` and `image`; sourced, never run. The first three can be set from outside.
STATE=${STATE:-${TMPDIR:-/tmp}/seatplan-cluster/state}   # all that belongs to the running cluster; `down` removes it
CACHE=${SEATPLAN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/seatplan}   # what e2e/tools.sh built; `down` keeps it
GVISOR_PLATFORM=${GVISOR_PLATFORM:-systrap}              # or ptrace; kvm needs nested virtualisation that works

NAME=seatplan                 # of the network namespace, the cgroup, the veth pair's outer end and the node
HOST_IP=10.99.0.1             # the host's end of the veth pair: where pods reach a program outside the cluster
NODE_IP=10.99.0.2             # the node's end: API server on :6443, kubelet on :10250, node ports
POD_CIDR=10.245.0.0/24
SERVICE_CIDR=10.97.0.0/16
API_VIP=10.97.0.1             # the first address of SERVICE_CIDR
DNS_VIP=10.97.0.10

# Every process of the cluster is in or below the first; the second holds the daemons themselves.
CGROUP=/sys/fs/cgroup/pids/$NAME DAEMONS=/sys/fs/cgroup/pids/$NAME
if [[ -e /sys/fs/cgroup/cgroup.controllers ]]; then # version 2: one hierarchy, with processes in its leaves only
  CGROUP=/sys/fs/cgroup/$NAME DAEMONS=/sys/fs/cgroup/$NAME/daemons
fi

DEBIAN_PACKAGES=(conntrack containernetworking-plugins etcd-server iproute2 ipset iptables openssl runc)
BIN=$CACHE/bin PKI=$STATE/pki ETC=$STATE/etc LOG=$STATE/log RUN=$STATE/run
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export KUBECONFIG=$STATE/kubeconfig KUBECACHEDIR=$STATE/kubecache PATH=$BIN:$PATH:/usr/sbin:/sbin
