// `npm run bench -- --mixed`: minutes of everything at once (calls, tokens, calls with tokens that the gate has not seen,
// revocations, refused calls, sign-in pages, people who sign in with a password, event streams, reloads), and what the
// process holds and how long callers wait over that time: both should stay flat.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { numberOption } from '../options.js'
import { revocationRequest, signInPage } from '../overload/urgent.js'
import { aligned, figuresOf, ms } from '../paced/figures.js'
import { type PacedResult, runPaced } from '../paced/paced-load.js'
import type { Product } from '../product.js'
import { proxyRequest, takeToken, tokenRequest } from '../requests.js'
import type { Servers } from '../servers.js'
import { createSignIns, type SignIns } from './sign-ins.js'
import { runStreams } from './streams.js'

interface Sample {
  /** Seconds since the begin. */
  at: number
  residentMb: number
  /** Open file descriptors. */
  handles: number
  p50: number
  p99: number
  /** Of people who sign in, from the page to their account. */
  signInP99: number
  /** Answers by kind of load and status. */
  answers: Record<string, Record<number, number>>
}

/** Requests a second of each kind. */
const rates = { calls: 300, tokens: 20, 'first-seen tokens': 20, refused: 20, pages: 5, revocations: 5 } as const
const signInsPerSecond = 2
/** Each is listened to for five seconds. */
const streamsPerSecond = 4
/** All of which the streams have between them. */
const eventsPerSecond = 100
type Kind = keyof typeof rates
const sampleSeconds = 15
/** What each kind has to be answered. */
const expected: Readonly<Record<Kind, number>> = {
  calls: 200,
  tokens: 200,
  'first-seen tokens': 200,
  refused: 401,
  pages: 200,
  revocations: 200,
}

/** Prints a line for each quarter of a minute, then the first third beside the last; writes `bench-mixed.json`. */
export async function measureMixed(servers: Servers): Promise<void> {
  const service = await servers.reference('./streams/service.js')
  const streams = { servicePort: service.port, most: 1_000 }
  const gate = await servers.product('gate-mixed', { accessLog: true, sheds: true, streams })
  await fetch(`http://127.0.0.1:${service.port}/-/-/rate/events=${eventsPerSecond}`)
  const seconds = numberOption('seconds', 600)
  const subject = { gate, token: await takeToken(gate), signIns: await createSignIns(gate) }
  const samples: Sample[] = []
  await oneSample(subject, 0)
  const startedAt = performance.now()
  while (performance.now() - startedAt < seconds * 1000) {
    const sample = await oneSample(subject, (performance.now() - startedAt) / 1000)
    samples.push(sample)
    console.log(describe(sample))
  }
  subject.signIns.close()
  console.log(flatness(samples))
  writeFileSync('bench-mixed.json', `${JSON.stringify({ seconds, rates, samples }, null, 2)}\n`)
}

interface Subject {
  gate: Product
  token: string
  signIns: SignIns
}

async function oneSample({ gate, token, signIns }: Subject, at: number): Promise<Sample> {
  const fresh = await tokens(gate, rates['first-seen tokens'] * sampleSeconds)
  const ending = await tokens(gate, rates.revocations * sampleSeconds)
  const loads = Object.entries(requestsOf(gate, token, { fresh, ending })) as [Kind, Buffer[]][]
  // The file is read again and found to be good; what it says is the same.
  writeFileSync(gate.configFile, readFileSync(gate.configFile))
  const { port, host } = gate
  const [results, signedIn, streamed] = await Promise.all([
    Promise.all(
      loads.map(async ([kind, requests]): Promise<[Kind, PacedResult]> => {
        const load = { port, requests, perSecond: rates[kind], seconds: sampleSeconds, mostConnections: 64 }
        return [kind, await runPaced(load)]
      }),
    ),
    signIns.run(signInsPerSecond, sampleSeconds),
    runStreams({ port, host, token, perSecond: streamsPerSecond, seconds: sampleSeconds }),
  ])
  const all = Object.fromEntries(results) as Record<Kind, PacedResult>
  const { p50, p99 } = figuresOf(all.calls.latencies.get(200) ?? [])
  const answers: Sample['answers'] = {
    ...Object.fromEntries(results.map(([kind, { latencies }]) => [kind, counted(latencies)])),
    'sign-ins': { 200: signedIn.right, ...(signedIn.wrong > 0 && { 0: signedIn.wrong }) },
    streams: { 200: streamed.right, ...(streamed.wrong > 0 && { 0: streamed.wrong }) },
  }
  const handles = readdirSync(`/proc/${gate.child.pid as number}/fd`).length
  return { at, residentMb: gate.residentMb(), handles, p50, p99, signInP99: signedIn.p99, answers }
}

function counted(latencies: PacedResult['latencies']): Record<number, number> {
  return Object.fromEntries([...latencies].map(([status, list]) => [status, list.length]))
}

async function tokens(gate: Product, count: number): Promise<string[]> {
  const taken: string[] = []
  while (taken.length < count) {
    taken.push(
      ...(await Promise.all(Array.from({ length: Math.min(20, count - taken.length) }, () => takeToken(gate)))),
    )
  }
  return taken
}

function requestsOf(
  gate: Product,
  token: string,
  { fresh, ending }: Record<'fresh' | 'ending', readonly string[]>,
): Record<Kind, Buffer[]> {
  return {
    calls: [proxyRequest(gate.host, token)],
    tokens: [tokenRequest(gate)],
    'first-seen tokens': fresh.map((one) => proxyRequest(gate.host, one)),
    refused: forged(gate, token),
    pages: [signInPage(gate)],
    revocations: ending.map((one) => revocationRequest(gate, one)),
  }
}

/** From 200 addresses: of one, so many would soon be refused before they are looked at. */
function forged({ host }: Product, token: string): Buffer[] {
  const text = proxyRequest(host, `${token.slice(0, -8)}AAAAAAAA`).toString('latin1')
  return Array.from({ length: 200 }, (_, i) => Buffer.from(text.replace('192.0.2.7', `198.51.100.${i}`)))
}

function describe({ at, residentMb, handles, p50, p99, signInP99, answers }: Sample): string {
  const others = Object.entries(answers).flatMap(([kind, statuses]) =>
    Object.entries(statuses)
      .filter(([status]) => Number(status) !== (expected[kind as Kind] ?? 200))
      .map(([status, count]) => `${count} ${kind} ${status}`),
  )
  const figures = `${residentMb.toFixed(0)} MB, ${handles} descriptors, calls p50 ${ms(p50)} ms, p99 ${ms(p99)} ms, sign-ins p99 ${ms(signInP99)} ms`
  return `${at.toFixed(0).padStart(4)} s  ${figures}${others.length === 0 ? '' : `; ${others.join(', ')}`}`
}

/** Medians of the first and of the last third. */
function flatness(samples: readonly Sample[]): string {
  const third = Math.max(1, Math.floor(samples.length / 3))
  const line = (name: string, part: readonly Sample[]) => {
    const median = (of: (sample: Sample) => number) => figuresOf(part.map(of)).p50
    return [
      name,
      median((one) => one.residentMb).toFixed(0),
      String(median((one) => one.handles)),
      ms(median((one) => one.p99)),
      ms(median((one) => one.signInP99)),
    ]
  }
  const rows = [line('first third', samples.slice(0, third)), line('last third', samples.slice(-third))]
  return aligned([['medians', 'MB', 'descriptors', 'p99 ms', 'sign-ins p99 ms'], ...rows])
}
