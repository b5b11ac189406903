// Attacks that other gates fell for (corpus.txt), over raw sockets, at every kind of route, without a token and with tokens
// that are not enough. What the services behind the gate saw is the judge.

import { randomBytes } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import t from 'tap'
import { createApp } from '../../src/app.js'
import { createLocalClient } from '../../src/cli/local-client.js'
import { managementCalls } from '../../src/cli/management-calls.js'
import { loadSettings } from '../../src/config/load.js'
import { type Attack, attackBytes, liberalReadings, readCorpus, smuggledPath } from '../support/attack-corpus.js'
import { recordingUpstream, viaProxy } from '../support/http-gate.js'
import { type RawAnswer, type RawTarget, rawConnection } from '../support/http-raw.js'
import { freePort } from '../support/program.js'
import { until } from '../support/until.js'

t.setTimeout(170_000)

const other = 'https://other.test'
const configuration = (where: { folder: string; listen: number; things: number }) => `
version: 1
data: { folder: '${where.folder}' }
server:
  baseUrl: https://portcullis.test
  listen: 127.0.0.1:${where.listen}
  operator: 127.0.0.1:0
  tls: off
  trustedProxies: 127.0.0.1/32
  timeouts: { headers: 1s, bodyIdle: 1s }
  limits: { perAddress: 1000000/min }
tokens: { failedAuthentications: 1000000/min }
permissions:
  read: { describe: Read }
  write: { describe: Write, covers: [read] }
  unrelated: { describe: Something else }
resources:
  other: { id: '${other}', name: Other, permissions: { look: { describe: Look, kinds: [application] } } }
upstreams:
  backend: { target: builtin:backend, timeouts: { connect: 30s } }
  mounted: { target: 'http://127.0.0.1:${where.things}/base', connections: 500, timeouts: { connect: 30s } }
  things: { target: 'http://127.0.0.1:${where.things}', connections: 500, timeouts: { connect: 30s } }
limits: {}
defaults: { limits: [], tokenLimits: [] }
routes:
  GET,POST,PUT,DELETE /open/**: { to: things, public: true }
  GET,POST /open/admin: { to: things, require: write }
  /guarded: { to: things, require: { GET: read, POST: write } }
  GET,POST /items/{id}: { to: things, require: read }
  GET,POST,DELETE /wide/**: { to: things, require: read }
  GET,POST /wide/admin: { to: things, require: write }
  /methods: { to: things, require: { GET: read, DELETE: write } }
  GET,DELETE /other: { to: things, resource: other, require: look }
  GET /mounted/**: { to: mounted, strip: /mounted, require: read }
  GET /old/{id}: { to: mounted, rewrite: { from: /old, to: /new }, require: write }
  GET /live/{id}: { to: things, stream: true, require: read }
  GET /called/{id}: { to: things, require: read, cors: { origins: ['https://evil.test'] } }
  /api/v2/me: { to: backend, require: { GET: read, PATCH: write } }
`

interface Target {
  what: string
  method: string
  path: string
}

const classes: readonly Target[] = [
  { what: 'public', method: 'GET', path: '/open/thing' },
  { what: 'public, with a body', method: 'POST', path: '/open/box' },
  { what: 'guarded inside a public prefix', method: 'GET', path: '/open/admin' },
  { what: 'guarded', method: 'GET', path: '/guarded' },
  { what: 'guarded, with a body', method: 'POST', path: '/guarded' },
  { what: 'with a parameter', method: 'GET', path: '/items/7' },
  { what: 'a guarded prefix', method: 'GET', path: '/wide/a/b' },
  { what: 'more guarded inside it', method: 'GET', path: '/wide/admin' },
  { what: 'guarded by method', method: 'DELETE', path: '/methods' },
  { what: 'of another resource', method: 'GET', path: '/other' },
  { what: 'with a prefix taken off', method: 'GET', path: '/mounted/a/b' },
  { what: 'with a prefix that is another behind', method: 'GET', path: '/old/7' },
  { what: 'for streams', method: 'GET', path: '/live/7' },
  { what: 'for pages of another origin', method: 'GET', path: '/called/7' },
  { what: 'the bundled service', method: 'GET', path: '/api/v2/me' },
  { what: 'the bundled service, to change', method: 'PATCH', path: '/api/v2/me' },
  { what: 'the token endpoint’s other name', method: 'POST', path: '/API/v2/OAuth/token' },
  { what: 'userinfo', method: 'GET', path: '/api/v2/oauth2/v2.0/userinfo' },
  { what: 'management', method: 'GET', path: '/api/v2/applications' },
  { what: 'a page', method: 'GET', path: '/sign-in' },
  { what: 'nothing', method: 'GET', path: '/nowhere/at/all' },
]

