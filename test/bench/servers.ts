// The servers of one benchmark: each is started when the first row asks for it, and all are stopped at the end.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureDevelopmentCertificate } from '../../src/http/tls/development-ca.js'
import { freePort } from '../support/programs/program.js'
import { nodeProgram } from './options.js'
import { startEnvoy } from './peers/envoy.js'
import { startHaproxy } from './peers/haproxy.js'
import { publishedKey } from './peers/published-key.js'
import { type Server, startServer } from './processes.js'
import { type Product, type ProductOptions, startProduct } from './product.js'
import { takeToken } from './requests.js'

export type Algorithm = 'ES256' | 'RS256'
export type Variant = Partial<Omit<ProductOptions, 'folder' | 'port' | 'operatorPort' | 'upstreamPort'>> & {
  /** TLS with a certificate made for the run. */
  secure?: boolean
}

export interface Servers {
  upstream(): Promise<Server>
  /** One of the programs in this folder, on a core of its own: its name, and what stands behind its port. */
  reference(file: string, ...words: (string | number)[]): Promise<Server>
  /** The product, once for each name. */
  product(name: string, variant?: Variant): Promise<Product>
  /** In front of the bench upstream, with the key of the product's token. */
  haproxy(product: Product, algorithm: Algorithm): Promise<Server>
  envoy(product: Product, options: { program: string; cached: boolean }): Promise<Server>
  /** Another one in front of the bench upstream, once for each name. */
  peer(name: string, start: (ports: { upstreamPort: number; port: number }) => Promise<Server>): Promise<Server>
  /** Stops what was started, and takes its files away. */
  stop(): Promise<void>
}

/** Nothing is started yet. */
export function benchServers(): Servers {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-bench-'))
  const started = new Map<string, Promise<Server>>()
  const once = <S extends Server>(name: string, start: () => Promise<S>): Promise<S> => {
    const running = (started.get(name) as Promise<S> | undefined) ?? start()
    started.set(name, running)
    return running
  }
  const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))
  const program = async (file: string, words: readonly (string | number)[], cpu: number) => {
    const port = await freePort()
    return await startServer([nodeProgram(), here(file), String(port), ...words.map(String)], port, { cpu })
  }
  const upstream = () => once('upstream', () => program('./upstream.js', [], 1))
  return {
    upstream,
    reference: (file, ...words) => once([file, ...words].join(' '), () => program(file, words, 0)),
    product: (name, { secure, ...variant } = {}) =>
      once(name, async () => {
        const own = join(folder, name)
        mkdirSync(own)
        const ports = { port: await freePort(), operatorPort: await freePort(), upstreamPort: (await upstream()).port }
        const tls = secure === true ? { tls: await ensureDevelopmentCertificate(join(folder, 'tls')) } : {}
        return await startProduct({ folder: own, ...ports, accessLog: false, ...tls, ...variant })
      }),
    haproxy: (product, algorithm) =>
      once(`haproxy ${algorithm}`, async () => {
        const key = await publishedKey(product, await takeToken(product))
        return await startHaproxy(folder, { upstreamPort: (await upstream()).port, port: await freePort(), key })
      }),
    envoy: (product, options) =>
      once(`envoy ${product.port} ${options.cached}`, async () => {
        const token = await takeToken(product)
        const ports = { upstreamPort: (await upstream()).port, port: await freePort() }
        return await startEnvoy(folder, { ...ports, ...options, key: await publishedKey(product, token), token })
      }),
    peer: (name, start) =>
      once(name, async () => await start({ upstreamPort: (await upstream()).port, port: await freePort() })),
    async stop() {
      const running = await Promise.allSettled(started.values())
      await Promise.all(running.map(async (one) => (one.status === 'fulfilled' ? await one.value.stop() : undefined)))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
