// `npm run bench -- --streams`: what thousands of open streams, large bodies and slow clients cost one instance, and what
// an honest caller notices of them. README.md says what the rows are.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { handshakeFields } from '../../support/upstreams/web-sockets.js'
import { addListenerRoute, listenRequest } from '../mcp.js'
import { numberOption, textOption } from '../options.js'
import type { Product } from '../product.js'
import { proxyRequest, takeToken } from '../requests.js'
import { benchServers } from '../servers.js'
import { callFor, type Latency } from './honest.js'

const seconds = numberOption('seconds', 6)
const perSecond = numberOption('messages', 4_000)
/** `open`, `mcp`, `bodies` or `slow` alone. */
const part = textOption('part')
/** A checkout of another state of the product, instead of this one. */
const checkout = textOption('before')
const slowClients = numberOption('slow', 1_000)
const listening = numberOption('listening', 1_000)

/** Two descriptors a stream in one process, and some besides. */
function mostStreams(): number {
  const limit = Number(/Max open files\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 1_024)
  return Math.min(10_000, Math.floor((limit - 1_000) / 2))
}
const streams = Math.min(numberOption('open', 10_000), mostStreams())

interface Stage {
  name: string
  residentMb: number
  cpuSeconds: number
  /** How long it took. */
  seconds: number
  honest: Latency
}

const format = ({ p50, p99, longest }: Latency) => [p50, p99, longest].map((ms) => ms.toFixed(1)).join(' / ')

function note(name: string, { residentMb, cpuSeconds, seconds: took, honest }: Stage, more = ''): void {
  const share = `${((cpuSeconds / took) * 100).toFixed(0)} %`
  const figures = [residentMb.toFixed(0).padStart(8), share.padStart(6), format(honest).padStart(24)]
  console.log([name.padEnd(40), ...figures, more].join('  '))
}

/** The header fields of an ordinary call. */
function fieldsOf(gate: Product, token: string): string {
  return proxyRequest(gate.host, token).toString('latin1').split('\r\n').slice(1, -2).join('\r\n')
}

async function measured(name: string, gate: Product, request: Buffer): Promise<Stage> {
  const began = performance.now()
  const before = gate.cpuSeconds()
  const honest = await callFor(seconds * 1000, gate.port, request)
  const cpuSeconds = gate.cpuSeconds() - before
  return { name, residentMb: gate.residentMb(), cpuSeconds, seconds: (performance.now() - began) / 1000, honest }
}

interface Said {
  opened?: true
  refused?: string
  closed?: true
  heard?: number
  bytes?: number
  open?: number
}

async function ask(crowd: ChildProcess, order: object): Promise<Said> {
  const answer = once(crowd, 'message')
  crowd.send(order)
  const [said] = (await answer) as [Said]
  if (said.refused) throw new Error(`a stream was refused: ${said.refused}`)
  return said
}

const rate = (servicePort: number, kind: 'events' | 'frames', messages: number) =>
  fetch(`http://127.0.0.1:${servicePort}/-/-/rate/${kind}=${messages}`).then((answer) => answer.text())

interface OpenStreams {
  gate: Product
  servicePort: number
  crowd: ChildProcess
  /** While nothing was said. */
  idle: Stage
  request: Buffer
}

/** Prints what it costs to pass on one message. */
async function noteMessages({ gate, servicePort, crowd, idle, request }: OpenStreams, kind: 'events' | 'frames') {
  await rate(servicePort, kind, perSecond)
  const before = (await ask(crowd, { count: true })).heard ?? 0
  const busy = await measured(kind, gate, request)
  const messages = ((await ask(crowd, { count: true })).heard ?? 0) - before
  await rate(servicePort, kind, 0)
  const micros = ((busy.cpuSeconds - (idle.cpuSeconds / idle.seconds) * busy.seconds) / messages) * 1e6
  note(`${Math.round(messages / busy.seconds)} ${kind} a second`, busy, `${micros.toFixed(1)} µs a message`)
}

async function openStreams(gate: Product, servicePort: number, token: string): Promise<void> {
  const request = proxyRequest(gate.host, token)
  const crowd = fork(fileURLToPath(new URL('./crowd.js', import.meta.url)))
  const fields = fieldsOf(gate, token)
  const live = (more: string) => `GET /api/v2/live HTTP/1.1\r\n${fields}\r\n${more}\r\n`
  note('quiet', await measured('quiet', gate, request))
  for (const [kind, more] of [
    ['events', ''],
    ['frames', handshakeFields],
  ] as const) {
    const before = gate.residentMb()
    const count = Math.floor(streams / 2)
    await ask(crowd, { open: count, port: gate.port, head: live(more), kind: 'listens' })
    const silent = await measured(kind, gate, request)
    const each = ((silent.residentMb - before) * 1024) / count
    const title = kind === 'events' ? 'event streams' : 'WebSockets besides'
    note(`${count} ${title}, silent`, silent, `${each.toFixed(1)} KB each`)
  }
  const idle = await measured('idle', gate, request)
  for (const kind of ['events', 'frames'] as const) {
    await noteMessages({ gate, servicePort, crowd, idle, request }, kind)
  }
  await ask(crowd, { close: true })
  crowd.disconnect()
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  note('all of them closed', await measured('closed', gate, request))
}

