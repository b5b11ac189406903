// What is wrong with a request that arrived at a service.

import { readings } from '../support/mcp/message-readers.js'
import { liberalReadings, smuggledPath } from '../support/models/attack-corpus.js'
import type { Recorded } from '../support/rooms/http-gate.js'
import type { Attempt } from './attempts.js'
import { openapi, pagesHost } from './configuration.js'
import { heldBy, needOf, type Who } from './targets.js'
import type { TestApp } from './test-app.js'
import type { ReceivedRequest } from './watched-upstream.js'

/** Fields that come once at most. */
const own = [
  'host',
  'authorization',
  'content-length',
  'content-type',
  'content-encoding',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  'forwarded',
  'request-id',
  'via',
  'traceparent',
  'connection',
  'upgrade',
  'sec-websocket-key',
  'sec-websocket-version',
]

/** Undefined: nothing. `attempt` is undefined for what is sent behind an attack. */
export function judge(testApp: TestApp, received: ReceivedRequest, attempt: Attempt | undefined): string | undefined {
  const { method, url, raw, attempt: name } = received
  if (url.includes(smuggledPath)) return `a body became the request ${method} ${url}`
  if (attempt === undefined)
    return name.startsWith('probe-') && url === '/open/probe' ? undefined : `unasked: ${method} ${url}`
  return (
    whatItNeeds(testApp, received, attempt) ??
    forgedIn(testApp, raw) ??
    wrongHandshake(received, attempt) ??
    wrongName(testApp, received, attempt) ??
    wrongWay(raw, attempt)
  )
}

function whatItNeeds(testApp: TestApp, { method, url }: ReceivedRequest, { who, target }: Attempt): string | undefined {
  const held = heldBy(who, testApp.tenants, target.host)
  for (const reading of liberalReadings(url)) {
    const need = needOf(method, reading)
    if (need !== undefined && !held.includes(need)) return `${method} ${url} needs ${need}`
  }
  return undefined
}

/** What a client may not say, or not here. */
function forgedIn(testApp: TestApp, raw: readonly string[]): string | undefined {
  const mallory = raw.find((text) => /mallory/i.test(text))
  if (mallory !== undefined) return `says ${mallory}`
  const folded = raw.filter((_, i) => i % 2 === 0).map((field) => field.toLowerCase().replace(/[^a-z0-9]/g, '-'))
  const isOwn = (field: string) => own.includes(field) || field.startsWith('x-portcullis-')
  const twice = folded.find((field, i) => isOwn(field) && folded.indexOf(field) !== i)
  if (twice !== undefined) return `${twice} twice`
  // A cookie is nobody's credential here; what a client puts into one is its own business.
  const beyondCookies = raw.filter((_, i) => raw[i - 1]?.toLowerCase() !== 'cookie').join('\n')
  const leaked = Object.values(testApp.tokens).some((token) => token !== undefined && beyondCookies.includes(token))
  return leaked ? 'has a token of ours' : undefined
}

