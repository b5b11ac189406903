// The product as the benchmark runs it: production settings, a data folder of its own, one route to the bench upstream.

import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseDocument } from 'yaml'
import { defaultConfigFile } from '../../src/config/read/package-root.js'
import { type Server, startServer } from './processes.js'

export interface Product extends Server {
  host: string
  /** PEM that its certificate is signed with; undefined over plain HTTP. */
  ca: string | undefined
  credential: { clientId: string; clientSecret: string }
}

export interface ProductOptions {
  folder: string
  port: number
  operatorPort: number
  upstreamPort: number
  accessLog: boolean
  tls?: { certFile: string; keyFile: string; caFile: string }
  /** Verified tokens kept. */
  cacheEntries?: number
  /** Another checkout of it, built, instead of this one. */
  checkout?: string
}

const host = 'bench.example'

/** Starts it and registers an application that may call the bench route. */
export async function startProduct(options: ProductOptions): Promise<Product> {
  const { checkout } = options
  const main =
    checkout === undefined
      ? fileURLToPath(new URL('../../src/main.js', import.meta.url))
      : join(checkout, 'dist/src/main.js')
  const file = join(options.folder, 'portcullis.yaml')
  writeFileSync(file, configuration(options))
  const env = {
    PORTCULLIS_MODE: 'production',
    PORTCULLIS_BASE_URL: `https://${host}`,
    PORTCULLIS_LISTEN: `127.0.0.1:${options.port}`,
    PORTCULLIS_OPERATOR: `127.0.0.1:${options.operatorPort}`,
    PORTCULLIS_DATA: join(options.folder, 'data'),
    BENCH_MASTER_KEY: randomBytes(32).toString('base64url'),
    NODE_ENV: 'production',
  }
  const server = await startServer([process.execPath, main, 'serve', '--config', file], options.port, { cpu: 0, env })
  const cli = (...words: string[]) =>
    JSON.parse(
      execFileSync(process.execPath, [main, ...words, '--config', file, '-o', 'json'], {
        env: { ...process.env, ...env },
        encoding: 'utf8',
      }),
    )
  cli('tenant', 'create', 'Bench')
  const app = cli('app', 'create', 'bench', '--type', 'web', '--permission', 'assets_read', '--consent')
  const ca = options.tls === undefined ? undefined : readFileSync(options.tls.caFile, 'utf8')
  return { ...server, host, ca, credential: { clientId: app.applicationId, clientSecret: app.clientSecret } }
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
  document.setIn(['server', 'limits', 'perAddress'], '100000000/min')
  if (options.cacheEntries !== undefined) document.setIn(['tokens', 'cache'], options.cacheEntries)
  raiseLimits(document)
  return document.toString()
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