/** What a service may take a request for: the permission that its path and method need, `public`, or nothing known. */
function needOf(method: string, path: string): string | undefined {
  const reads = method === 'GET' || method === 'HEAD'
  if (path === '/open/admin' || path === '/wide/admin') return 'write'
  if (path.startsWith('/open/')) return 'public'
  if (path === '/guarded' || path === '/methods' || path === '/api/v2/me') return reads ? 'read' : 'write'
  if (path.startsWith('/base/new/')) return 'write'
  if (/^\/(items|wide|base|live|called)\//.test(path)) return 'read'
  return path === '/other' ? 'look' : undefined
}

type Who = 'nobody' | 'lacking' | 'revoked' | 'reader' | 'foreign'

/** What each of them may do, as it should be. */
const held: Record<Who, readonly string[]> = {
  nobody: ['public'],
  lacking: ['public'],
  revoked: ['public'],
  reader: ['public', 'read'],
  foreign: ['public', 'look'],
}

interface Seen {
  method: string
  url: string
  raw: readonly string[]
  attempt: string
}

interface Attempt {
  attack: Attack
  target: Target
  who: Who
}

t.test(
  'P1 P7 P12 A–H: no attack of the corpus reaches a service without its permission, or speaks in the gate’s name',
  async (t) => {
    const house = await openHouse(t)
    const attacks = readCorpus()
    const attempts: Attempt[] = []
    for (const attack of attacks) {
      for (const target of classes) {
        // Where there is nothing to lose one of them is enough; elsewhere the others take turns.
        const turn = attempts.length + attacks.indexOf(attack)
        const one = usual[turn % usual.length] as Who
        const other = others[turn % others.length] as Who
        const all = isGuarded(target) ? [...usual, ...(turn % 2 === 0 ? [other] : [])] : [one]
        for (const who of all) attempts.push({ attack, target, who })
      }
    }
    const wrong = new Map<string, string[]>()
    const blame = (attack: string, problem: string | undefined, where: string): void => {
      if (problem === undefined) return
      const key = `${attack}: ${problem}`
      wrong.set(key, [...(wrong.get(key) ?? []), where])
    }
    const counts = { answers: new Map<number, number>(), closed: 0 }
    const lane = async (): Promise<void> => {
      for (let next = queue.next(); next.done !== true; next = queue.next()) {
        const [number, attempt] = next.value
        blame(attempt.attack.title, await send(house, attempt, String(number), counts), placeOf(attempt))
      }
    }
    const queue = attempts.entries()
    const began = performance.now()
    await Promise.all(Array.from({ length: 48 }, lane))
    let reached = 0
    for (const seen of house.seen) {
      const attempt = seen.attempt.startsWith('probe-') ? undefined : attempts[Number(seen.attempt)]
      if (attempt !== undefined) reached += 1
      blame(
        attempt?.attack.title ?? seen.attempt,
        judge(house, seen, attempt),
        attempt === undefined ? '' : placeOf(attempt),
      )
    }
    t.comment(
      `${attacks.length} attacks × ${classes.length} kinds of routes × 1 to 3 of 5 credentials: ${attempts.length} sent`,
    )
    t.comment(`${reached} reached a service, as they may; ${counts.closed} connections were closed`)
    t.comment(
      `answers: ${[...counts.answers]
        .sort()
        .map(([status, count]) => `${count} × ${status}`)
        .join(', ')}`,
    )
    t.comment(`in ${Math.round(performance.now() - began)} ms`)
    const found = [...wrong].map(([what, places]) => `${what} (${places.length} times, such as ${places[0]})`)
    t.same(found, [], 'nothing is wrong')
    t.same(house.misread, [], 'no service got bytes that it could not read')
    t.same(house.errors.slice(0, 5), [], 'nothing was an error of ours')
    t.ok(reached > attempts.length / 50, 'some of it is harmless and passes, so the services were there')
  },
)

const usual: readonly Who[] = ['nobody', 'reader']
const others: readonly Who[] = ['lacking', 'revoked', 'foreign']

function isGuarded({ method, path }: Target): boolean {
  const need = needOf(method, path.replace('/mounted', '/base').replace('/old', '/base/new'))
  return need !== undefined && need !== 'public'
}

function placeOf({ target, who }: Attempt): string {
  return `${target.what}, ${who}`
}

/** Sends it, and behind it a plain request on the same connection. Gives what is wrong with the answers. */
async function send(
  house: House,
  { attack, target, who }: Attempt,
  number: string,
  counts: { answers: Map<number, number>; closed: number },
): Promise<string | undefined> {
  const head = `${viaProxy}X-Attempt: ${number}\r\n`
  const token = house.tokens[who]
  const bytes = attackBytes(attack, { ...target, head, token })
  const probe = `GET /open/probe HTTP/1.1\r\n${viaProxy}X-Attempt: probe-${number}\r\n\r\n`
  const connection = await rawConnection(house.at)
  connection.send(bytes + probe)
  const answers: RawAnswer[] = []
  for (;;) {
    const answer = await connection.answer().catch((error: Error) => error)
    if (answer instanceof Error) {
      if (!/connection closed/.test(answer.message)) return answer.message
      if (!/unread: ""/.test(answer.message)) return `half an answer: ${answer.message.slice(0, 200)}`
      counts.closed += 1
      break
    }
    answers.push(answer)
    if (answer.body.includes(`probe-${number}"`)) break
  }
  connection.end()
  const [first, second, third] = answers
  if (first !== undefined) counts.answers.set(first.status, (counts.answers.get(first.status) ?? 0) + 1)
  const ours = answers.find(({ status }) => status >= 500 && status !== 501)
  if (ours !== undefined) return `answered ${ours.status}`
  if (third !== undefined) return `three answers: ${answers.map(({ status }) => status).join(', ')}`
  if (first?.body.includes('probe-') === true && !attack.template.startsWith('\\r\\n'))
    return 'answered as the next request'
  if (second !== undefined && !second.body.includes(`probe-${number}"`) && second.status < 400)
    return `the next request was answered ${second.status} ${second.body.slice(0, 80)}`
  return undefined
}

/** What is wrong with a request that arrived at a service. */
function judge(
  house: House,
  { method, url, raw, attempt: name }: Seen,
  attempt: Attempt | undefined,
): string | undefined {
  if (url.includes(smuggledPath)) return `a body became the request ${method} ${url}`
  if (attempt === undefined)
    return name.startsWith('probe-') && url === '/open/probe' ? undefined : `unasked: ${method} ${url}`
  for (const reading of liberalReadings(url)) {
    const need = needOf(method, reading)
    if (need !== undefined && !held[attempt.who].includes(need)) return `${method} ${url} needs ${need}`
  }
  if (raw.some((text) => /mallory/i.test(text))) return `says ${raw.find((text) => /mallory/i.test(text))}`
  const folded = raw.filter((_, i) => i % 2 === 0).map((field) => field.toLowerCase().replace(/[._]/g, '-'))
  const twice = folded.find((field, i) => own.includes(field) && folded.indexOf(field) !== i)
  if (twice !== undefined) return `${twice} twice`
  const authorization = fieldOf(raw, 'authorization')
  // A cookie is nobody's credential here; what a client puts into one is its own business.
  const beyondCookies = raw.filter((_, i) => raw[i - 1]?.toLowerCase() !== 'cookie').join('\n')
  const leaked = Object.values(house.tokens).some((token) => token !== undefined && beyondCookies.includes(token))
  if (leaked) return 'has a token of ours'
  const claims = claimsOf(authorization)
  const isPublic = needOf(method, new URL(url, 'http://service').pathname) === 'public'
  if (isPublic) return authorization === undefined ? undefined : 'an identity on a public route'
  if (claims?.client_id !== house.applications[attempt.who]) return `in the name of ${claims?.client_id}`
  if (fieldOf(raw, 'x-forwarded-for') !== '127.0.0.1') return `from ${fieldOf(raw, 'x-forwarded-for')}`
  return fieldOf(raw, 'x-forwarded-host') === 'portcullis.test' ? undefined : `for ${fieldOf(raw, 'x-forwarded-host')}`
}

const own = [
  'host',
  'authorization',
  'content-length',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  'forwarded',
  'request-id',
  'via',
]

function fieldOf(raw: readonly string[], name: string): string | undefined {
  const at = raw.findIndex((text, i) => i % 2 === 0 && text.toLowerCase() === name)
  return at === -1 ? undefined : raw[at + 1]
}

function claimsOf(authorization: string | undefined): { client_id?: string } | undefined {
  const part = /^Bearer [\w-]+\.([\w-]+)\./.exec(authorization ?? '')?.[1]
  return part === undefined ? undefined : JSON.parse(Buffer.from(part, 'base64url').toString())
}

interface House {
  at: RawTarget
  tokens: Record<Who, string | undefined>
  applications: Record<Who, string | undefined>
  seen: Seen[]
  /** What a service could not read. */
  misread: string[]
  /** Lines of the log that are errors. */
  errors: string[]
}

/** The whole product in this process, a service that writes down what it gets, and the bundled one watched the same way. */
async function openHouse(t: { testdir(): string; teardown(work: () => unknown): void }): Promise<House> {
  const folder = mkdtempSync(join(tmpdir(), 'pcl-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const upstream = await recordingUpstream(
    t,
    (request, response) => response.end(JSON.stringify({ attempt: request.headers['x-attempt'] })),
    { insecureHTTPParser: true, maxHeaderSize: 65_536 },
  )
  const misread: string[] = []
  upstream.server.on('clientError', (error: Error & { code?: string; reason?: string }, socket) => {
    // The gate ends the connection when a client does not send all of its body.
    const isCut = ['ECONNRESET', 'EPIPE', 'HPE_INVALID_EOF_STATE'].includes(error.code ?? '')
    if (!isCut) misread.push(`${error.code} ${error.reason}`)
    socket.destroy()
  })
  const file = join(folder, 'portcullis.yaml')
  const port = await freePort()
  writeFileSync(file, configuration({ folder, listen: port, things: upstream.port }))
  const errors: string[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => void errors.push(line) })
  const settings = loadSettings({ file, env: {} })
  const app = await createApp({ settings, masterKeys: [randomBytes(32)], version: '0', log })
  t.teardown(() => app.stop())
  await app.start()
  const people = await enrol(createLocalClient(join(folder, 'admin.sock')))
  const seen: Seen[] = []
  watch(t, seen, (server) => server === upstream.server || String(server.address()).endsWith('.sock'))
  await refused(port, people.tokens.revoked)
  seen.length = 0
  return { at: { port }, ...people, seen, misread, errors }
}

/** Every request that begins at one of these servers of this process, whatever becomes of it. */
function watch(t: { teardown(work: () => unknown): void }, seen: Seen[], isBehind: (server: Server) => boolean): void {
  const note = (message: unknown) => {
    const { request, server } = message as { request: IncomingMessage; server: Server }
    if (!isBehind(server)) return
    const { method = '', url = '', rawHeaders: raw, headers } = request
    seen.push({ method, url, raw, attempt: String(headers['x-attempt']) })
  }
  subscribe('http.server.request.start', note)
  t.teardown(() => unsubscribe('http.server.request.start', note))
}

/** Who attacks. */
async function enrol(client: ReturnType<typeof createLocalClient>): Promise<Pick<House, 'tokens' | 'applications'>> {
  const manage = managementCalls(client)
  const tenant = await manage.createTenant({ name: 'Attackers' })
  const tokens: House['tokens'] = { nobody: undefined, lacking: '', revoked: '', reader: '', foreign: '' }
  const applications: House['applications'] = { ...tokens }
  const application = async (who: Who, ids: readonly string[], resource?: string) => {
    const permissions = ids.map((id) => ({
      kind: 'application' as const,
      id,
      ...(resource === undefined ? {} : { resource }),
    }))
    const made = await manage.createApplication({
      name: who,
      type: 'web',
      tenantId: tenant.tenantId,
      permissions,
      consent: true,
    })
    const { access_token: token } = await manage.issueToken(made.applicationId, {})
    tokens[who] = token
    applications[who] = made.applicationId
  }
  await application('lacking', ['unrelated'])
  await application('revoked', ['read', 'write', 'unrelated'])
  await application('reader', ['read'])
  await application('foreign', ['look'], other)
  await manage.revoke({ what: 'token', token: tokens.revoked ?? '' })
  return { tokens, applications }
}

/** Until the revocation is known. */
async function refused(port: number, token: string | undefined): Promise<void> {
  await until('the revoked token is refused', async () => {
    const connection = await rawConnection({ port })
    connection.send(`GET /guarded HTTP/1.1\r\n${viaProxy}Authorization: Bearer ${token}\r\n\r\n`)
    const { status } = await connection.answer()
    connection.end()
    return status === 401
  })
}
