#!/usr/bin/env bash
# Installs from Debian's packages what the full test run needs beside Node: PostgreSQL, Redis, nginx, Chromium,
# a Chinese font, libfaketime for the drill that sets clocks, strace, which sees each connection of a process, and promtool, which reads
# the alert rules. What only other files of `deploy` need comes when it is asked for:
#   scripts/install-services.sh proxies     Caddy and HAProxy, for `test:all -- --only try-proxies`
#   scripts/install-services.sh deploy      systemd, bubblewrap and kubectl, for `test:all -- --only try-deploy`
#   scripts/install-services.sh containers  podman and debootstrap, for `try-image` and `try-compose`
# What is there already is left alone, so it can be run any number of times. Nothing is started: tests start their own
# servers on sockets of their own. Without root it asks sudo, and where there is none it says what is missing.
set -euo pipefail

missing=()

# need <what> <package> <test...>: remembers the package when the test fails
need() {
  local what=$1 package=$2
  shift 2
  if "$@"; then
    echo "services: $what is installed"
  else
    echo "services: $what is missing, wants Debian's package $package"
    missing+=("$package")
  fi
}

has_postgres() { compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null; }
has_redis() { command -v redis-server >/dev/null; }
# Debian keeps it where the PATH of a user may not look.
has_nginx() { command -v nginx >/dev/null || [ -x /usr/sbin/nginx ]; }
has_caddy() { command -v caddy >/dev/null; }
has_haproxy() { command -v haproxy >/dev/null || [ -x /usr/sbin/haproxy ]; }
has_podman() { command -v podman >/dev/null; }
has_runc() { [ -x /usr/sbin/runc ] || command -v runc >/dev/null; }
has_netavark() { [ -x /usr/lib/podman/netavark ]; }
has_aardvark() { [ -x /usr/lib/podman/aardvark-dns ]; }
has_iptables() { [ -x /usr/sbin/iptables ] || command -v iptables >/dev/null; }
has_catatonit() { command -v catatonit >/dev/null; }
has_docker_compose() { command -v docker-compose >/dev/null; }
has_debootstrap() { [ -x /usr/sbin/debootstrap ] || command -v debootstrap >/dev/null; }
has_systemd_analyze() { command -v systemd-analyze >/dev/null; }
has_bubblewrap() { command -v bwrap >/dev/null; }
has_kubectl() { command -v kubectl >/dev/null; }
has_chromium() { [ -x "${CHROMIUM_PATH:-}" ] || command -v chromium >/dev/null; }
has_libfaketime() { compgen -G '/usr/lib/*-linux-gnu/faketime/libfaketimeMT.so.1' >/dev/null; }
has_promtool() { command -v promtool >/dev/null; }
has_strace() { command -v strace >/dev/null; }
# Without it every Chinese character is a box of one width.
has_chinese_font() { command -v fc-list >/dev/null && fc-list :lang=zh | grep -q .; }

need PostgreSQL postgresql has_postgres
need Redis redis-server has_redis
need nginx nginx-light has_nginx
need Chromium chromium has_chromium
need libfaketime libfaketime has_libfaketime
need strace strace has_strace
need promtool prometheus has_promtool
need 'a Chinese font' fonts-wqy-microhei has_chinese_font

for more in "$@"; do
  case $more in
    proxies)
      need Caddy caddy has_caddy
      need HAProxy haproxy has_haproxy
      ;;
    deploy)
      need systemd systemd has_systemd_analyze
      need bubblewrap bubblewrap has_bubblewrap
      need kubectl kubernetes-client has_kubectl
      ;;
    containers)
      need podman podman has_podman
      need runc runc has_runc
      need netavark netavark has_netavark
      need aardvark-dns aardvark-dns has_aardvark
      need iptables iptables has_iptables
      need catatonit catatonit has_catatonit
      need debootstrap debootstrap has_debootstrap
      need docker-compose docker-compose has_docker_compose
      ;;
    *)
      echo "services: there is no $more; ask for proxies, deploy or containers" >&2
      exit 2
      ;;
  esac
done

if [ ${#missing[@]} -eq 0 ]; then
  exit 0
fi
if ! command -v apt-get >/dev/null; then
  echo "services: there is no apt-get here. Install by hand: ${missing[*]}" >&2
  exit 1
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null || ! sudo -n true 2>/dev/null; then
    echo "services: this needs root. Run: sudo apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

# RUNLEVEL=1 keeps the packages' own services from starting.
install=(env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get)
echo "services: installing ${missing[*]}"
"${as_root[@]}" "${install[@]}" update -q
"${as_root[@]}" "${install[@]}" install -q -y --no-install-recommends "${missing[@]}"
echo "services: installed ${missing[*]}"
