// The first call by curl. In parentheses: nothing is left in the shell, a mistake ends the commands and not the
// terminal, and a question is answered by the person and not by the line that was pasted after it.

import { endpoints } from './addresses.js'
import type { SnippetFacts } from './facts.js'
import { hasSecret, type Language, preparation } from './language.js'
import { shellText } from './quoting.js'

/** curl, with a shell. */
export function curlLanguage(facts: SnippetFacts): Language {
  const text = facts.kind === 'server' ? asItself(facts) : forPerson(facts)
  return {
    id: 'curl',
    name: 'curl',
    needs: 'curl 7.76 or later and OpenSSL, in a terminal',
    blocks: [...preparation(facts, []), { part: 'program', name: 'In a terminal', text }],
  }
}

/** `curl`, and in development the authority that the commands of the page have fetched. */
export function trustingCurl(authority: SnippetFacts['authority']): string {
  return authority === undefined ? 'curl' : 'curl --cacert ca.pem'
}

/** A call that shows its refusal, and fails by it. */
function curlCommand({ authority }: SnippetFacts): string {
  return `${trustingCurl(authority)} -sS --fail-with-body`
}

function asItself(facts: SnippetFacts): string {
  return `(
  . ./portcullis.env
${requestToken(facts, ['-d grant_type=client_credentials', scopeField(facts)])}
)`
}

/** The identifier of an API has what a form gives a meaning to. */
function scopeField({ scope }: SnippetFacts): string {
  return scope === 'default'
    ? '-d requested_scopes=default'
    : `--data-urlencode ${shellText(`requested_scopes=${scope}`)}`
}

function forPerson(facts: SnippetFacts): string {
  const { redirect, applicationId, scope } = facts
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: applicationId,
    redirect_uri: redirect.uri,
    requested_scopes: scope,
    code_challenge_method: 'S256',
  })
  const redeem = [
    '-d grant_type=authorization_code',
    '-d code="$CODE"',
    '-d code_verifier="$VERIFIER"',
    `--data-urlencode ${shellText(`redirect_uri=${redirect.uri}`)}`,
  ]
  return `(
${hasSecret(facts) ? '  . ./portcullis.env\n' : ''}  VERIFIER=$(openssl rand -hex 32)
  STATE=$(openssl rand -hex 16)
  CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | openssl base64 | tr '+/' '-_' | tr -d '=\\n')
  echo 'Open this in a browser. Then paste the address where it ends, whether that page is there or not:'
  echo "${endpoints(facts).authorize}?${query}&state=$STATE&code_challenge=$CHALLENGE"
  read -r BACK
  case $BACK in *"state=$STATE"*) ;; *) echo 'This is not the answer to that sign-in.' >&2; exit 1 ;; esac
  CODE=$(printf %s "$BACK" | sed -n 's/.*[?&]code=\\([^&#]*\\).*/\\1/p')
  [ -n "$CODE" ] || { echo "There is no code: $BACK" >&2; exit 1; }
${requestToken(facts, redeem)}
)`
}

/** Gets the token and calls with it; where none comes, the answer says why. */
function requestToken(facts: SnippetFacts, fields: readonly string[]): string {
  const all = [
    ...fields,
    `-d client_id=${facts.applicationId}`,
    ...(hasSecret(facts) ? ['-d client_secret="$PORTCULLIS_CLIENT_SECRET"'] : []),
  ]
  return `  ANSWER=$(${curlCommand(facts)} ${endpoints(facts).token} \\
    ${all.join(' \\\n    ')}) ||
    { echo "There is no token: $ANSWER" >&2; exit 1; }
  TOKEN=$(printf %s "$ANSWER" | sed -n 's/.*"access_token":"\\([^"]*\\)".*/\\1/p')
  ${curlCommand(facts)} -w '\\n' ${shellText(facts.call)} -H "Authorization: Bearer $TOKEN"`
}
