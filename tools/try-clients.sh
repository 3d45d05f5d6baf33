#!/usr/bin/env bash
# Makes clients of the served document by generators that are not of npm, compiles them, and lets each list, fetch, follow
# changes and do a batch (test/document/clients/by-hand). By hand and before a release, on a service with the demo:
#   PLUMBLINE_URL=http://127.0.0.1:3000 TOKEN=… tools/try-clients.sh [GENERATOR…]
# It needs Java, Maven, Go, Cargo, Python and their registries. It writes two records a generator. What it makes it removes.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "$*" >&2
  exit 1
}
all='python go oapi-codegen openapi-python-client typescript-fetch java rust'
[ $# -gt 0 ] || set -- $all
for name; do [[ " $all " == *" $name "* ]] || fail "$name is none of: $all"; done
[ -n "${PLUMBLINE_URL:-}" ] && [ -n "${TOKEN:-}" ] || fail 'Set PLUMBLINE_URL and TOKEN.'
for program in curl java mvn go cargo python3; do
  command -v "$program" >/dev/null || fail "$program is not installed."
done
export PLUMBLINE_URL TOKEN CALLS=whole

root=$PWD
calls=$root/test/document/clients/by-hand
work=$(mktemp -d "${TMPDIR:-/tmp}/plumbline-generators-XXXXXX")
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work"
curl -fsS -o openapi-client.json "$PLUMBLINE_URL/v1/openapi-client.json"
# openapi-generator makes Python of `webhooks` that cannot be imported.
curl -fsS "$PLUMBLINE_URL/v1/openapi.json" |
  python3 -c 'import json, sys; whole = json.load(sys.stdin); del whole["webhooks"]; json.dump(whole, sys.stdout)' >openapi.json
python3 -m venv tools
tools/bin/pip install --quiet openapi-generator-cli==7.25.0 openapi-python-client==0.29.1
PATH=$work/tools/bin:$PATH

# generate DOCUMENT GENERATOR FOLDER [PROPERTIES…]
generate() {
  openapi-generator-cli generate -i "$1.json" -g "$2" -o "$3" "${@:4}" >"$work/generate.log" 2>&1 ||
    fail "$(tail -20 "$work/generate.log")"
}
# run_go CALLS: a module of the calls beside the generated one in client/
run_go() {
  mkdir -p calls && cp "$calls/$1" calls/main.go
  (
    cd client
    rm -rf test go.mod go.sum
    go mod init -modfile go.mod plumbline.example/client 2>/dev/null
  )
  (
    cd calls
    rm -f go.mod go.sum
    go mod init plumbline.example/calls 2>/dev/null
    go mod edit -replace plumbline.example/client=../client
    go mod tidy 2>/dev/null && go run .
  )
}

try_python() {
  for view in openapi-client openapi; do
    generate "$view" python "$view" --additional-properties=packageName=plumbline_api
    pip install --quiet --force-reinstall "./$view"
    CALLS=$([ "$view" = openapi ] && echo sparse || echo whole) python "$calls/python.py"
  done
}
try_go() {
  generate openapi-client go client --additional-properties=packageName=plumbline,enumClassPrefix=true
  run_go go.go
  rm -rf client
  generate openapi go client --additional-properties=packageName=plumbline,enumClassPrefix=true
  run_go go-sparse.go
}
try_oapi-codegen() {
  mkdir client
  sed -n '/^package: plumbline$/,/^```$/p' "$root/docs/clients.md" | grep -v '^```$' >oapi-codegen.yaml
  go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config oapi-codegen.yaml openapi-client.json
  mv plumbline.go client
  run_go oapi-codegen.go
}
try_openapi-python-client() {
  openapi-python-client generate --path openapi-client.json --output-path client >/dev/null
  pip install --quiet ./client
  python "$calls/openapi-python-client.py"
}
try_typescript-fetch() {
  generate openapi-client typescript-fetch client --additional-properties=importFileExtension=.js
  echo '{"type":"module"}' >package.json
  cp "$calls/typescript-fetch.mts" calls.mts
  ln -s "$root/node_modules" node_modules
  node node_modules/typescript-native/bin/tsc --strict --target es2022 --module nodenext --types node --outDir out calls.mts
  node out/calls.mjs
}
try_java() {
  generate openapi-client java client --library native
  mkdir -p client/src/main/java && cp "$calls/Calls.java" client/src/main/java
  (cd client && mvn -q compile org.codehaus.mojo:exec-maven-plugin:3.5.0:java -Dexec.mainClass=Calls)
}
try_rust() {
  generate openapi-client rust client --additional-properties=packageName=plumbline_api
  sed -i 's/tag = "records"/untagged/' client/src/models/change.rs
  mkdir -p client/examples && cp "$calls/rust.rs" client/examples/calls.rs
  (cd client && cargo add --quiet --dev tokio@1 --features macros,rt-multi-thread && cargo run --quiet --example calls)
}

failed=
for name; do
  mkdir -p "$work/$name" && cp openapi*.json "$work/$name"
  set +e # Within a condition the failure of a step would end nothing.
  (
    set -e
    cd "$work/$name"
    "try_$name"
  )
  result=$?
  set -e
  if [ $result = 0 ]; then
    echo "$name: compiled, listed, fetched, followed changes and did a batch"
  else
    echo "$name: failed" >&2
    failed=yes
  fi
done
[ -z "$failed" ]
