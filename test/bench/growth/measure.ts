// `npm run bench -- --growth`: for each dimension a small case and a large one in turn in one run, and the ratio of what
// a call, a token, the start and a page of a list cost in them.

import { writeFileSync } from 'node:fs'
import { createLocalClient } from '../../../src/cli/calls/local-client.js'
import { run } from '../load.js'
import { numberOption, textOption } from '../options.js'
import type { Product } from '../product.js'
import { proxyRequest, takeToken, tokenRequest } from '../requests.js'
import { benchServers } from '../servers.js'
import { median } from '../table.js'
import { type Dimension, dimensions } from './dimensions.js'

/** Of one size of one dimension: CPU microseconds by round, and what was seen once. */
export interface GrowthCase {
  units: number
  gate: number[]
  token: number[]
  /** After the rounds. */
  residentMb: number
  startCpuSeconds: number
  /** CPU microseconds of a page in the first, the middle and the last tenth of a list. */
  pages?: [first: number, middle: number, last: number]
  /** Of one verification of the ledger. */
  verified?: { seconds: number; cpuSeconds: number }
}

export interface GrowthRow {
  name: string
  small: GrowthCase
  large: GrowthCase
}

interface Running {
  product: Product
  calls: readonly Buffer[]
  seen: GrowthCase
}

const pageRows = 100

/** Prints the table and writes growth.json. `--only NAMES`, `--large N`, `--seconds`, `--rounds`, `--warm-up`. */
export async function measureGrowth(): Promise<void> {
  const only = textOption('only')?.split(',')
  const chosen = dimensions.filter(({ name }) => only === undefined || only.includes(name))
  if (chosen.length === 0) throw new Error(`there are: ${dimensions.map(({ name }) => name).join(', ')}`)
  const rows: GrowthRow[] = []
  for (const dimension of chosen) {
    rows.push(await measured(dimension))
    // What was measured is not lost when a later one fails.
    const node = textOption('node') ?? process.version
    writeFileSync('growth.json', `${JSON.stringify({ node, rows }, null, 2)}\n`)
  }
  console.log(growthTable(rows))
}

async function measured(dimension: Dimension): Promise<GrowthRow> {
  const [seconds, rounds, warmUp] = [numberOption('seconds', 3), numberOption('rounds', 5), numberOption('warm-up', 5)]
  const servers = benchServers()
  try {
    const open = async (units: number): Promise<Running> => {
      const product = await servers.product(`${dimension.name}-${units}`, dimension.variant(units))
      const { startCpuSeconds } = product
      const seen: GrowthCase = { units, gate: [], token: [], residentMb: 0, startCpuSeconds }
      return { product, calls: await callsOf(dimension, units, product), seen }
    }
    const both = [await open(dimension.small), await open(numberOption('large', dimension.large))] as const
    for (const one of both) await cost(one.product, one.calls, warmUp)
    for (const one of both) await cost(one.product, [tokenRequest(one.product)], warmUp / 2)
    for (let round = 0; round < rounds; round++) {
      // The second of a round stands better or worse than the first: so each is it in turn.
      const turn = round % 2 === 0 ? both : both.toReversed()
      for (const { product, calls, seen } of turn) seen.gate.push(await cost(product, calls, seconds))
      for (const { product, seen } of turn) seen.token.push(await cost(product, [tokenRequest(product)], seconds))
    }
    for (const { product, seen } of both) seen.residentMb = product.residentMb()
    const { list } = dimension
    if (list !== undefined) for (const { product, seen } of both) seen.pages = await pagesOf(product, list)
    if (dimension.isVerified) for (const { product, seen } of both) seen.verified = await verification(product)
    return { name: dimension.name, small: both[0].seen, large: both[1].seen }
  } finally {
    await servers.stop()
  }
}

async function callsOf(dimension: Dimension, units: number, product: Product): Promise<Buffer[]> {
  const tokens: string[] = []
  for (let n = dimension.tokens?.(units) ?? 1; n > 0; n--) tokens.push(await takeToken(product))
  const routes = dimension.routes?.(units)
  const count = Math.max(tokens.length, routes ?? 0)
  return Array.from({ length: count }, (_, n) =>
    proxyRequest(product.host, tokens[n % tokens.length] ?? '', routes === undefined ? undefined : n % routes),
  )
}

