// The status of a certificate as clients get it: from memory, never outdated, of the certificate that they are shown.

import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { type ConnectionOptions, connect } from 'node:tls'
import t, { type Test } from 'tap'
import type { AskResponder } from '../../../src/http/tls/stapling/ask-responder.js'
import { createStapler, type StapleState } from '../../../src/http/tls/stapling/stapler.js'
import { createStaples, type StaplesOptions } from '../../../src/http/tls/stapling/staples.js'
import { readStatus } from '../../../src/http/tls/stapling/status-answer.js'
import { createTicketKeys } from '../../../src/http/tls/ticket-keys.js'
import { loadTls, watchTls } from '../../../src/http/tls/tls.js'
import { createMetrics } from '../../../src/observability/metrics.js'
import { type AnswerWishes, chain, type Holder, makeCertificate, statusAnswer } from '../../support/ocsp/authority.js'
import { listening, testServer } from '../../support/rooms/http-server.js'

const minute = 60_000
const hour = 60 * minute
const issuer = await makeCertificate()

/** A responder on loopback; what it says of each path can be changed. */
async function responder(t: Test) {
  const answers = new Map<string, () => Buffer | undefined>()
  let questions = 0
  const server = createServer((request, response) => {
    questions += 1
    const answer = answers.get(request.url?.split('/')[1] ?? '')?.()
    if (answer !== undefined) response.end(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as { port: number }
  return { answers, at: (name: string) => `http://127.0.0.1:${port}/${name}`, questions: () => questions }
}

interface Line {
  level: 'info' | 'warn' | 'error'
  facts: object
  text: string
}

function facts() {
  const lines: Line[] = []
  const write = (level: Line['level']) =>
    ((said: object, text: string) => lines.push({ level, facts: said, text })) as never
  const log: StaplesOptions['log'] = { info: write('info'), warn: write('warn'), error: write('error') }
  return { lines, log, metrics: createMetrics() }
}

/** An instance whose certificates are in files. */
async function instance(t: Test, holders: readonly Holder[], own: ReturnType<typeof facts>) {
  const folder = t.testdir()
  const write = (at: number, holder: Holder) => {
    const files = { certFile: join(folder, `${at}.crt`), keyFile: join(folder, `${at}.key`) }
    writeFileSync(files.certFile, chain(holder, issuer))
    writeFileSync(files.keyFile, holder.keyText, { mode: 0o600 })
    return files
  }
  const [first, ...more] = holders.map((holder, at) => write(at, holder))
  if (first === undefined) throw new Error('a certificate is needed')
  const files = { ...first, more }
  const tickets = createTicketKeys(randomBytes(32), 'https://localhost:8443')
  const app = testServer({ tls: loadTls(files), tickets, staples: createStaples(own), metrics: own.metrics })
  t.teardown(() => app.close())
  const port = await listening(app)
  const watch = watchTls(files, { server: app.server as never, onError: (error) => void t.error(error) })
  t.teardown(() => watch.stop())
  return { port, renew: (at: number, holder: Holder) => write(at, holder) && watch.check() }
}

/** What a client is sent with the certificate, which waits for the word of the server that it got none. */
function stapled(port: number, options: ConnectionOptions = {}): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const asking = { port, host: '127.0.0.1', rejectUnauthorized: false, requestOCSP: true, servername: 'a.test' }
    const socket = connect({ ...asking, ...options })
    socket.on('OCSPResponse', (bytes) => {
      resolve(bytes)
      socket.destroy()
    })
    socket.on('error', reject)
  })
}

/** Until it is sent; the answer comes in the background. */
async function untilStapled(port: number, options: ConnectionOptions = {}): Promise<Buffer> {
  for (;;) {
    const bytes = await stapled(port, options)
    if (bytes !== null) return bytes
  }
}

