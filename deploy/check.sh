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
for unit in gaji gaji-worker; do
  sed "s|/opt/gaji/bin/gaji|/bin/true|" systemd/$unit.service >"$work/$unit.service"
  systemd-analyze verify --man=no "$work/$unit.service"
  systemd-analyze security --offline=true --threshold=20 "$work/$unit.service" | tail -n 1
done
