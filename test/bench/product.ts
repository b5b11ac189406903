// The product as the benchmark runs it: production settings, a data folder of its own, one route to the bench upstream.

import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Document, parseDocument } from 'yaml'
import { defaultConfigFile } from '../../src/config/read/package-root.js'
import { nodeProgram } from './options.js'
import { type Server, startServer } from './processes.js'

export interface Product extends Server {
  /** CPU seconds of its last start. */
  startCpuSeconds: number
  /** Where the command line speaks to it. */
  socket: string
  host: string
  /** PEM that its certificate is signed with; undefined over plain HTTP. */
  ca: string | undefined
  credential: { clientId: string; clientSecret: string }
  operatorPort: number
  configFile: string
}

export interface StreamsOptions {
  servicePort: number
  /** Streams at once. */
  most: number
}

export interface ProductOptions {
  folder: string
  port: number
  operatorPort: number
  upstreamPort: number
  accessLog: boolean
  tls?: { certFile: string; keyFile: string; caFile: string }
  /** Routes to a service that streams (streams/service.ts). */
  streams?: StreamsOptions
  /** What its access tokens are signed with; ES256 when it is left out. */
  algorithm?: 'ES256' | 'RS256'
  /** It refuses what would wait for longer than by default: else a row at full load could be void. */
  sheds?: boolean
  /** Verified tokens kept. */
  cacheEntries?: number
  /** Another checkout of it, built, instead of this one. */
  checkout?: string
  /** How to run it, in front of `serve`; absent: what `npm run bench` has built. */
  program?: readonly string[]
  /** Has the last word on the configuration. */
  configure?: (document: Document) => void
  /** Routes to the bench upstream beside the one; 0 when it is left out. */
  routes?: number
  /** Fills the database while nothing runs on it; the product is started again behind it. */
  populate?: (database: string, masterKey: Uint8Array) => void
}

const host = 'bench.example'
const wait = ['server', 'limits', 'wait']

/** Starts it and registers an application that may call the bench route. */
export async function startProduct(options: ProductOptions): Promise<Product> {
  const program = options.program ?? builtProgram(options)
  const file = join(options.folder, 'portcullis.yaml')
  writeFileSync(file, configuration(options))
  const masterKey = randomBytes(32)
  const env = {
    PORTCULLIS_MODE: 'production',
    PORTCULLIS_BASE_URL: `https://${host}`,
    PORTCULLIS_LISTEN: `127.0.0.1:${options.port}`,
    PORTCULLIS_OPERATOR: `127.0.0.1:${options.operatorPort}`,
    PORTCULLIS_DATA: join(options.folder, 'data'),
    BENCH_MASTER_KEY: masterKey.toString('base64url'),
    NODE_ENV: 'production',
  }
  const start = () => startServer([...program, 'serve', '--config', file], options.port, { cpu: 0, env })
  let server = await start()
  try {
    const { operatorPort } = options
    const own = registered(options, { program, more: ['--config', file, '-o', 'json'] }, env)
    if (options.populate !== undefined) {
      await server.stop()
      options.populate(join(options.folder, 'data', 'portcullis.db'), masterKey)
      server = await start()
    }
    const socket = join(options.folder, 'data', 'admin.sock')
    return { ...server, ...own, operatorPort, configFile: file, startCpuSeconds: server.cpuSeconds(), socket }
  } catch (error) {
    await server.stop()
    throw error
  }
}

function builtProgram({ checkout }: ProductOptions): string[] {
  const here = () => fileURLToPath(new URL('../../src/main.js', import.meta.url))
  return [nodeProgram(), checkout === undefined ? here() : join(checkout, 'dist/src/main.js')]
}

interface CommandLine {
  program: readonly string[]
  more: readonly string[]
}

/** An application that may call the bench route, and what else a caller has to know. */
function registered({ tls }: ProductOptions, { program, more }: CommandLine, env: NodeJS.ProcessEnv) {
  const [node = '', ...main] = program
  const cli = (...words: string[]) =>
    JSON.parse(execFileSync(node, [...main, ...words, ...more], { env: { ...process.env, ...env }, encoding: 'utf8' }))
  cli('tenant', 'create', 'Bench')
  const app = cli('app', 'create', 'bench', '--type', 'web', '--permission', 'assets_read', '--consent')
  const ca = tls === undefined ? undefined : readFileSync(tls.caFile, 'utf8')
  return { host, ca, credential: { clientId: app.applicationId, clientSecret: app.clientSecret } }
}

function configuration(options: ProductOptions): string {
  const document = parseDocument(readFileSync(shippedFile(options), 'utf8'))
  document.setIn(['secrets', 'masterKeys'], ['${' + 'BENCH_MASTER_KEY}'])
  document.setIn(
    ['server', 'tls'],
    options.tls === undefined ? 'off' : { cert: `file:${options.tls.certFile}`, key: `file:${options.tls.keyFile}` },
  )
  document.setIn(['server', 'trustedProxies'], ['127.0.0.1/32'])
  document.setIn(['log', 'access'], options.accessLog)
  document.setIn(['upstreams', 'bench'], { target: `http://127.0.0.1:${options.upstreamPort}` })
  document.setIn(['routes', 'GET /api/v2/bench/{id}'], { to: 'bench', require: 'assets_read' })
  for (let n = 0; n < (options.routes ?? 0); n++) {
    document.setIn(['routes', `GET /api/v2/bench-${n}/{id}`], { to: 'bench', require: 'assets_read' })
  }
  document.setIn(['server', 'limits', 'perAddress'], '100000000/min')
  // An earlier checkout may not know it.
  if (options.sheds !== true && document.hasIn(wait)) document.setIn(wait, '1s')
  if (options.algorithm !== undefined) document.setIn(['tokens', 'algorithm'], options.algorithm)
  if (options.cacheEntries !== undefined) document.setIn(['tokens', 'cache'], options.cacheEntries)
  if (options.streams !== undefined) allowStreams(document, options.streams)
  raiseLimits(document)
  options.configure?.(document)
  return document.toString()
}

/** Every client is one caller here, so what bounds one bounds nobody. */
function allowStreams(document: ReturnType<typeof parseDocument>, { servicePort, most }: StreamsOptions): void {
  document.setIn(['server', 'limits', 'connections'], 3 * most)
  document.setIn(['server', 'limits', 'perCaller'], 3 * most)
  const service = { target: `http://127.0.0.1:${servicePort}`, share: '100%', connections: 2_000, maxStreams: most }
  document.setIn(['upstreams', 'service'], document.createNode(service))
  const route = { to: 'service', require: 'assets_read' }
  document.setIn(['routes', 'GET /api/v2/live'], { ...route, stream: true })
  document.setIn(['routes', 'GET /api/v2/body/{bytes}'], route)
  document.setIn(['routes', 'PUT /api/v2/body/{bytes}'], { ...route, body: '2GiB' })
}

function shippedFile({ checkout }: ProductOptions): string {
  return checkout === undefined ? defaultConfigFile() : join(checkout, 'config/portcullis.yaml')
}

/** The same policies decide, only their numbers are out of reach. */
function raiseLimits(document: ReturnType<typeof parseDocument>): void {
  const policies = document.toJS().limits as Record<string, { rate?: string; quota?: string }>
  for (const [name, policy] of Object.entries(policies)) {
    if (policy.rate !== undefined) document.setIn(['limits', name, 'rate'], '1000000/s')
    if (policy.rate !== undefined) document.setIn(['limits', name, 'burst'], 1_000_000)
    if (policy.quota !== undefined) document.setIn(['limits', name, 'quota'], '1000000000/day')
  }
}
