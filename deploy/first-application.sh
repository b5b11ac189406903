#!/bin/sh
set -eu
# From nothing to the first call of a new application. Run it again: nothing changes, no secret is made, and it calls again.
json() { node -pe "JSON.parse(fs.readFileSync(0, 'utf8'))$1"; }
command -v portcullis >/dev/null || portcullis() { node "$(dirname "$0")/../dist/src/main.js" "$@"; }
portcullis status >/dev/null 2>&1 || { (exec >portcullis.log 2>&1; portcullis serve) & }
until portcullis status >/dev/null 2>&1; do sleep 1; kill -0 $! 2>/dev/null || { tail portcullis.log >&2; exit 1; }; done
portcullis app apply -f - --secret-file data/inventory.secret -o json >data/inventory.json <<END
{"name": "inventory", "type": "web", "permissions": ["Subscription.Read.All"], "consent": true}
END
CLIENT=$(json '.value[0].applicationId' <data/inventory.json)
portcullis call GET /api/v2/subscriptions --client-id "$CLIENT" --client-secret-file data/inventory.secret | json '[0].state'