t.test('each client gets the status of the certificate that it is shown, whichever server takes it', async (t) => {
  const { answers, at } = await responder(t)
  const [one, two] = await Promise.all(
    ['a.test', 'b.test'].map((name) => makeCertificate({ name, by: issuer, responder: at(name) })),
  )
  if (one === undefined || two === undefined) return
  const bytes = [one, two].map((about) => statusAnswer({ about, issuer }))
  for (const [index, name] of ['a.test', 'b.test'].entries()) answers.set(name, () => bytes[index])
  const own = facts()
  const { port } = await instance(t, [one, two], own)
  for (const maxVersion of ['TLSv1.3', 'TLSv1.2'] as const) {
    t.same(await untilStapled(port, { maxVersion }), bytes[0], maxVersion)
    t.same(await untilStapled(port, { maxVersion, servername: 'b.test' }), bytes[1], maxVersion)
    t.same(await untilStapled(port, { maxVersion, servername: '' }), bytes[0], 'no name')
  }
  t.match(own.lines.map(({ level, text }) => `${level} ${text}`).sort(), [/^info the status/, /^info the status/])
  const text = await own.metrics.registry.metrics()
  t.match(text, /tls_ocsp_answers_total\{status="good"\} 2/)
  t.match(text, /tls_ocsp_next_update_seconds\{certificate="b.test"\} \d{10}/)
})

t.test('openssl shows the status, and finds it signed and good', async (t) => {
  const { answers, at } = await responder(t)
  const about = await makeCertificate({ name: 'a.test', by: issuer, responder: at('a') })
  answers.set('a', () => statusAnswer({ about, issuer, byKey: true }))
  const { port } = await instance(t, [about], facts())
  const bytes = await untilStapled(port)
  const folder = t.testdirName
  writeFileSync(join(folder, 'ca.crt'), chain(issuer))
  writeFileSync(join(folder, 'answer'), bytes)
  const files = ['-CAfile', join(folder, 'ca.crt'), '-issuer', join(folder, 'ca.crt'), '-cert', join(folder, '0.crt')]
  const said = execFileSync('openssl', ['ocsp', '-respin', join(folder, 'answer'), ...files], { stdio: 'pipe' })
  t.match(String(said), /: good\n/)
})

t.test('a handshake waits for no responder, and without an answer nothing is sent', async (t) => {
  const { answers, at, questions } = await responder(t)
  const about = await makeCertificate({ name: 'a.test', by: issuer, responder: at('silent'), mustStaple: true })
  answers.set('silent', () => undefined)
  const own = facts()
  const { port } = await instance(t, [about], own)
  while (questions() === 0) await stapled(port)
  t.equal(await stapled(port), null)
  t.match(own.lines, [{ level: 'warn', facts: { certificate: 'a.test' }, text: /demands .* clients refuse it until/ }])
  t.match(await own.metrics.registry.metrics(), /tls_ocsp_next_update_seconds\{certificate="a.test"\} 0/)
})

t.test('a new certificate begins anew, and the status of the one before is not sent with it', async (t) => {
  const { answers, at } = await responder(t)
  const [before, after] = [
    await makeCertificate({ name: 'a.test', by: issuer, responder: at('before') }),
    await makeCertificate({ name: 'a.test', by: issuer, responder: at('after') }),
  ]
  answers.set('before', () => statusAnswer({ about: before, issuer }))
  const { port, renew } = await instance(t, [before], facts())
  await untilStapled(port)
  t.equal(renew(0, after), true)
  t.equal(await stapled(port), null)
  const later = await makeCertificate({ name: 'a.test', by: issuer, responder: at('later') })
  answers.set('later', () => statusAnswer({ about: later, issuer }))
  t.equal(renew(0, later), true)
  const bytes = await untilStapled(port)
  const subject = { certificate: later.certificate, issuer: issuer.certificate }
  t.match(readStatus(bytes, subject, Date.now()), { status: 'good' })
})