/** CPU microseconds of the server for each request. */
async function cost(product: Product, requests: readonly Buffer[], seconds: number): Promise<number> {
  const before = product.cpuSeconds()
  const load = { port: product.port, connections: 16, requests, durationMs: seconds * 1000 }
  const result = await run(load)
  if (result.refused > 0) throw new Error(`${result.refused} answers were not 2xx; the run is void\n${result.sample}`)
  return ((product.cpuSeconds() - before) / result.requests) * 1e6
}

/** Reads a list to its end, and adds up the processor's time by tenths. */
async function pagesOf(product: Product, list: string): Promise<[number, number, number]> {
  const client = createLocalClient(product.socket)
  const spent: number[] = []
  let next: string | undefined = `${list}?$top=${pageRows}`
  let before = product.cpuSeconds()
  while (next !== undefined) {
    const page = (await client.call('GET', next)) as { nextLink?: string }
    const after = product.cpuSeconds()
    spent.push(after - before)
    before = after
    next = page.nextLink?.replace(/^.*\/api\/v2/, '')
  }
  const tenth = Math.max(1, Math.floor(spent.length / 10))
  const mean = (from: number) => {
    const some = spent.slice(from, from + tenth)
    return (some.reduce((sum, one) => sum + one, 0) / some.length) * 1e6
  }
  return [mean(0), mean(Math.floor((spent.length - tenth) / 2)), mean(spent.length - tenth)]
}

/** Throws Error when the ledger is not as the server would have written it. */
async function verification(product: Product): Promise<NonNullable<GrowthCase['verified']>> {
  const [before, began] = [product.cpuSeconds(), performance.now()]
  const client = createLocalClient(product.socket)
  const patience = { patienceMs: 3_600_000 }
  const found = await client.call('GET', '/auditEvents/verification', undefined, patience)
  if (!(found as { clean: boolean }).clean) throw new Error('the ledger is not whole')
  return { seconds: (performance.now() - began) / 1000, cpuSeconds: product.cpuSeconds() - before }
}

/** Large against small: of each round, the one in the middle. */
export function ratioOf(small: readonly number[], large: readonly number[]): number {
  return median(large.map((micros, round) => micros / (small[round] ?? Number.NaN)))
}

/** In Markdown. */
export function growthTable(rows: readonly GrowthRow[]): string {
  const head = [
    '| what grows | from | to | request | token | start, CPU s | memory a unit | page: first, middle, last | verified, a row |',
    '|---|---|---|---|---|---|---|---|---|',
  ]
  const lines = rows.map(({ name, small, large }) => {
    const bytes = ((large.residentMb - small.residentMb) * 1024 * 1024) / (large.units - small.units)
    const pages = large.pages?.map((micros) => `${(micros / 1000).toFixed(1)} ms`).join(', ') ?? ''
    const ratio = (kind: 'gate' | 'token') => ratioOf(small[kind], large[kind]).toFixed(2)
    const start = `${small.startCpuSeconds.toFixed(1)} → ${large.startCpuSeconds.toFixed(1)}`
    const cells = [name, grouped(small.units), grouped(large.units), ratio('gate'), ratio('token'), start]
    const eachRow = [small, large].flatMap(({ verified, units: rows }) =>
      verified === undefined ? [] : [`${((verified.seconds / rows) * 1e6).toFixed(1)} µs`],
    )
    return `| ${[...cells, bytesText(bytes), pages, eachRow.join(' → ')].join(' | ')} |`
  })
  return [...head, ...lines].join('\n')
}

function bytesText(bytes: number): string {
  if (bytes < 1) return 'below 1 byte'
  return bytes < 10_000 ? `${bytes.toFixed(0)} bytes` : `${(bytes / 1024).toFixed(0)} KB`
}

function grouped(units: number): string {
  return units.toLocaleString('en-US')
}