function wrongHandshake({ url, raw, handshake }: ReceivedRequest, { target }: Attempt): string | undefined {
  if (handshake === undefined) return fieldOf(raw, 'upgrade') === undefined ? undefined : 'an upgrade that is none'
  if (!/^\/(live|talk)\//.test(url)) return 'an upgrade on a route that takes none'
  if (handshake.early !== '') return `words before the answer: ${handshake.early.slice(0, 80)}`
  if (handshake.afterwards !== '') return `words after the refusal: ${handshake.afterwards.slice(0, 80)}`
  if (fieldOf(raw, 'sec-websocket-version') !== '13') return 'another version of WebSocket'
  if (!/^[A-Za-z0-9+/]{22}==$/.test(fieldOf(raw, 'sec-websocket-key') ?? '')) return 'another key than one'
  const said = [fieldOf(raw, 'connection'), fieldOf(raw, 'upgrade')].join(' ').toLowerCase()
  if (said !== 'upgrade websocket') return `an upgrade in the words ${said}`
  if (fieldOf(raw, 'content-length') !== undefined || fieldOf(raw, 'transfer-encoding') !== undefined)
    return 'an upgrade with a body'
  return target.method === 'GET' ? undefined : 'an upgrade that is no GET'
}

/** Who calls, as the service learns it. */
function wrongName(testApp: TestApp, { method, url, raw }: ReceivedRequest, { who }: Attempt): string | undefined {
  const path = new URL(url, 'http://service').pathname
  const authorization = fieldOf(raw, 'authorization')
  const plain = plainIdentity(raw)
  const isPlain = path.startsWith('/plain/')
  if (!isPlain && plain.size > 0) return `identity fields where there are none: ${[...plain.keys()]}`
  if (isPlain) return authorization === undefined ? wrongPlainIdentity(testApp, plain, who) : 'two identities'
  if (needOf(method, path) === 'public')
    return authorization === undefined ? undefined : 'an identity on a public route'
  if (path.startsWith('/silent/')) return wrongSilence(raw)
  const clientId = claimsOf(authorization)?.client_id
  // Who may not call is let in there all the same; who is not known stays so.
  const isKnown = who === 'reader' || who === 'lacking'
  if (path.startsWith('/watched/') && !isKnown) return clientId === undefined ? undefined : `in the name of ${clientId}`
  return clientId === testApp.applications[who] ? undefined : `in the name of ${clientId}`
}

/** By name in lower case. */
function plainIdentity(raw: readonly string[]): Map<string, string> {
  const found = new Map<string, string>()
  for (let i = 0; i < raw.length; i += 2) {
    const name = (raw[i] ?? '').toLowerCase()
    if (/^x[^a-z0-9]portcullis/.test(name)) found.set(name, raw[i + 1] ?? '')
  }
  return found
}

export function wrongPlainIdentity(testApp: TestApp, plain: ReadonlyMap<string, string>, who: Who): string | undefined {
  const { 'x-portcullis-assertion': assertion, ...identity } = Object.fromEntries(plain)
  const due = {
    'x-portcullis-application': testApp.applications[who],
    'x-portcullis-tenant': testApp.tenants.own,
    'x-portcullis-permissions': 'read',
  }
  const isDue = Object.entries(due).every(([name, value]) => identity[name] === value)
  if (!isDue || Object.keys(identity).length !== 3) return `in the name of ${JSON.stringify(identity)}`
  return claimsOf(`Bearer ${assertion}`)?.client_id === testApp.applications[who] ? undefined : 'another assertion'
}

/** A route with a list of fields, to a service that does not learn who calls. */
function wrongSilence(raw: readonly string[]): string | undefined {
  const names = raw.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase())
  const more = names.find((name) => name === 'authorization' || !(own.includes(name) || listed.includes(name)))
  return more === undefined ? undefined : `${more} crossed`
}

const listed = ['accept', 'x-attempt']

function wrongWay(raw: readonly string[], { target }: Attempt): string | undefined {
  const host = target.host ?? 'portcullis.test'
  if (fieldOf(raw, 'x-forwarded-for') !== '127.0.0.1') return `from ${fieldOf(raw, 'x-forwarded-for')}`
  const said = fieldOf(raw, 'x-forwarded-host')
  return said === host || (host === pagesHost && said?.toLowerCase() === host) ? undefined : `for ${said}`
}

/** What is wrong with a request as its service's OpenAPI document describes it; others are never wrong here. */
export function judgeDescribed({ method, url, headers, body }: Recorded): string | undefined {
  if (!url.startsWith('/described')) return undefined
  const [path = '', query] = url.split('?')
  const operation = openapi.paths['/described/{id}']
  if (!/^\/described\/[0-9]{1,4}$/.test(path) || !(method.toLowerCase() in operation))
    return `${method} ${url} is described nowhere`
  if (method !== 'POST') return body === '' ? undefined : `a body on ${method} ${query ?? ''}`
  if (!/^application\/json\s*(;|$)/.test(headers['content-type'] ?? '')) return `a body of ${headers['content-type']}`
  if (headers['content-encoding'] !== undefined) return 'a body that is packed'
  return /^\{"name":"[a-z]{1,9}"\}$/.test(body) ? undefined : `the body ${body}`
}

/** What is wrong with a request as its MCP server reads it; others are never wrong here. */
export function judgeMessage(recorded: Recorded): string | undefined {
  const { method, url, headers, body } = recorded
  if (!url.startsWith('/desk/mcp')) return undefined
  if (method !== 'POST') return body === '' ? undefined : `a body on ${method} ${url}`
  if (headers['content-type'] !== 'application/json') return `a message of ${headers['content-type']}`
  if (headers['content-encoding'] !== undefined) return 'a message that is packed'
  const found = new Set(Object.values(readings(recorded)).flat())
  return found.size === 1 && found.has('tools/call list') ? undefined : `the message ${[...found].join(', ')}`
}

export function fieldOf(raw: readonly string[], name: string): string | undefined {
  const at = raw.findIndex((text, i) => i % 2 === 0 && text.toLowerCase() === name)
  return at === -1 ? undefined : raw[at + 1]
}

export function claimsOf(authorization: string | undefined): { client_id?: string } | undefined {
  const part = /^Bearer [\w-]+\.([\w-]+)\./.exec(authorization ?? '')?.[1]
  return part === undefined ? undefined : JSON.parse(Buffer.from(part, 'base64url').toString())
}