/** As many event streams of a plain route as listeners of an MCP server, with the same events, twice in turn. */
async function listeners(gate: Product, servicePort: number, token: string): Promise<void> {
  const request = proxyRequest(gate.host, token)
  const plain = `GET /api/v2/live HTTP/1.1\r\n${fieldsOf(gate, token)}\r\n\r\n`
  const ofMcp = (await listenRequest(gate)).toString('latin1')
  const rows = [
    ['event streams', plain],
    ['listeners of an MCP server', ofMcp],
  ] as const
  for (const [title, head] of [...rows, ...rows]) {
    const crowd = fork(fileURLToPath(new URL('./crowd.js', import.meta.url)))
    const before = gate.residentMb()
    await ask(crowd, { open: listening, port: gate.port, head, kind: 'listens' })
    const idle = await measured('idle', gate, request)
    note(
      `${listening} ${title}, silent`,
      idle,
      `${(((idle.residentMb - before) * 1024) / listening).toFixed(1)} KB each`,
    )
    await noteMessages({ gate, servicePort, crowd, idle, request }, 'events')
    await ask(crowd, { close: true })
    crowd.disconnect()
    await new Promise((resolve) => setTimeout(resolve, 2_000))
  }
}

/** Bodies of that size, one after the other on each connection, for as long as the honest caller calls. */
async function bodies(
  gate: Product,
  token: string,
  way: 'GET' | 'PUT',
  megabytes: number,
  open: number,
): Promise<void> {
  const bytes = megabytes * 1_000_000
  const length = way === 'PUT' ? `Content-Length: ${bytes}\r\n` : ''
  const head = `${way} /api/v2/body/${bytes} HTTP/1.1\r\n${fieldsOf(gate, token)}\r\n${length}\r\n`
  const crowd = fork(fileURLToPath(new URL('./crowd.js', import.meta.url)))
  await ask(crowd, { transfer: open, port: gate.port, head, way, bytes })
  let peakMb = 0
  const watch = setInterval(() => {
    peakMb = Math.max(peakMb, gate.residentMb())
  }, 100)
  const before = (await ask(crowd, { count: true })).bytes ?? 0
  const stage = await measured(way, gate, proxyRequest(gate.host, token))
  const moved = ((await ask(crowd, { count: true })).bytes ?? 0) - before
  clearInterval(watch)
  crowd.kill()
  const micros = (stage.cpuSeconds / (moved / 1e6)) * 1e6
  const title = `${open} × ${megabytes} MB ${way === 'PUT' ? 'up' : 'down'}`
  const pace = `${(moved / 1e6 / stage.seconds).toFixed(0)} MB/s, ${micros.toFixed(0)} µs a MB`
  note(title, { ...stage, residentMb: Math.max(peakMb, stage.residentMb) }, pace)
}

async function allBodies(gate: Product, token: string): Promise<void> {
  for (const [megabytes, connections] of [
    [10, 16],
    [1_000, 2],
  ] as const) {
    for (const way of ['GET', 'PUT'] as const) await bodies(gate, token, way, megabytes, connections)
  }
}

async function slow(gate: Product, token: string): Promise<void> {
  const request = proxyRequest(gate.host, token)
  const fields = fieldsOf(gate, token)
  const crowd = fork(fileURLToPath(new URL('./crowd.js', import.meta.url)))
  const before = gate.residentMb()
  const head = `GET /api/v2/body/10000000 HTTP/1.1\r\n${fields}\r\n\r\n`
  await ask(crowd, { open: slowClients, port: gate.port, head, kind: 'slow' })
  const stage = await measured('slow', gate, request)
  const { open = 0 } = await ask(crowd, { count: true })
  const each = ((stage.residentMb - before) * 1024) / slowClients
  note(`${open} clients that read slowly`, stage, `${each.toFixed(0)} KB each`)
  await ask(crowd, { close: true })
  crowd.disconnect()
}

const servers = benchServers()
try {
  const service = await servers.reference('./streams/service.js')
  const gate = await servers.product('gate', {
    streams: { servicePort: service.port, most: streams },
    ...(checkout === undefined ? {} : { checkout }),
    // An earlier checkout may not know it.
    ...(part === 'mcp' ? { configure: addListenerRoute } : {}),
  })
  const token = await takeToken(gate)
  // Until the compiler has settled.
  await callFor(3_000, gate.port, proxyRequest(gate.host, token))
  console.log(
    ['stage'.padEnd(40), 'RSS MB'.padStart(8), 'CPU'.padStart(6), 'p50 / p99 / longest ms'.padStart(24)].join('  '),
  )
  if (part === undefined || part === 'open') await openStreams(gate, service.port, token)
  if (part === 'mcp') await listeners(gate, service.port, token)
  if (part === undefined || part === 'bodies') await allBodies(gate, token)
  if (part === undefined || part === 'slow') await slow(gate, token)
} finally {
  await servers.stop()
}
