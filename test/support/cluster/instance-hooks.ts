// Loaded into an instance before anything else (`node --import`), so that a test can do to it what no request can: stop
// its event loop, set its clock, throw where nobody catches, starve the thread pool, break name resolution.
// INSTANCE_HURRY makes what is done every ten minutes happen every so many milliseconds, from the start on. A command
// is a JSON object in the file that INSTANCE_HOOKS names, carried out on SIGWINCH, which the product does not listen
// for. When the instance stood still is written beside that file, a line each.

import { scrypt } from 'node:crypto'
import dns from 'node:dns'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'

export type HookCommand =
  | { do: 'block'; ms: number }
  | { do: 'clock'; offsetMs: number }
  | { do: 'throw' }
  | { do: 'reject' }
  | { do: 'starve'; jobs: number }
  | { do: 'names'; answer: 'loopback' | 'fail' | 'never' }

const file = process.env['INSTANCE_HOOKS'] ?? ''
const RealDate = Date
let offsetMs = 0
let names: 'loopback' | 'fail' | 'never' = 'loopback'

/** The wall clock only: what is measured by performance.now() goes on as it was. */
class ShiftedDate extends RealDate {
  constructor(...words: unknown[]) {
    if (words.length === 0) super(RealDate.now() + offsetMs)
    else super(...(words as [number]))
  }
  static override now(): number {
    return RealDate.now() + offsetMs
  }
}

function carryOut(command: HookCommand): void {
  switch (command.do) {
    case 'block': {
      const until = performance.now() + command.ms
      while (performance.now() < until);
      return
    }
    case 'clock':
      offsetMs = command.offsetMs
      return
    case 'throw':
      setImmediate(() => {
        throw new Error('thrown by a test where nobody catches')
      })
      return
    case 'reject':
      void Promise.reject(new Error('rejected by a test where nobody looks'))
      return
    case 'starve':
      for (let job = 0; job < command.jobs; job += 1) scrypt('x', 'salt', 64, { N: 32_768, maxmem: 1 << 27 }, () => {})
      return
    case 'names':
      names = command.answer
  }
}

/** Names under `.test` resolve to loopback, or do not: net.connect asks dns.lookup of this very object. */
function lookUp(this: unknown, name: string, ...words: unknown[]): unknown {
  if (!name.endsWith('.test')) return Reflect.apply(realLookup, this, [name, ...words])
  const done = words.at(-1) as (...answer: unknown[]) => void
  const all = (words[0] as { all?: boolean } | undefined)?.all === true
  if (names === 'never') return undefined
  if (names === 'fail') {
    const error = Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND', hostname: name })
    return setImmediate(done, error)
  }
  return setImmediate(done, null, all ? [{ address: '127.0.0.1', family: 4 }] : '127.0.0.1', 4)
}

/** The cleaner's ten minutes. */
const tenMinutesMs = 600_000

function hurry(everyMs: number): void {
  const realSetInterval = globalThis.setInterval
  const hurried = (work: (...given: unknown[]) => void, ms?: number, ...words: unknown[]) =>
    realSetInterval(work, ms === tenMinutesMs ? everyMs : ms, ...words)
  globalThis.setInterval = hurried as typeof setInterval
}

/** Shorter than what the product takes for lost time, a second. */
const standstillMs = 800

/** Writes down from when to when no timer ran, in epoch milliseconds. */
function watchStandstills(): void {
  const epochMs = () => Math.round(performance.timeOrigin + performance.now())
  let tickedMs = epochMs()
  const watch = setInterval(() => {
    const nowMs = epochMs()
    if (nowMs - tickedMs > standstillMs) appendFileSync(`${file}-standstills`, `${tickedMs} ${nowMs}\n`)
    tickedMs = nowMs
  }, 50)
  watch.unref()
}

const realLookup = dns.lookup
if (process.env['INSTANCE_HURRY'] !== undefined) hurry(Number(process.env['INSTANCE_HURRY']))
if (file !== '') {
  globalThis.Date = ShiftedDate as DateConstructor
  Object.assign(dns, { lookup: lookUp })
  watchStandstills()
  process.on('SIGWINCH', () => {
    const text = readFileSync(file, 'utf8')
    // Two signals may have become one, or the first may have found what the second was sent for.
    if (text === '') return
    writeFileSync(file, '')
    carryOut(JSON.parse(text) as HookCommand)
  })
}
