// `npm run bench`: reference and product in turn, CPU per request, medians and ratios. README.md says what the rows
// are.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureDevelopmentCertificate } from '../../src/http/tls/development-ca.js'
import { freePort } from '../support/programs/program.js'
import { startHaproxy } from './haproxy.js'
import { type Load, type LoadResult, run } from './load.js'
import { hasProgram, type Server, startServer } from './processes.js'
import { type Product, type ProductOptions, startProduct } from './product.js'
import { proxyRequest, takeToken, tokenRequest } from './requests.js'
import { type Row, table } from './table.js'

const option = (name: string, fallback: number) => {
  const at = process.argv.indexOf(`--${name}`)
  return at === -1 ? fallback : Number(process.argv[at + 1])
}
const text = (name: string) => {
  const at = process.argv.indexOf(`--${name}`)
  return at === -1 ? undefined : process.argv[at + 1]
}
/** A checkout of another state of the product. */
const before = text('before')
const seconds = option('seconds', 4)
const rounds = option('rounds', 5)
const warmUpSeconds = option('warm-up', 6)
const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'portcullis-bench-'))
const running: Server[] = []

async function start(file: string, ...words: (string | number)[]): Promise<Server> {
  const port = Number(words[0])
  const server = await startServer([process.execPath, here(file), ...words.map(String)], port, {
    cpu: file === './upstream.js' ? 1 : 0,
  })
  running.push(server)
  return server
}

type Variant = Pick<ProductOptions, 'tls' | 'cacheEntries' | 'checkout'> & { accessLog?: boolean }

async function product(name: string, upstreamPort: number, variant: Variant = {}): Promise<Product> {
  const own = join(folder, name)
  mkdirSync(own)
  const ports = { port: await freePort(), operatorPort: await freePort() }
  const server = await startProduct({ folder: own, ...ports, upstreamPort, accessLog: false, ...variant })
  running.push(server)
  return server
}

interface Target {
  row: string
  reference: string
  server: Server
  load: Omit<Load, 'durationMs'>
}

function target(row: string, reference: string, server: Server, requests: readonly Buffer[], ca?: string): Target {
  return {
    row,
    reference,
    server,
    load: { port: server.port, connections: 64, requests, ...(ca === undefined ? {} : { ca }) },
  }
}

async function targets(): Promise<Target[]> {
  const upstream = await start('./upstream.js', await freePort())
  const bare = await start('./reference-proxy.js', await freePort(), upstream.port)
  const bareToken = await start('./reference-token.js', await freePort())
  const gate = await product('gate', upstream.port)
  const logged = await product('gate-logged', upstream.port, { accessLog: true })
  const secure = await product('gate-tls', upstream.port, {
    tls: await ensureDevelopmentCertificate(join(folder, 'tls')),
  })
  const uncached = await product('gate-uncached', upstream.port, { cacheEntries: 16 })
  const calls = async (server: Product, tokens = 1) =>
    await Promise.all(Array.from({ length: tokens }, async () => proxyRequest(server.host, await takeToken(server))))
  const earlier = before === undefined ? undefined : await product('before', upstream.port, { checkout: before })
  return [
    target('A1', 'A1', bare, await calls(gate)),
    ...(earlier === undefined ? [] : [target('gate, before', 'A1', earlier, await calls(earlier))]),
    target('gate', 'A1', gate, await calls(gate)),
    target('gate + access log', 'A1', logged, await calls(logged)),
    target('gate, TLS', 'A1', secure, await calls(secure), secure.ca),
    target('gate, first-seen token', 'A1', uncached, await calls(uncached, 512)),
    ...(await haproxyTargets(upstream.port, gate, await calls(gate))),
    target('bare token', 'bare token', bareToken, [tokenRequest(gate, 'bench-secret')]),
    ...(earlier === undefined ? [] : [target('token, before', 'bare token', earlier, [tokenRequest(earlier)])]),
    target('token', 'bare token', gate, [tokenRequest(gate)]),
  ]
}

async function haproxyTargets(upstreamPort: number, gate: Product, requests: readonly Buffer[]): Promise<Target[]> {
  if (!hasProgram('haproxy')) {
    console.log('haproxy is not installed: its row is left out')
    return []
  }
  const haproxy = await startHaproxy(folder, {
    upstreamPort,
    product: gate,
    port: await freePort(),
    token: await takeToken(gate),
  })
  running.push(haproxy)
  return [target('HAProxy jwt_verify ES256', 'A1', haproxy, requests)]
}

async function measure(target: Target, durationMs: number): Promise<{ cpuMicros: number; result: LoadResult }> {
  const before = target.server.cpuSeconds()
  const result = await run({ ...target.load, durationMs })
  if (result.refused > 0)
    throw new Error(`${target.row}: ${result.refused} answers were not 2xx; the run is void\n${result.sample}`)
  return { cpuMicros: ((target.server.cpuSeconds() - before) / result.requests) * 1e6, result }
}

async function main(): Promise<void> {
  const all = await targets()
  // Until the compiler has settled; the first seconds of every server say little.
  for (const target of all) await measure(target, warmUpSeconds * 1000)
  const rows = new Map<string, Row>(
    all.map((target) => [
      target.row,
      { name: target.row, reference: target.reference, cpuMicros: [], perSecond: [], residentMb: 0 },
    ]),
  )
  for (let round = 0; round < rounds; round++) {
    for (const target of all) {
      const { cpuMicros, result } = await measure(target, seconds * 1000)
      const row = rows.get(target.row) as Row
      row.cpuMicros.push(cpuMicros)
      row.perSecond.push(result.requests / result.seconds)
      row.residentMb = Math.max(row.residentMb, target.server.residentMb())
    }
  }
  console.log(table([...rows.values()]))
  writeFileSync(
    'bench.json',
    `${JSON.stringify({ node: process.version, seconds, rounds, rows: [...rows.values()] }, null, 2)}\n`,
  )
}

try {
  await main()
} finally {
  await Promise.all(running.map((server) => server.stop()))
  rmSync(folder, { recursive: true, force: true })
}
