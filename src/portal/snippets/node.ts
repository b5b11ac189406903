// The first call by Node: with the client library where this server gives it away, by plain fetch otherwise.

import type { Download } from '../../downloads/downloads.js'
import { listening } from './addresses.js'
import type { SnippetFacts } from './facts.js'
import { type Block, hasSecret, type Language, preparation } from './language.js'
import { plainProgram } from './node-plain.js'
import { quoted } from './quoting.js'

/** Node, in one module. */
export function nodeLanguage(facts: SnippetFacts): Language {
  const { client } = facts
  const text = client === undefined ? plainProgram(facts) : libraryProgram(facts, client)
  const trust = facts.authority === undefined ? '' : 'NODE_EXTRA_CA_CERTS=ca.pem '
  const environment = hasSecret(facts) ? '--env-file=portcullis.env ' : ''
  const run: Block = { part: 'run', name: 'Run it', text: `${trust}node ${environment}main.mjs` }
  return {
    id: 'node',
    name: 'Node',
    needs: 'Node 20.6 or later',
    blocks: [
      ...preparation(facts, client === undefined ? [] : [installLine(client, facts)]),
      { part: 'program', name: 'main.mjs', text },
      run,
    ],
  }
}

/** The line that installs the client library from this server. */
export function installLine(download: Pick<Download, 'file'>, { baseUrl, authority }: SnippetFacts): string {
  // Not NODE_EXTRA_CA_CERTS, which npm does not look at where its own cafile is set. The registry's audit would get it
  // too.
  const trust = authority === undefined ? '' : '--no-audit --cafile=ca.pem '
  return `npm install ${trust}${baseUrl}/downloads/${download.file}`
}

function libraryProgram(facts: SnippetFacts, { name }: Download): string {
  if (facts.kind === 'server') return asItself(facts, name)
  return facts.kind === 'web' ? webApplication(facts, name) : onThisMachine(facts, name)
}

const importing = (names: string, from: string) => `import { ${names} } from '${from}'`

function clientOf(facts: SnippetFacts): string {
  const secret = hasSecret(facts) ? '\n  clientSecret: process.env.PORTCULLIS_CLIENT_SECRET,' : ''
  return `const client = createClient({
  issuer: '${facts.baseUrl}',
  clientId: '${facts.applicationId}',${secret}
})`
}

function asItself(facts: SnippetFacts, library: string): string {
  const request = facts.scope === 'default' ? '' : `{ scope: ${quoted(facts.scope)} }`
  return `${importing('createClient, createFetch', library)}

${clientOf(facts)}
// Gets a token when one is needed, keeps it, and renews it.
const call = createFetch(client.application(${request}), { resources: ['${facts.baseUrl}'] })

const response = await call(${quoted(facts.call)})
console.log(await response.text())`
}

function onThisMachine(facts: SnippetFacts, library: string): string {
  return `${importing('createClient', library)}
${importing('listenForCallback', `${library}/loopback`)}

${clientOf(facts)}
const listener = await listenForCallback({ redirectUri: ${quoted(facts.redirect.uri)} })
const started = await client.beginAuthorization({ redirectUri: listener.redirectUri, scope: ${quoted(facts.scope)} })
console.log('Open in a browser:', started.url)
const tokens = await client.finishAuthorization(started, await listener.callback())
await listener.close()

const response = await fetch(${quoted(facts.call)}, {
  headers: { authorization: \`Bearer \${tokens.accessToken}\` },
})
console.log(await response.text())`
}

function webApplication(facts: SnippetFacts, library: string): string {
  const { host, port, path } = listening(facts)
  return `${importing('createServer', 'node:http')}
${importing('createClient', library)}

${clientOf(facts)}
const redirectUri = ${quoted(facts.redirect.uri)}

async function answer(request, response) {
  const address = new URL(request.url, redirectUri)
  if (address.pathname === ${quoted(path)} && address.searchParams.has('state')) {
    // What was begun is in the cookie of the browser that began it.
    const kept = /(?:^|; )sign-in=([\\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? ''
    const started = JSON.parse(Buffer.from(kept, 'base64url').toString() || '{}')
    const tokens = await client.finishAuthorization(started, address)
    const called = await fetch(${quoted(facts.call)}, {
      headers: { authorization: \`Bearer \${tokens.accessToken}\` },
    })
    response.setHeader('content-type', 'text/plain; charset=utf-8').end(await called.text())
  } else if (address.pathname === '/') {
    const started = await client.beginAuthorization({ redirectUri, scope: ${quoted(facts.scope)} })
    const kept = Buffer.from(JSON.stringify(started)).toString('base64url')
    const cookie = \`sign-in=\${kept}; HttpOnly; SameSite=Lax; Path=/\`
    response.writeHead(302, { location: started.url, 'set-cookie': cookie }).end()
  } else {
    response.writeHead(404).end()
  }
}

createServer((request, response) => {
  answer(request, response).catch((error) => response.writeHead(400).end(\`\${error.message}\\n\`))
}).listen(${port}, ${quoted(host)}, () => console.log('Open in a browser: http://${host}:${port}/'))`
}