t.test('who says that no status can be had, and what cannot be fetched', async (t) => {
  const own = facts()
  const staples = createStaples(own)
  t.teardown(() => staples.stop())
  const named = { name: 'a.test', by: issuer, responder: 'http://127.0.0.1:9/' }
  const [alone, demanding, plain] = [
    await makeCertificate(named),
    await makeCertificate({ name: 'b.test', by: issuer, mustStaple: true }),
    await makeCertificate({ name: 'c.test', by: issuer }),
  ]
  const pair = (cert: string) => ({ cert, key: '' })
  staples.take({
    ...pair(chain(alone)),
    more: [pair(chain(demanding, issuer)), pair(chain(plain)), pair('unreadable')],
  })
  t.match(own.lines, [
    { level: 'warn', text: /cannot be read/ },
    { level: 'warn', facts: { certificate: 'a.test' }, text: /issuer is not in its file/ },
    { level: 'warn', facts: { certificate: 'b.test' }, text: /names no responder .* clients refuse/ },
  ])
  t.equal(staples.answerFor(alone.certificate.raw), undefined)
})

/** A stapler whose responder says what the test wants next, at the test's own time. */
async function stapler() {
  const about = await makeCertificate({ name: 'a.test', by: issuer, responder: 'http://ocsp.test/' })
  const clock = { now: Date.now() }
  let next: Partial<AnswerWishes> | Error = {}
  const heard: (StapleState & { at?: number })[] = []
  const counted: string[] = []
  const ask: AskResponder = async ({ certificate, issuer: by }, { now }) => {
    if (next instanceof Error) throw next
    const wishes = { about, issuer, from: now() - hour, until: now() + 7 * hour, ...next }
    const bytes = statusAnswer(wishes)
    return { ...readStatus(bytes, { certificate, issuer: by }, now()), bytes }
  }
  const subject = {
    certificate: about.certificate,
    issuer: issuer.certificate,
    responder: new URL('http://ocsp.test/'),
  }
  const own = createStapler({
    subject,
    ask,
    now: () => clock.now,
    random: () => 1,
    onAnswer: (status) => counted.push(status),
    onChange: (state) => heard.push(state),
  })
  const look = (said: Partial<AnswerWishes> | Error) => {
    next = said
    return own.look()
  }
  return { own, look, clock, heard, counted }
}

t.test('a status is fetched again after half of what is left of it, and after failures ever later', async (t) => {
  const { look, counted, heard, clock } = await stapler()
  const failure = new Error('it does not answer')
  t.same([await look(failure), await look(failure), await look(failure)], [minute, 2 * minute, 4 * minute])
  for (let time = 0; time < 12; time++) await look(failure)
  t.equal(await look(failure), hour, 'an hour at most')
  const wait = await look({})
  t.ok(wait > 3.4 * hour && wait <= 3.5 * hour, `${wait}`)
  t.ok((await look({ until: clock.now + 30 * 24 * hour })) <= 24 * hour, 'a day at most')
  t.equal(await look({ until: clock.now + 5_000 }), 10_000, 'a responder has its peace')
  t.equal(counted.filter((status) => status === 'failed').length, 16)
  t.same(
    heard.map(({ kind }) => kind),
    ['failed', 'good'],
    'each change is told once',
  )
})

t.test('what cannot be fetched again is sent until its end and not after', async (t) => {
  const { own, look, clock, heard } = await stapler()
  await look({})
  const bytes = own.answer()
  t.ok(bytes)
  clock.now += 6 * hour
  await look(new Error('away'))
  await look({ status: 'unknown' })
  await look({ until: clock.now - 1 })
  t.same(own.answer(), bytes, 'the one before')
  clock.now += hour
  t.equal(own.answer(), undefined)
  await look(new Error('away'))
  t.match(heard, [{ kind: 'good' }, { kind: 'failed', until: Number }, { kind: 'failed', until: undefined }])
  await look({})
  t.ok(own.answer())
})

t.test('a revoked certificate: its status is not sent, nor the good one before, and it is said once', async (t) => {
  const { own, look, heard } = await stapler()
  await look({})
  t.equal(await look({ status: 'revoked' }), hour)
  t.equal(own.answer(), undefined)
  await look({ status: 'revoked' })
  t.match(heard, [{ kind: 'good' }, { kind: 'revoked' }])
})

t.test('what comes after the end of a stapler changes nothing', async (t) => {
  const { own, look, heard } = await stapler()
  own.stop()
  await look({})
  t.equal(own.answer(), undefined)
  t.same(heard, [])
})
