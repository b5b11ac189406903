// Programs of a few lines that get a token for an application and call with it, filled in with its identifiers. None of
// them has the private key: it comes from the environment, as it should.

import type { Application } from '../application-page.js'
import { kindOf } from './kinds.js'

export interface Snippet {
  id: 'curl' | 'node' | 'python'
  name: string
  text: string
}

/** What the client library is called where it came with this server, and was not installed from it. */
const bundledClient = 'portcullis/client'

type About = Pick<Application, 'applicationId' | 'type' | 'redirectUris'>

const loopback = /^http:\/\/(?:127\.0\.0\.1|localhost)(?::\d+)?(\/[^?]*)?$/

/**
 * The texts for an application at the server that calls itself `baseUrl`. `client`: what programs import the client
 * library as; the server's own package when absent.
 */
export function snippetsOf(application: About, baseUrl: string, client = bundledClient): Snippet[] {
  const isServer = kindOf(application) === 'server'
  return [
    { id: 'curl', name: 'curl', text: isServer ? serverCurl(application, baseUrl) : personCurl(application, baseUrl) },
    {
      id: 'node',
      name: 'Node',
      text: isServer ? serverNode(application, baseUrl, client) : personNode(application, baseUrl, client),
    },
    {
      id: 'python',
      name: 'Python',
      text: isServer ? serverPython(application, baseUrl) : personPython(application, baseUrl),
    },
  ]
}

/** The file that the snippets read. Without a secret it is the identifiers alone. */
export function environmentFile(
  { applicationId }: Pick<Application, 'applicationId'>,
  baseUrl: string,
  clientSecret: string | undefined,
): string {
  return [
    `PORTCULLIS_ISSUER=${baseUrl}`,
    `PORTCULLIS_CLIENT_ID=${applicationId}`,
    ...(clientSecret === undefined ? [] : [`PORTCULLIS_CLIENT_SECRET=${clientSecret}`]),
  ].join('\n')
}

/**
 * The line that installs the client library from this server. `authorityFile`: of the server's own certificate
 * authority, which npm must trust in development; absolute, because the line is pasted in a project's folder.
 */
export function installLine(download: { file: string }, baseUrl: string, authorityFile: string | undefined): string {
  // Not NODE_EXTRA_CA_CERTS, which npm does not look at where its own cafile is set. The registry's audit would ask
  // with it too.
  const trust = authorityFile === undefined ? '' : `--no-audit --cafile=${shellText(authorityFile)} `
  return `npm install ${trust}${baseUrl}/downloads/${download.file}`
}

function serverCurl({ applicationId }: About, baseUrl: string): string {
  return `set -a; . ./portcullis.env; set +a

TOKEN=$(curl -sS ${baseUrl}/api/v2/oauth2/v2.0/token \\
  -d grant_type=client_credentials \\
  -d client_id=${applicationId} \\
  -d client_secret="$PORTCULLIS_CLIENT_SECRET" \\
  -d scope=default | sed -n 's/.*"access_token":"\\([^"]*\\)".*/\\1/p')

curl -sS ${baseUrl}/api/v2/me -H "Authorization: Bearer $TOKEN"`
}

function imported(names: string, from: string): string {
  return `import { ${names} } from '${from}'`
}

function serverNode({ applicationId }: About, baseUrl: string, client: string): string {
  return `${imported('createClient, createFetch', client)}

const client = createClient({
  issuer: '${baseUrl}',
  clientId: '${applicationId}',
  clientSecret: process.env.PORTCULLIS_CLIENT_SECRET,
})
// Gets a token when one is needed, keeps it, and renews it.
const call = createFetch(client.application(), { resources: ['${baseUrl}'] })

const response = await call('${baseUrl}/api/v2/me')
console.log(await response.json())`
}

function serverPython({ applicationId }: About, baseUrl: string): string {
  return `import json, os, urllib.parse, urllib.request

form = urllib.parse.urlencode({
    "grant_type": "client_credentials",
    "client_id": "${applicationId}",
    "client_secret": os.environ["PORTCULLIS_CLIENT_SECRET"],
    "scope": "default",
}).encode()
with urllib.request.urlopen("${baseUrl}/api/v2/oauth2/v2.0/token", form) as answer:
    token = json.load(answer)["access_token"]

request = urllib.request.Request("${baseUrl}/api/v2/me", headers={"Authorization": f"Bearer {token}"})
with urllib.request.urlopen(request) as answer:
    print(json.load(answer))`
}

