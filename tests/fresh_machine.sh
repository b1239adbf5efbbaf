#!/usr/bin/env bash
# The commands that the README gives to a new user, word for word, as on a machine that has never seen Deno:
# a copy of this checkout, no deno on PATH, an empty HOME (so no caches either) and an empty npm prefix.
#   tests/fresh_machine.sh          all of them
#   tests/fresh_machine.sh test     those that hold "test"
set -euo pipefail
cd "$(dirname "$0")/.."

mapfile -t commands < <(grep -E '^npx -y deno@' README.md)
if [ "${#commands[@]}" -ne 2 ]; then
  echo "README.md has ${#commands[@]} lines that begin with \"npx -y deno@\" instead of 2" >&2
  exit 1
fi

machine=$(mktemp -d)
trap 'rm -rf "$machine"' EXIT
chmod 755 "$machine" # some tests look at the project as another user
mkdir "$machine/home" "$machine/bin" "$machine/project"
tar --exclude-vcs --exclude-vcs-ignores --exclude=./.cache -cf - . | tar -xf - -C "$machine/project"
IFS=: read -ra folders <<<"$PATH"
for folder in "${folders[@]}"; do
  ln -s "$folder"/* "$machine/bin/" 2>/dev/null || true # what was found before stays
done
rm -f "$machine/bin/deno"

new=(PATH="$machine/bin" HOME="$machine/home" LANG=C.UTF-8 TERM=xterm-256color NO_COLOR=1)
new+=(NPM_CONFIG_PREFIX="$machine/prefix" NPM_CONFIG_REGISTRY="$(npm config get registry 2>/dev/null)")
new+=(NPM_CONFIG_UPDATE_NOTIFIER=false) # its notice would be the last line
new+=(DENO_TLS_CA_STORE="${DENO_TLS_CA_STORE:-system}")
for name in SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS {HTTP,HTTPS,NO}_PROXY {http,https,no}_proxy; do
  if [ -n "${!name:-}" ]; then new+=("$name=${!name}"); fi
done

cd "$machine/project"
for command in "${commands[@]}"; do
  case "$command" in *"${1:-}"*) ;; *) continue ;; esac
  echo "\$ $command"
  if ! env -i "${new[@]}" sh -c "$command" >"$machine/log" 2>&1 </dev/null; then
    { sed -n '/^ ERRORS/,$p' "$machine/log" | grep . || tail -n 60 "$machine/log"; } | tail -n 300
    echo "It fails on a machine without Deno" >&2
    exit 1
  fi
  grep . "$machine/log" | tail -n 1
done
