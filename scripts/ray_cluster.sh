#!/usr/bin/env bash
# A Ray cluster for executor=ray. Run it in the environment that hardtext is installed in, on machines that see the same
# folders (runs/, data/, the Hugging Face cache) under the same paths.
#
#   scripts/ray_cluster.sh local [nodes=2]       head and further nodes on this machine, one CPU each (to try it out)
#   scripts/ray_cluster.sh head [port=6379]      on the first machine; says what to run on the others
#   scripts/ray_cluster.sh worker <host:port>    on every other machine
#   scripts/ray_cluster.sh stop                  on every machine: ends all of Ray there
#
# then, on any of them:  RAY_AUTH_MODE=token python attack.py ... executor=ray executor.address=auto
# What follows port or address goes to "ray start" (--block, --num-gpus=4, ...). SLURM: see docs/scale.md.
#
# Whoever reaches a Ray port can run code there, so the cluster asks for a token. Ray makes it on the head, in
# ~/.ray/auth_token; machines that do not share the home folder need a copy of that file (keep it private).
set -euo pipefail
export RAY_AUTH_MODE=token
export RAY_USAGE_STATS_ENABLED=0  # Ray would report its use over the network
ray() { "${PYTHON:-python}" -m ray.scripts.scripts "$@"; }
small=(--num-cpus=1 --object-store-memory=100000000)

start_head() {
  ray get-auth-token --generate >/dev/null 2>&1
  ray start --head --include-dashboard=false --disable-usage-stats "$@"
}

case "${1:-}" in
  local)
    start_head --port=6379 "${small[@]}" >/dev/null
    for ((n = 1; n < ${2:-2}; n++)); do
      ray start --address=auto --disable-usage-stats "${small[@]}" >/dev/null
    done
    echo "a cluster of ${2:-2} nodes runs on this machine; end it with $0 stop"
    ;;
  head)
    echo "on the other machines: $0 worker $(hostname):${2:-6379}"
    start_head --port="${2:-6379}" "${@:3}" >/dev/null
    ;;
  worker)
    ray start --address="${2:?worker needs the address of the head, <host:port>}" --disable-usage-stats "${@:3}"
    ;;
  stop)
    ray stop
    ;;
  *)
    sed -n '2,14s/^# \{0,1\}//p' "$0"
    exit 2
    ;;
esac
