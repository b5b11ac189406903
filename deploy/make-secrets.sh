#!/bin/sh
# Makes the secrets of compose.yaml, in secrets/ beside it: random ones, each in a file of its own, readable for who needs
# it in its container and for nobody else. What is there already is left alone, so it can be run again.
set -eu
umask 077
cd "$(dirname "$0")"
mkdir -p secrets
random() { openssl rand -hex 32 | tr -d '\n'; }
absent() { [ ! -s "secrets/$1" ]; }

# 32 random bytes in base64url. They open everything that the database keeps sealed: keep a copy apart from its back-ups.
absent master-keys && openssl rand 32 | basenc --base64url | tr -d '=\n' > secrets/master-keys
absent postgres-password && random > secrets/postgres-password
if absent store-password; then
  random > secrets/store-password
  # Without TLS: the network of both is in this machine and has no way out. A database elsewhere is asked for its certificate.
  printf 'postgresql://portcullis:%s@postgres:5432/portcullis?sslmode=disable' "$(cat secrets/store-password)" > secrets/store-url
fi
if absent redis-url; then
  password=$(random)
  digest=$(printf %s "$password" | sha256sum | cut -d ' ' -f 1)
  printf 'redis://portcullis:%s@redis:6379' "$password" > secrets/redis-url
  # What Portcullis needs: no other keys, no look at other clients, no change of the configuration.
  printf 'user default off\nuser portcullis on #%s ~portcullis:* ~{portcullis}:* resetchannels +@all -@admin -@dangerous +info +config|get\n' \
    "$digest" > secrets/redis-acl
fi
if absent edge.pem; then
  name=$(sed -n 's|^PORTCULLIS_BASE_URL=https://\([^:/]*\).*|\1|p' .env)
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj "/CN=$name" \
    -addext "subjectAltName=DNS:$name" -keyout secrets/edge.key -out secrets/edge.crt 2>/dev/null
  cat secrets/edge.crt secrets/edge.key > secrets/edge.pem
  rm secrets/edge.key
  echo "secrets/edge.pem is a certificate for trials, good for 30 days; put your own chain and key in its place."
fi

# By number, as the containers run: the gateways, Redis, PostgreSQL, HAProxy.
owners='10001 master-keys store-url redis-url
999 redis-acl store-password postgres-password
99 edge.pem'
echo "$owners" | while read -r owner files; do
  for file in $files; do
    chmod 400 "secrets/$file"
    [ "$(id -u)" -ne 0 ] || chown "$owner" "secrets/$file"
  done
done
chmod 711 secrets
[ "$(id -u)" -eq 0 ] || echo 'Run it once more as root (sudo ./make-secrets.sh), which gives each file to the user of its container.'
