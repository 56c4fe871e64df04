#!/bin/bash
#SBATCH --ntasks=64 --cpus-per-task=1 --mem-per-cpu=4G
# sbatch scripts/slurm.sh segment --input PAGES --output STORE
# A boilersweep command with --cluster on the tasks of a Slurm job: Dask's scheduler here, a worker in
# each task. They know each other by a certificate made for the job: whoever reached an open port
# could run code as you. Submit the same again if it fails.
set -euo pipefail
job=$(mktemp -d "${SLURM_SUBMIT_DIR:-$PWD}/.boilersweep-XXXXXXXX") # all machines see it
trap 'kill $(jobs -p) 2>/dev/null; wait; rm -rf "$job"' EXIT
(umask 077; openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=boilersweep \
    -keyout "$job/key.pem" -out "$job/cert.pem" 2>/dev/null)
tls=DASK_DISTRIBUTED__COMM__TLS
export "${tls}__CA_FILE=$job/cert.pem" DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION=True
for side in SCHEDULER WORKER CLIENT; do
    export "${tls}__${side}__CERT=$job/cert.pem" "${tls}__${side}__KEY=$job/key.pem"
done
for side in SCHEDULER WORKER NANNY; do # see there
    export "DASK_DISTRIBUTED__${side}__PRELOAD=boilersweep.work.tls"
done
dask scheduler --protocol tls --port 0 --no-dashboard --scheduler-file "$job/scheduler" \
    >"$job/log" 2>&1 &
while [ ! -s "$job/scheduler" ]; do
    kill -0 $! || { cat "$job/log" >&2; exit 1; }
    sleep 0.2
done
srun dask worker --scheduler-file "$job/scheduler" --protocol tls --nthreads 1 --no-dashboard \
    --death-timeout 60 >>"$job/log" 2>&1 &
address=$(sed -n 's/.*"address": "\(tls:[^"]*\)".*/\1/p' "$job/scheduler" | head -n 1)
boilersweep "$@" --cluster "$address"
