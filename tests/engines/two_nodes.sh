# Two nodes of a Ray cluster, each in a network of its own, and a run on both; one node is killed in the middle.
# Arguments: a folder with a short path, where `ray` is, the run's folder, and its command without --address, whose exit
# code is this one's. All that is started here ends with the namespace of processes that this runs in.
set -euo pipefail
folder=$1 ray=$2 out=$3; shift 3
mount -t tmpfs none /run
ip link set lo up
for n in 1 2; do
    ip netns add "node$n"
    ip -n "node$n" link set lo up
done
ip link add link1 netns node1 type veth peer name link2 netns node2
for n in 1 2; do
    ip -n "node$n" address add "10.99.0.$n/24" dev "link$n"
    ip -n "node$n" link set "link$n" up
done
size=(--num-cpus 1 --object-store-memory 100000000 --disable-usage-stats --dashboard-agent-listen-port 0)
ip netns exec node1 "$ray" start --head --node-ip-address 10.99.0.1 --port 6379 --include-dashboard false \
    --temp-dir "$folder/1" "${size[@]}" >&2
ip netns exec node2 "$ray" start --address 10.99.0.1:6379 --node-ip-address 10.99.0.2 --temp-dir "$folder/2" "${size[@]}" >&2
ip netns exec node1 "$@" --address 10.99.0.1:6379 &
run=$!
# Both nodes make calls; then one of them dies at once, with everything on it.
until ip netns pids node2 | xargs -I{} cat /proc/{}/cmdline 2>/dev/null | grep --quiet --text 'ray::CallWorker.make' \
    && [ -n "$(find "$out/calls" -name call.json 2>/dev/null)" ]; do
    kill -0 "$run"
    sleep 0.2
done
ip netns pids node2 | xargs kill -KILL
wait "$run"
