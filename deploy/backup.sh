#!/bin/sh
# Writes a dump of the database to /dumps each night at 02:00 UTC, and keeps the newest seven. "once" writes one now.
# The database is that of PGHOST, PGUSER, PGDATABASE and PGPASSWORD.
set -eu
folder=${DUMPS:-/dumps}
kept=7

# Returns 1 if there is no new dump; the older ones are then all kept.
dump() {
  name=plumbline-$(date -u +%Y%m%dT%H%M%SZ).dump
  if ! pg_dump --format=custom --file="$folder/$name.part"; then
    rm -f "$folder/$name.part"
    echo "No dump was written: see the line of pg_dump above." >&2
    return 1
  fi
  sync "$folder/$name.part"
  mv "$folder/$name.part" "$folder/$name"
  echo "Written: $folder/$name"
  # The names sort by their time.
  find "$folder" -maxdepth 1 -name 'plumbline-*.dump' | sort -r | tail -n +$((kept + 1)) | while read -r old; do
    rm -f "$old"
  done
}

# The signal ends the shell between two dumps, too.
trap 'exit 0' TERM INT
if [ "${1:-}" = once ]; then
  dump
  exit
fi
while true; do
  sleep $((86400 - ($(date +%s) - 7200) % 86400)) &
  wait $!
  until dump; do
    sleep 600 &
    wait $!
  done
done
