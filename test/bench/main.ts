// `npm run bench`: reference and product in turn, CPU per request, medians and ratios. README.md says what the rows are.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureDevelopmentCertificate } from '../../src/http/development-ca.js'
import { freePort } from '../support/program.js'
import { startHaproxy } from './haproxy.js'
import { type Load, type LoadResult, run } from './load.js'
import { hasProgram, type Server, startServer } from './processes.js'
import { type Product, startProduct } from './product.js'
import { proxyRequest, takeToken, tokenRequest } from './requests.js'
import { type Row, table } from './table.js'

const option = (name: string, fallback: number) => {
  const at = process.argv.indexOf(`--${name}`)
  return at === -1 ? fallback : Number(process.argv[at + 1])
}
const seconds = option('seconds', 4)
const rounds = option('rounds', 5)
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

async function product(
  name: string,
  upstreamPort: number,
  more: { accessLog?: boolean; tls?: { certFile: string; keyFile: string } },
): Promise<Product> {
  const own = join(folder, name)
  mkdirSync(own)
  const ports = { port: await freePort(), operatorPort: await freePort() }
  const server = await startProduct({ folder: own, ...ports, upstreamPort, accessLog: false, ...more })
  running.push(server)
  return server
}

interface Target {
  row: string
  reference: string
  server: Server
  load: Omit<Load, 'durationMs'>
}

async function targets(): Promise<Target[]> {
  const upstream = await start('./upstream.js', await freePort())
  const bare = await start('./reference-proxy.js', await freePort(), upstream.port)
  const bareToken = await start('./reference-token.js', await freePort())
  const certificate = await ensureDevelopmentCertificate(join(folder, 'tls'))
  const gate = await product('gate', upstream.port, {})
  const logged = await product('logged', upstream.port, { accessLog: true })
  const tls = await product('tls', upstream.port, { tls: certificate })
  const plain = async (server: Product) => proxyRequest(server.host, await takeToken(server))
  const connections = 64
  const found: Target[] = [
    { row: 'A1', reference: 'A1', server: bare, load: { port: bare.port, connections, request: await plain(gate) } },
    { row: 'gate', reference: 'A1', server: gate, load: { port: gate.port, connections, request: await plain(gate) } },
    {
      row: 'gate + access log',
      reference: 'A1',
      server: logged,
      load: { port: logged.port, connections, request: await plain(logged) },
    },
    {
      row: 'bare token',
      reference: 'bare token',
      server: bareToken,
      load: { port: bareToken.port, connections, request: tokenRequest(gate, 'bench-secret') },
    },
    {
      row: 'token',
      reference: 'bare token',
      server: gate,
      load: { port: gate.port, connections, request: tokenRequest(gate) },
    },
  ]
  if (hasProgram('haproxy')) {
    const haproxy = await startHaproxy(folder, { upstreamPort: upstream.port, product: gate, port: await freePort() })
    running.push(haproxy)
    found.push({
      row: 'HAProxy jwt_verify ES256',
      reference: 'A1',
      server: haproxy,
      load: { port: haproxy.port, connections, request: await plain(gate) },
    })
  } else console.log('haproxy is not installed: its row is left out')
  void tls
  return found
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
  for (const target of all) await measure(target, 1500)
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
