// A single-page application in one file: fetch, and what PKCE takes. It runs from the address that is registered, on any
// server of files.

import { endpoints } from './addresses.js'
import { codeRedemption } from './code-redemption.js'
import type { BrowserPage, SnippetFacts } from './facts.js'
import type { Language } from './language.js'
import { shellText } from './quoting.js'

/** The page; undefined where the application has no address that a page could have. */
export function pageLanguage(facts: SnippetFacts): Language | undefined {
  const { page } = facts
  if (page === undefined) return undefined
  const { hostname, port, protocol } = new URL(page.uri)
  const folder = page.file.split('/').slice(0, -1).join('/')
  const address = hostname === '[::1]' ? '::1' : '127.0.0.1'
  const serving = `python3 -m http.server ${port} --bind ${address}`
  const isHere = protocol === 'http:'
  return {
    id: 'page',
    name: 'Browser page',
    needs: isHere ? 'Any server of files; here the one that comes with Python 3' : 'Any server of files',
    blocks: [
      ...(folder === ''
        ? []
        : [{ part: 'prepare', name: 'Once, in a terminal', text: `mkdir -p ${shellText(folder)}` } as const]),
      { part: 'program', name: page.file, text: document(facts, page) },
      ...(isHere ? [{ part: 'run', name: `Run it, and open ${page.uri}`, text: serving } as const] : []),
    ],
  }
}

/** A text within a script of HTML. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('<', '\\u003c')
}

function document(facts: SnippetFacts, { uri, scope, call }: BrowserPage): string {
  const { authorize } = endpoints(facts)
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>First call</title>
<button id="sign-in">Sign in</button>
<pre id="answer"></pre>
<script type="module">
const clientId = '${facts.applicationId}'
const redirectUri = ${quoted(uri)}
const text = (bytes) => btoa(String.fromCharCode(...bytes)).replace(/\\+/g, '-').replace(/\\//g, '_').replace(/=/g, '')
const random = () => text(crypto.getRandomValues(new Uint8Array(32)))
const show = (answer) => { document.getElementById('answer').textContent = answer }

document.getElementById('sign-in').addEventListener('click', async () => {
  const [state, verifier] = [random(), random()]
  sessionStorage.setItem('sign-in', JSON.stringify({ state, verifier }))
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  location.assign('${authorize}?' + new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    requested_scopes: ${quoted(scope)},
    state,
    code_challenge: text(new Uint8Array(digest)),
    code_challenge_method: 'S256',
  }))
})

async function finish(back) {
  const { state, verifier } = JSON.parse(sessionStorage.getItem('sign-in') ?? '{}')
  sessionStorage.removeItem('sign-in')
  history.replaceState(null, '', location.pathname)
${codeRedemption(facts)}
  const response = await fetch(${quoted(call)}, { headers: { authorization: \`Bearer \${token}\` } })
  show(await response.text())
}

const back = new URLSearchParams(location.search)
if (back.has('state')) finish(back).catch((error) => show(error.message))
</script>`
}
