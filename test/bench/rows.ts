// The rows of the table: which server each asks, with which requests, and which row its ratio is taken to.

import type { Load } from './load.js'
import { mcpRows } from './mcp.js'
import { textOption } from './options.js'
import { hasProgram, type Server } from './processes.js'
import type { Product } from './product.js'
import { credentialsRequest, proxyRequest, takeToken, tokenRequest } from './requests.js'
import type { Algorithm, Servers } from './servers.js'

export interface PlannedRow {
  name: string
  /** The row that its ratio is taken to. */
  reference: string
  /** Starts the servers that are still missing. */
  open(): Promise<OpenRow>
}

export interface OpenRow {
  server: Server
  load: Omit<Load, 'durationMs'>
}

/** All rows that the installed programs allow; it says which ones they do not. */
export function plannedRows(servers: Servers): PlannedRow[] {
  const gate = () => servers.product('gate')
  const rsa = () => servers.product('gate-rs256', { algorithm: 'RS256' })
  const gateRow = (name: string, product: () => Promise<Product>, tokens = 1): PlannedRow => ({
    name,
    reference: 'A1',
    open: async () => toProduct(await product(), tokens),
  })
  const before = textOption('before')
  const earlier = (name: string, product: () => Promise<Product>) =>
    before === undefined ? [] : [gateRow(name, product)]
  return [
    {
      name: 'A1',
      reference: 'A1',
      open: async () => {
        const server = await servers.reference('./reference-proxy.js', (await servers.upstream()).port)
        return toPeer(server, await gate())
      },
    },
    {
      name: 'bare route',
      reference: 'A1',
      open: async () => {
        const server = await servers.reference('./reference-route.js', (await servers.upstream()).port)
        return toPeer(server, await gate())
      },
    },
    ...earlier('gate, before', () => servers.product('before', { checkout: before ?? '' })),
    gateRow('gate', gate),
    ...earlier('gate + access log, before', () =>
      servers.product('before-logged', { checkout: before ?? '', accessLog: true }),
    ),
    gateRow('gate + access log', () => servers.product('gate-logged', { accessLog: true })),
    gateRow('gate, TLS', () => servers.product('gate-tls', { secure: true })),
    gateRow('gate, first-seen token ES256', () => servers.product('gate-uncached', { cacheEntries: 16 }), 512),
    gateRow(
      'gate, first-seen token RS256',
      () => servers.product('gate-uncached-rs256', { cacheEntries: 16, algorithm: 'RS256' }),
      512,
    ),
    ...mcpRows(servers),
    ...haproxyRows(servers, { ES256: gate, RS256: rsa }),
    ...envoyRows(servers, { ES256: gate, RS256: rsa }),
    ...tokenRows(servers, { ES256: gate, RS256: rsa }, before),
  ]
}

type Products = Record<Algorithm, () => Promise<Product>>

async function toProduct(server: Product, tokens: number): Promise<OpenRow> {
  const requests = await Promise.all(
    Array.from({ length: tokens }, async () => proxyRequest(server.host, await takeToken(server))),
  )
  return { server, load: loadOf(server, requests, server.ca) }
}

/** The peer gets the requests of the product. */
async function toPeer(server: Server, product: Product): Promise<OpenRow> {
  return { server, load: loadOf(server, [proxyRequest(product.host, await takeToken(product))]) }
}

function loadOf({ port }: Server, requests: readonly Buffer[], ca?: string): Omit<Load, 'durationMs'> {
  return { port, connections: 64, requests, ...(ca === undefined ? {} : { ca }) }
}

function haproxyRows(servers: Servers, products: Products): PlannedRow[] {
  if (!hasProgram('haproxy')) {
    console.log('haproxy is not installed: its rows are left out')
    return []
  }
  return (['RS256', 'ES256'] as const).map((algorithm) => ({
    name: `HAProxy jwt_verify ${algorithm}`,
    reference: 'A1',
    open: async () => {
      const product = await products[algorithm]()
      return await toPeer(await servers.haproxy(product, algorithm), product)
    },
  }))
}

function envoyRows(servers: Servers, products: Products): PlannedRow[] {
  const program = textOption('envoy') ?? 'envoy'
  if (!hasProgram(program)) {
    console.log('envoy is not installed, and --envoy names no program: its rows are left out')
    return []
  }
  const row = (algorithm: Algorithm, cached: boolean): PlannedRow => ({
    name: `Envoy jwt_authn ${algorithm}${cached ? ', its cache' : ''}`,
    reference: 'A1',
    open: async () => {
      const product = await products[algorithm]()
      return await toPeer(await servers.envoy(product, { program, cached }), product)
    },
  })
  return [row('RS256', false), row('ES256', false), row('ES256', true)]
}

function tokenRows(servers: Servers, products: Products, before: string | undefined): PlannedRow[] {
  const bare = 'bare token'
  const product = (name: string, open: () => Promise<Product>): PlannedRow => ({
    name,
    reference: bare,
    open: async () => {
      const server = await open()
      return { server, load: loadOf(server, [tokenRequest(server)], server.ca) }
    },
  })
  const peer = (name: string, path: string, open: () => Promise<Server>): PlannedRow => ({
    name,
    reference: bare,
    open: async () => {
      const to = { path, host: 'bench.test', clientId: 'bench', clientSecret: 'bench-secret' }
      const server = await open()
      return { server, load: loadOf(server, [credentialsRequest(to)]) }
    },
  })
  const provider = (algorithm: Algorithm) =>
    peer(`oidc-provider token ${algorithm}`, '/token', () => servers.reference('./peers/oidc-provider.js', algorithm))
  return [
    peer(bare, '/api/v2/oauth2/v2.0/token', () => servers.reference('./reference-token.js')),
    ...(before === undefined
      ? []
      : [product('token ES256, before', () => servers.product('before', { checkout: before }))]),
    product('token ES256', products.ES256),
    provider('ES256'),
    product('token RS256', products.RS256),
    provider('RS256'),
  ]
}
