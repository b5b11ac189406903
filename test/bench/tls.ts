// `npm run bench -- --tls`: what TLS costs the server, printed apart: a connection with a full handshake, one that goes
// on with a session (TLS 1.3), and a request on a connection that is kept; the product, and HAProxy with the same
// certificate.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { run } from './load.js'
import { numberOption } from './options.js'
import { startTlsHaproxy } from './peers/haproxy-tls.js'
import { hasProgram, type Server } from './processes.js'
import { proxyRequest, takeToken } from './requests.js'
import type { Servers } from './servers.js'
import { type Row, table } from './table.js'

interface Target {
  name: string
  server: Server
  ca: string
  request: Buffer
}

/** CPU seconds of the server, and how many connections or requests they were for. */
type Measurement = (target: Target, until: number) => Promise<number>

const atOnce = 16

/** Prints CPU µs of the server for each kind, and writes bench-tls.json. */
export async function measureTls(servers: Servers): Promise<void> {
  const [seconds, rounds] = [numberOption('seconds', 4), numberOption('rounds', 5)]
  const targets = await tlsTargets(servers)
  const rows = new Map<string, Row>()
  // The first round warms up.
  for (let round = -1; round < rounds; round++) {
    for (const target of targets) {
      for (const [kind, measurement] of Object.entries(kinds)) {
        const before = target.server.cpuSeconds()
        const began = performance.now()
        const count = await measurement(target, began + seconds * 1000)
        if (round < 0) continue
        const name = `${target.name}, ${kind}`
        const reference = `${target.name}, kept connection`
        const row = rows.get(name) ?? { name, reference, cpuMicros: [], perSecond: [], residentMb: 0 }
        row.cpuMicros.push(((target.server.cpuSeconds() - before) / count) * 1e6)
        row.perSecond.push((count / (performance.now() - began)) * 1000)
        row.residentMb = target.server.residentMb()
        rows.set(name, row)
      }
    }
  }
  console.log(table([...rows.values()]))
  writeFileSync(
    'bench-tls.json',
    `${JSON.stringify({ node: process.version, seconds, rounds, rows: [...rows.values()] }, null, 2)}\n`,
  )
}

async function tlsTargets(servers: Servers): Promise<Target[]> {
  const product = await servers.product('gate-tls', { secure: true })
  const { ca } = product
  if (ca === undefined) throw new Error('the product has no certificate')
  const request = proxyRequest(product.host, await takeToken(product))
  const found: Target[] = [{ name: 'gate', server: product, ca, request }]
  if (!hasProgram('haproxy')) return found
  const folder = join(product.configFile, '..', '..')
  const files = ['localhost.pem', 'localhost.key'].map((name) => readFileSync(join(folder, 'tls', name), 'utf8'))
  const server = await servers.peer('haproxy-tls', async (ports) =>
    startTlsHaproxy(folder, { ...ports, pem: files.join('') }),
  )
  return [...found, { name: 'HAProxy without a check', server, ca, request }]
}

/** Each with one request, so that what a connection costs beside it is the difference to the last. */
const kinds: Readonly<Record<string, Measurement>> = {
  'full handshake': (target, until) => connections(target, until, false),
  'resumed session': (target, until) => connections(target, until, true),
  'kept connection': async ({ server, ca, request }, until) => {
    const durationMs = until - performance.now()
    const { requests, refused, sample } = await run({
      port: server.port,
      ca,
      requests: [request],
      connections: 64,
      durationMs,
    })
    if (refused > 0) throw new Error(`${refused} answers were not 2xx; the run is void\n${sample}`)
    return requests
  },
}

/** As many as come one after the other, on several at once. Throws when one is not of the kind that is measured. */
async function connections(target: Target, until: number, isResumed: boolean): Promise<number> {
  let count = 0
  const drive = async () => {
    let session = isResumed ? (await oneConnection(target, undefined)).session : undefined
    while (performance.now() < until) {
      const found = await oneConnection(target, session)
      if (found.resumed !== isResumed)
        throw new Error(`${target.name}: a session was ${isResumed ? 'not ' : ''}resumed`)
      if (isResumed) session = found.session
      count += 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, drive))
  return count
}

function oneConnection({ server, ca, request }: Target, session: Buffer | undefined) {
  return new Promise<{ resumed: boolean; session: Buffer | undefined }>((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port: server.port,
      ca,
      servername: 'localhost',
      minVersion: 'TLSv1.3' as const,
    }
    const socket = connect(session === undefined ? options : { ...options, session })
    let next = session
    socket.on('session', (ticket) => {
      next = ticket
    })
    socket.once('error', reject)
    socket.once('secureConnect', () => socket.write(request))
    socket.once('data', (bytes: Buffer) => {
      if (bytes[9] !== 0x32) reject(new Error(`the run is void\n${bytes.toString('latin1')}`))
      resolve({ resumed: socket.isSessionReused(), session: next })
      socket.destroy()
    })
  })
}
