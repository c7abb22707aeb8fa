#!/bin/sh
# Check the example configurations with the programs that will read them. Run by `make check-deploy`.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for program in promtool caddy nginx openssl systemd-analyze; do
  command -v "$program" >/dev/null || { echo "Install $program to check the files in deploy/." >&2; exit 1; }
done

echo "Prometheus"
cp prometheus/*.yml "$work"
echo token >"$work/gaji-metrics-token"
(cd "$work" && promtool check config prometheus.yml && promtool test rules alerts_test.yml)

echo "Caddy"
caddy validate --config proxy/Caddyfile --adapter caddyfile 2>&1 | tail -n 1

echo "nginx"
openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=payroll.example.com -keyout "$work/key" -out "$work/cert" 2>/dev/null
sed "s|/etc/ssl/certs/payroll.pem|$work/cert|; s|/etc/ssl/private/payroll.key|$work/key|" proxy/nginx.conf >"$work/site"
printf 'pid %s/pid; error_log stderr; events {} http { access_log off; include %s/site; }' "$work" "$work" >"$work/nginx.conf"
nginx -t -q -c "$work/nginx.conf" && echo "valid"

echo "systemd"
for unit in gaji gaji-worker gaji-backup; do
  sed "s|/opt/gaji/bin/gaji|/bin/true|" systemd/$unit.service >"$work/$unit.service"
  systemd-analyze verify --man=no "$work/$unit.service"
  systemd-analyze security --offline=true --threshold=20 "$work/$unit.service" | tail -n 1
done

echo "Patroni"
if ! command -v patroni >/dev/null || ! command -v etcd >/dev/null; then
  echo "not checked: install patroni and etcd-server"
  exit 0
fi
# Patroni checks that the addresses to listen on are free and that etcd responds.
ETCD_UNSUPPORTED_ARCH=$(uname -m | sed 's/aarch64/arm64/') etcd --data-dir "$work/etcd" \
  --listen-client-urls http://127.0.0.1:23790 --advertise-client-urls http://127.0.0.1:23790 \
  --listen-peer-urls http://127.0.0.1:23800 --initial-advertise-peer-urls http://127.0.0.1:23800 \
  --initial-cluster default=http://127.0.0.1:23800 >"$work/etcd.log" 2>&1 &
etcd=$!
trap 'kill "$etcd" 2>/dev/null; rm -rf "$work"' EXIT
tries=0
until bash -c 'exec 3<>/dev/tcp/127.0.0.1/23790' 2>/dev/null; do
  tries=$((tries + 1)); [ "$tries" -lt 60 ] || { tail -n 3 "$work/etcd.log" >&2; exit 1; }
  sleep 1
done
programs=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
for server in db1 db2; do
  sed "s/listen: .*:/listen: 127.0.0.1:1/; s/hosts: .*/hosts: 127.0.0.1:23790/
       s|data_dir: .*|data_dir: $work/$server|; s|bin_dir: .*|bin_dir: $programs|" \
    patroni/$server.yml >"$work/$server.yml"
  patroni --validate-config "$work/$server.yml"
  echo "$server.yml is valid"
done
cp patroni/patroni.service.conf "$work/order.service"
printf '[Service]\nExecStart=/bin/true\n' >>"$work/order.service"
systemd-analyze verify --man=no "$work/order.service"
