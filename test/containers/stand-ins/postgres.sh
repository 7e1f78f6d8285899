#!/bin/sh
# Does what the public image does with the variables of compose.cluster.yaml.
set -eu
data=/var/lib/postgresql/data
if [ ! -s "$data/PG_VERSION" ]; then
  umask 077
  password=$(mktemp)
  printf '%s\n' "$POSTGRES_PASSWORD" >"$password"
  initdb --pgdata="$data" --username="$POSTGRES_USER" --pwfile="$password" --auth=scram-sha-256 --encoding=UTF8
  rm "$password"
  echo 'host all all all scram-sha-256' >>"$data/pg_hba.conf"
  echo "create database $POSTGRES_DB;" | postgres --single -D "$data" postgres
fi
exec postgres -D "$data" -c 'listen_addresses=*'
