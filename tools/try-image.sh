#!/usr/bin/env bash
# Builds the image of deploy/Dockerfile without a container engine and without an image registry, starts it as the user
# that it names, and calls it. By hand and before a release, as root on Debian:
#   apt-get install buildah debootstrap && npm ci && tools/try-image.sh
# It needs the registries of npm and Debian, 10 GB in TMPDIR and some minutes. What it makes it removes at the end.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "$*" >&2
  exit 1
}
step() {
  echo "== $*"
}

[ "$(id -u)" = 0 ] || fail "Start it as root: a base system is unpacked and entered."
for program in buildah debootstrap curl npm; do
  command -v "$program" >/dev/null || fail "$program is not installed."
done

# Every stage stands on the same Debian with our Node: node:24.21.0-bookworm-slim.
base=$(sed -n 's/^FROM \([^ ]*\).*/\1/p' deploy/Dockerfile | sort -u)
[[ $base =~ ^node:([0-9.]+)-([a-z]+)-slim$ ]] || fail "The FROM lines of deploy/Dockerfile do not name one Node on one Debian: $base"
node_version=${BASH_REMATCH[1]}
release=${BASH_REMATCH[2]}
node=$(echo node_modules/node-linux-*/bin/node)
[ -x "$node" ] || fail "The Node of the packages is not installed: run npm ci."
[ "$("$node" --version)" = "v$node_version" ] || fail "The packages bring $("$node" --version), and FROM names $node_version."

work=$(mktemp -d "${TMPDIR:-/tmp}/plumbline-image-XXXXXX")
serving=
# Ends the service by a signal to its own process, whose id its log has; returns its exit code.
stop() {
  kill -TERM "$(sed -n 's/.*"pid":\([0-9]*\),.*/\1/p' "$work/serve.log" | head -1)"
  local ended=$serving
  serving=
  wait "$ended"
}
cleanup() {
  if [ -n "$serving" ] && kill -0 "$serving" 2>/dev/null; then stop || true; fi
  # Mounts below it would be emptied with it.
  if grep -q " $work" /proc/self/mounts; then
    echo "Something is still mounted below $work: unmount it and remove the folder." >&2
  else
    rm -rf "$work"
  fi
}
trap cleanup EXIT

builder() {
  buildah --root "$work/storage" --runroot "$work/run" --storage-driver vfs "$@"
}
echo '{"default":[{"type":"insecureAcceptAnything"}]}' >"$work/policy.json"

step "A base system of $release with Node $node_version, under the name $base"
debootstrap --variant=minbase --include=ca-certificates "$release" "$work/base" >"$work/debootstrap.log" 2>&1 ||
  fail "$(tail -20 "$work/debootstrap.log")"
install -D "$node" "$work/base/usr/local/bin/node"
mkdir -p "$work/base/usr/local/lib/node_modules" "$work/base/usr/local/etc"
cp -RL "$(npm root --global)/npm" "$work/base/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$work/base/usr/local/bin/npm"
# The registry and the certificates that npm uses on this machine.
echo "registry=$(npm config get registry)" >"$work/base/usr/local/etc/npmrc"
if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
  cp -L "$NODE_EXTRA_CA_CERTS" "$work/base/usr/local/etc/authorities.pem"
  echo "cafile=/usr/local/etc/authorities.pem" >>"$work/base/usr/local/etc/npmrc"
fi
container=$(builder from scratch)
builder add --quiet "$container" "$work/base" / >/dev/null
builder config --env PATH=/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin "$container"
builder commit --quiet --signature-policy "$work/policy.json" --format docker "$container" "docker.io/library/$base" >/dev/null
builder rm "$container" >/dev/null
rm -rf "$work/base"

step "The image, by every line of deploy/Dockerfile"
builder bud --isolation chroot --pull-never --signature-policy "$work/policy.json" --format docker \
  --file deploy/Dockerfile --ignorefile deploy/Dockerfile.dockerignore --tag plumbline-try .

container=$(builder from --pull-never --signature-policy "$work/policy.json" localhost/plumbline-try)
config() {
  builder inspect --type image localhost/plumbline-try |
    "$node" --print "const { config } = JSON.parse(require('fs').readFileSync(0, 'utf8')).OCIv1; $1"
}
user=$(config 'config.User')
read -r -a command <<<"$(config '[...config.Entrypoint, ...config.Cmd].join(" ")')"
[ "${#command[@]}" -gt 0 ] && [ -n "$user" ] || fail "The image names no command or no user."
step "Starting ${command[*]} as $user, without a capability"
install --directory --owner="${user%%:*}" --group="${user##*:}" --mode=0700 "$work/data"
port=$("$node" --print 'const server = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(server.address().port); server.close() }); ""' | head -1)
inside() {
  builder run --isolation chroot --cap-drop all --volume "$work/data:/data" \
    --env HOST=127.0.0.1 --env "PORT=$port" "$container" -- "$@"
}
inside "${command[@]}" >"$work/serve.log" 2>&1 &
serving=$!
for ((second = 0; ; second++)); do
  kill -0 "$serving" 2>/dev/null || fail "It ended: $(cat "$work/serve.log")"
  curl --silent --fail "http://127.0.0.1:$port/readyz" && break
  [ "$second" -lt 120 ] || fail "It is not ready after $second s: $(cat "$work/serve.log")"
  sleep 1
done
echo
cat "$work/serve.log"

step "The health check of the image"
health=$(sed -n 's/^ *CMD \["node", "-e", "\(.*\)"\]$/\1/p' deploy/Dockerfile)
[ -n "$health" ] || fail "deploy/Dockerfile has no health check by node -e."
inside node -e "$health"

step "A company, an account, a token and a call"
company() {
  inside bin/plumbline --json "$@"
}
member() {
  "$node" --print "JSON.parse(require('fs').readFileSync(0, 'utf8')).$1"
}
id=$(company company create --name "Quay Builders" --currency EUR --plan PRO --add-ons all | member company_id)
account=$(company account create --company "$id" --name Payroll --email it@quay.example --service \
  --permissions CLIENTS_VIEW,CLIENTS_EDIT | member account_id)
token=$(company token issue --company "$id" --account "$account" --label Try | member token)
curl --silent --fail-with-body --header "Authorization: Bearer $token" --header "Content-Type: application/json" \
  --data '{"name":"Quay wall"}' "http://127.0.0.1:$port/v1/clients"
echo

step "Its pages"
for path in / /v1/docs /v1/docs/scalar.js /licences.txt; do
  curl --silent --output /dev/null --write-out "%{http_code} $path\n" --fail --header "Accept: text/html" "http://127.0.0.1:$port$path"
done

step "What doctor finds"
inside bin/plumbline doctor || true

step "The stop"
stop || fail "It did not end with 0: $(tail -5 "$work/serve.log")"
echo "It ended with 0. The image of deploy/Dockerfile works."