/**
 * For a shell: a redirect URI may contain what ends a word there or begins a command, and somebody else may have chosen
 * it.
 */
function shellText(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function redirectOf({ redirectUris }: About): string {
  return redirectUris[0] ?? 'https://app.example/callback'
}

function personCurl(about: About, baseUrl: string): string {
  const secret = about.type === 'native' ? '' : ' \\\n  -d client_secret="$PORTCULLIS_CLIENT_SECRET"'
  const environment = about.type === 'native' ? '' : 'set -a; . ./portcullis.env; set +a\n\n'
  return `${environment}VERIFIER=$(openssl rand -base64 48 | tr '+/' '-_')
CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | base64 | tr '+/' '-_' | tr -d =)

# Open this in a browser; you come back to the redirect URI with a code:
curl -sS -G -o /dev/null -w '%{url_effective}\\n' ${baseUrl}/api/v2/oauth2/v2.0/authorize \\
  -d response_type=code -d client_id=${about.applicationId} \\
  --data-urlencode redirect_uri=${shellText(redirectOf(about))} \\
  -d scope=default -d state=1 \\
  -d code_challenge="$CHALLENGE" -d code_challenge_method=S256

CODE=   # the code that you came back with
curl -sS ${baseUrl}/api/v2/oauth2/v2.0/token \\
  -d grant_type=authorization_code -d code="$CODE" \\
  --data-urlencode redirect_uri=${shellText(redirectOf(about))} \\
  -d client_id=${about.applicationId} -d code_verifier="$VERIFIER"${secret}`
}

function personNode(about: About, baseUrl: string, library: string): string {
  const clientOnly = imported('createClient', library)
  const redirectUri = redirectOf(about)
  const local = about.type === 'native' ? loopback.exec(redirectUri) : null
  const secret = about.type === 'native' ? '' : '\n  clientSecret: process.env.PORTCULLIS_CLIENT_SECRET,'
  const client = `const client = createClient({
  issuer: '${baseUrl}',
  clientId: '${about.applicationId}',${secret}
})`
  if (local !== null) {
    return `${clientOnly}
${imported('listenForCallback', `${library}/loopback`)}

${client}
const listener = await listenForCallback({ path: ${JSON.stringify(local[1] ?? '/')} })
const started = await client.beginAuthorization({ redirectUri: listener.redirectUri, scope: 'default' })
console.log('Open in a browser:', started.url)
const tokens = await client.finishAuthorization(started, await listener.callback())
await listener.close()
console.log(tokens.accessToken)`
  }
  return `${clientOnly}

${client}
// Keep what started says in the person's session, and send them to started.url.
const started = await client.beginAuthorization({ redirectUri: ${JSON.stringify(redirectUri)}, scope: 'default' })

// When they come back, with the address that they came back to:
const tokens = await client.finishAuthorization(started, address)
console.log(tokens.accessToken)`
}

function personPython(about: About, baseUrl: string): string {
  const secret = about.type === 'native' ? '' : '\n    "client_secret": os.environ["PORTCULLIS_CLIENT_SECRET"],'
  return `import base64, hashlib, json, os, secrets, urllib.parse, urllib.request

verifier = secrets.token_urlsafe(48)
digest = hashlib.sha256(verifier.encode()).digest()
print("Open in a browser:", "${baseUrl}/api/v2/oauth2/v2.0/authorize?" + urllib.parse.urlencode({
    "response_type": "code",
    "client_id": "${about.applicationId}",
    "redirect_uri": ${JSON.stringify(redirectOf(about))},
    "scope": "default",
    "state": secrets.token_urlsafe(16),
    "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
    "code_challenge_method": "S256",
}))

form = urllib.parse.urlencode({
    "grant_type": "authorization_code",
    "code": input("The code that you came back with: "),
    "redirect_uri": ${JSON.stringify(redirectOf(about))},
    "client_id": "${about.applicationId}",
    "code_verifier": verifier,${secret}
}).encode()
with urllib.request.urlopen("${baseUrl}/api/v2/oauth2/v2.0/token", form) as answer:
    print(json.load(answer)["access_token"])`
}
