// `npm run bench -- --paced`: an open load of so many requests a second on each server in turn, the latencies that its
// callers see, and for the gate what its event loop stood still for.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { numberOption, textOption } from '../options.js'
import { hasProgram, type Server } from '../processes.js'
import type { Product } from '../product.js'
import { proxyRequest, takeToken } from '../requests.js'
import type { Servers } from '../servers.js'
import { aligned, type Figures, figuresOf, ms } from './figures.js'
import { type PacedResult, runPaced } from './paced-load.js'
import type { Pause } from './pauses.js'

interface PacedRow extends Figures {
  name: string
  failed: number
}

const perSecond = () => numberOption('rate', 1000)

/** Prints the table and writes `bench-paced.json`. Throws when an answer is not 200. */
export async function measurePaced(servers: Servers): Promise<void> {
  const seconds = numberOption('seconds', 300)
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-pauses-'))
  try {
    const pausesFile = join(folder, 'pauses.json')
    const gate = await watched(servers, pausesFile)
    const requests = [proxyRequest(gate.host, await takeToken(gate))]
    const rows: PacedRow[] = []
    let gateTime = { from: 0, to: 0 }
    for (const { name, server } of await targets(servers, gate)) {
      await runPaced({ ...load(server, requests), seconds: Math.min(10, seconds) })
      const from = Date.now()
      const result = await runPaced({ ...load(server, requests), seconds })
      if (server === gate) gateTime = { from, to: Date.now() }
      rows.push(rowOf(name, result))
    }
    await gate.stop()
    const pauses = readPauses(pausesFile, gateTime)
    console.log(latencyTable(rows, seconds))
    console.log(pauseTable(pauses, seconds))
    writeFileSync('bench-paced.json', `${JSON.stringify({ perSecond: perSecond(), seconds, rows, pauses }, null, 2)}\n`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function load({ port }: Server, requests: readonly Buffer[]) {
  return { port, requests, perSecond: perSecond(), mostConnections: 512 }
}

/** The product with its production settings, its log lines among them, and something in its process that looks on. */
async function watched(servers: Servers, pausesFile: string): Promise<Product> {
  const looking = fileURLToPath(new URL('./pause-watch.js', import.meta.url))
  const before = process.env['NODE_OPTIONS']
  process.env['NODE_OPTIONS'] = `--import=${looking}`
  process.env['BENCH_PAUSES'] = pausesFile
  try {
    return await servers.product('gate-paced', { accessLog: true, sheds: true })
  } finally {
    if (before === undefined) delete process.env['NODE_OPTIONS']
    else process.env['NODE_OPTIONS'] = before
    delete process.env['BENCH_PAUSES']
  }
}

async function targets(servers: Servers, gate: Product): Promise<{ name: string; server: Server }[]> {
  const upstream = await servers.upstream()
  const bare = await servers.reference('./reference-proxy.js', upstream.port)
  const found: { name: string; server: Server }[] = [
    { name: 'A1', server: bare },
    { name: 'gate', server: gate },
  ]
  if (hasProgram('haproxy')) {
    found.push({ name: 'HAProxy jwt_verify ES256', server: await servers.haproxy(gate, 'ES256') })
  }
  const program = textOption('envoy') ?? 'envoy'
  if (hasProgram(program)) {
    found.push({ name: 'Envoy jwt_authn ES256', server: await servers.envoy(gate, { program, cached: false }) })
  }
  return found
}

function rowOf(name: string, { latencies, unsent, lost }: PacedResult): PacedRow {
  const failed = [...latencies].filter(([status]) => status !== 200)
  if (failed.length > 0) throw new Error(`${name} answered ${failed.map(([status]) => status).join(', ')}`)
  return { name, ...figuresOf(latencies.get(200) ?? []), failed: unsent + lost }
}

function latencyTable(rows: readonly PacedRow[], seconds: number): string {
  const head = ['ms', 'requests', 'p50', 'p99', 'p99.9', 'longest', 'failed']
  const lines = rows.map(({ name, count, p50, p99, p999, longest, failed }) => [
    name,
    String(count),
    ...[p50, p99, p999, longest].map(ms),
    String(failed),
  ])
  return `${perSecond()} requests a second for ${seconds} s, from the time that each was due\n${aligned([head, ...lines])}\n`
}

function readPauses(file: string, time: { from: number; to: number }): Pause[] {
  if (!existsSync(file)) throw new Error('the process of the gate left nothing about its pauses')
  const all = JSON.parse(readFileSync(file, 'utf8')) as Pause[]
  return all.filter(({ from, to }) => from >= time.from && to <= time.to)
}

/** What a pause was for, in a few words. */
export function causeOf({ from, to, waitedMs, causes }: Pause): string {
  const [first] = causes
  const own = to - from - waitedMs
  if (own < 5 || waitedMs > own) return 'not running: the machine did something else'
  // What waits in between is a hint, what is short no reason.
  if (first === undefined || (!first.name.startsWith('during ') && first.ms < own / 4)) return 'requests, or unknown'
  return first.name.slice(0, 90)
}

function pauseTable(pauses: readonly Pause[], seconds: number): string {
  const byCause = new Map<string, number[]>()
  for (const pause of pauses) {
    const cause = causeOf(pause)
    byCause.set(cause, [...(byCause.get(cause) ?? []), pause.to - pause.from])
  }
  const lines = [...byCause]
    .map(([cause, lengths]) => ({ cause, count: lengths.length, longest: Math.max(...lengths) }))
    .sort((a, b) => b.longest - a.longest)
    .map(({ cause, count, longest }) => [cause, String(count), ms(longest)])
  const title = `${pauses.length} pauses of the gate's event loop over 5 ms in ${seconds} s`
  return lines.length === 0 ? title : `${title}\n${aligned([['cause', 'times', 'longest ms'], ...lines])}`
}
