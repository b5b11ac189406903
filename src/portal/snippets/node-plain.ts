// The programs for Node without a library: fetch, and what PKCE takes.

import { endpoints, listening } from './addresses.js'
import { codeRedemption, secretLine } from './code-redemption.js'
import type { SnippetFacts } from './facts.js'
import { quoted } from './quoting.js'

/** The module. */
export function plainProgram(facts: SnippetFacts): string {
  if (facts.kind === 'server') return asItself(facts)
  return facts.kind === 'web' ? webApplication(facts) : onThisMachine(facts)
}

function calling(facts: SnippetFacts): string {
  return `fetch(${quoted(facts.call)}, { headers: { authorization: \`Bearer \${token}\` } })`
}

function asItself(facts: SnippetFacts): string {
  return `const answer = await fetch('${endpoints(facts).token}', {
  method: 'POST',
  body: new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: '${facts.applicationId}',
    ${secretLine}
    requested_scopes: ${quoted(facts.scope)},
  }),
})
const { access_token: token, error_description: reason } = await answer.json()
if (token === undefined) throw new Error(reason)

const response = await ${calling(facts)}
console.log(await response.text())`
}

/** `begin` and `finish`, which both kinds of program for people have. */
function functions(facts: SnippetFacts): string {
  const { authorize } = endpoints(facts)
  return `const clientId = '${facts.applicationId}'

function begin(redirectUri) {
  const [state, verifier] = [randomBytes(16), randomBytes(32)].map((bytes) => bytes.toString('base64url'))
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    requested_scopes: ${quoted(facts.scope)},
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  return { state, verifier, url: \`${authorize}?\${query}\` }
}

async function finish(redirectUri, back, { state, verifier }) {
${codeRedemption(facts)}
  const response = await ${calling(facts)}
  return response.text()
}`
}

const imports = `import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
`

function onThisMachine(facts: SnippetFacts): string {
  const { host, port, path } = listening(facts)
  const registered = facts.redirect.loopback?.path ?? path
  return `${imports}
${functions(facts)}

const server = createServer()
await new Promise((resolve) => server.listen(${port}, ${quoted(host)}, resolve))
const redirectUri = \`http://${host}:\${server.address().port}\` + ${quoted(registered)}
const started = begin(redirectUri)
console.log('Open in a browser:', started.url)
const back = await new Promise((resolve) => {
  server.on('request', (request, response) => {
    const { pathname, searchParams } = new URL(request.url, redirectUri)
    const isBack = pathname === ${quoted(path)} && searchParams.get('state') === started.state
    response.writeHead(isBack ? 200 : 404, { 'content-type': 'text/plain', connection: 'close' })
    response.end(isBack ? 'You can close this window.' : 'There is nothing here.')
    if (isBack) resolve(searchParams)
  })
})
server.close()
console.log(await finish(redirectUri, back, started))`
}

function webApplication(facts: SnippetFacts): string {
  const { host, port, path } = listening(facts)
  return `${imports}
const redirectUri = ${quoted(facts.redirect.uri)}
${functions(facts)}

async function answer(request, response) {
  const { pathname, searchParams } = new URL(request.url, redirectUri)
  if (pathname === ${quoted(path)} && searchParams.has('state')) {
    // What was begun is in the cookie of the browser that began it.
    const [, state, verifier] = /(?:^|; )sign-in=([\\w-]+)\\.([\\w-]+)/.exec(request.headers.cookie ?? '') ?? []
    const text = await finish(redirectUri, searchParams, { state, verifier })
    response.setHeader('content-type', 'text/plain; charset=utf-8').end(text)
  } else if (pathname === '/') {
    const { state, verifier, url } = begin(redirectUri)
    const cookie = \`sign-in=\${state}.\${verifier}; HttpOnly; SameSite=Lax; Path=/\`
    response.writeHead(302, { location: url, 'set-cookie': cookie }).end()
  } else {
    response.writeHead(404).end()
  }
}

createServer((request, response) => {
  answer(request, response).catch((error) => response.writeHead(400).end(\`\${error.message}\\n\`))
}).listen(${port}, ${quoted(host)}, () => console.log('Open in a browser: http://${host}:${port}/'))`
}
