#!/bin/sh
# Build the image, and run the demo in it. Run by `make check-container`. BUILD_OPTIONS are passed to buildah.
set -eu
cd "$(dirname "$0")/.."
command -v buildah >/dev/null || { echo "Install buildah to build the image of deploy/Containerfile." >&2; exit 1; }
# With this isolation, it also works inside other containers.
export BUILDAH_ISOLATION=chroot

buildah build ${BUILD_OPTIONS:-} --format docker -f deploy/Containerfile -t gaji .
container=$(buildah from --pull-never gaji)
trap 'buildah rm "$container" >/dev/null' EXIT
buildah run --user gaji --env GAJI_PORT="${GAJI_PORT:-8000}" "$container" -- sh -euc '
  echo "Runs as $(id -un)."
  gaji serve --demo &
  server=$!
  for attempt in $(seq 100); do
    ready=$(python -c "from urllib.request import urlopen; print(urlopen(\"http://127.0.0.1:$GAJI_PORT/readyz\").read().decode())" 2>/dev/null) && break
    sleep 1
  done
  kill "$server"
  wait "$server" || true
  echo "${ready:?The server did not start.}"
'
