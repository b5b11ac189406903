// `npm run bench`: references, peers and product in turn, CPU per request, medians and ratios. README.md says what the
// rows are.

import { writeFileSync } from 'node:fs'
import { type LoadResult, run } from './load.js'
import { checkOptions, isGiven, numberOption, textOption } from './options.js'
import { type OpenRow, type PlannedRow, plannedRows } from './rows.js'
import { benchServers, type Servers } from './servers.js'
import { type Row, table } from './table.js'

checkOptions(process.argv.slice(2))
const seconds = numberOption('seconds', 4)
const rounds = numberOption('rounds', 5)
const warmUpSeconds = numberOption('warm-up', 6)
/** Rows whose names begin with one of these, and the rows that their ratios are taken to. */
const only = textOption('only')?.split(',')

function chosen(planned: readonly PlannedRow[]): PlannedRow[] {
  if (only === undefined) return [...planned]
  const named = planned.filter(({ name }) => only.some((begin) => name.startsWith(begin.trim())))
  if (named.length === 0) throw new Error(`no such row; there are: ${planned.map(({ name }) => name).join(' | ')}`)
  return planned.filter((row) => named.some(({ name, reference }) => row.name === name || row.name === reference))
}

async function measure(name: string, { server, load }: OpenRow, durationMs: number) {
  const before = server.cpuSeconds()
  const result: LoadResult = await run({ ...load, durationMs })
  if (result.refused > 0)
    throw new Error(`${name}: ${result.refused} answers were not 2xx; the run is void\n${result.sample}`)
  return { cpuMicros: ((server.cpuSeconds() - before) / result.requests) * 1e6, result }
}

async function measureRows(planned: readonly PlannedRow[]): Promise<Row[]> {
  const open: (OpenRow & { row: Row })[] = []
  for (const { name, reference, open: start } of planned) {
    const row: Row = { name, reference, cpuMicros: [], perSecond: [], residentMb: 0 }
    open.push({ ...(await start()), row })
  }
  // Until the compiler has settled; the first seconds of every server say little.
  for (const one of open) await measure(one.row.name, one, warmUpSeconds * 1000)
  for (let round = 0; round < rounds; round++) {
    for (const one of open) {
      const { cpuMicros, result } = await measure(one.row.name, one, seconds * 1000)
      one.row.cpuMicros.push(cpuMicros)
      one.row.perSecond.push(result.requests / result.seconds)
      one.row.residentMb = Math.max(one.row.residentMb, one.server.residentMb())
    }
  }
  return open.map(({ row }) => row)
}

async function measureCosts(servers: Servers): Promise<void> {
  const rows = await measureRows(chosen(plannedRows(servers)))
  console.log(table(rows))
  const node = textOption('node') ?? process.version
  writeFileSync('bench.json', `${JSON.stringify({ node, seconds, rounds, rows }, null, 2)}\n`)
}

/** What is measured instead when its option is given. */
const others: Readonly<Record<string, (servers: Servers) => Promise<void>>> = {
  paced: async (servers) => (await import('./paced/paced.js')).measurePaced(servers),
  tls: async (servers) => (await import('./tls.js')).measureTls(servers),
  start: async () => (await import('./start.js')).benchStart(rounds, seconds * 1000),
  mixed: async (servers) => (await import('./mixed/main.js')).measureMixed(servers),
  growth: async () => (await import('./growth/measure.js')).measureGrowth(),
  streams: async () => void (await import('./streams/main.js')),
  overload: async (servers) => (await import('./overload/main.js')).measureOverload(servers),
}

const servers = benchServers()
try {
  const [, measureOther] = Object.entries(others).find(([name]) => isGiven(name)) ?? []
  await (measureOther ?? measureCosts)(servers)
} finally {
  await servers.stop()
}
