// One Redis for all instances of a simulation: a stream, and the decision on limits. Behind the interface of a
// connection, so that the real stream, its seals and the real counters run over it. It counts commands and bytes.

import type { RedisConnection } from '../../src/storage/redis/connection.js'
import type { RedisClient } from '../../src/storage/redis/redis-client.js'
import { RedisUnavailable } from '../../src/storage/redis/redis-errors.js'
import { createDecisionModel } from './decision-model.js'
import type { Way } from './network.js'
import type { VirtualTime } from './virtual-time.js'

export const commands = ['xadd', 'xread', 'xrevrange', 'evalsha'] as const
export type Command = (typeof commands)[number]

/** What Redis was sent. */
export interface RedisCounts {
  commands: Record<Command, number>
  /** About the bytes of questions and answers on the wire. */
  bytes: number
}

export interface VirtualRedis {
  readonly counts: RedisCounts
  reset(): void
  /** What it does for one command or answer. */
  work(): Promise<void>
  /** A connection of one instance. `commandMs` absent: commands block, as those of a stream's reader. */
  connect(way: Way, commandMs?: number): RedisConnection
}

type Entry = [id: string, fields: string[]]

/** Beyond so many the oldest go. */
const MOST_ENTRIES = 2_000
/** Words of the protocol around a command, and around an entry, as measured. */
const FRAME_BYTES = { command: 130, entry: 60 }
const PROBE_MS = 100

/** Empty. `work`: what a command costs it. */
export function createVirtualRedis(time: VirtualTime, work: () => Promise<void>): VirtualRedis {
  const stream = createStream(time)
  const decide = createDecisionModel(() => time.now() * 1_000)
  let counts = noCounts()

  const note = (command: Command, bytes: number): void => {
    counts.commands[command] += 1
    counts.bytes += FRAME_BYTES.command + bytes
  }
  const answered = (entries: readonly Entry[]): void => {
    for (const [, [, text = '']] of entries) counts.bytes += FRAME_BYTES.entry + text.length
  }
  /** As the library's client answers, for what is used of it. */
  const clientOn = (way: Way) => ({
    xadd: (...words: unknown[]) =>
      way.exchange(() => {
        const text = String(words.at(-1))
        note('xadd', text.length)
        return stream.add(text)
      }),
    xrevrange: () =>
      way.exchange(() => {
        const newest = stream.newest()
        note('xrevrange', 0)
        answered(newest)
        return newest
      }),
    async xread(...words: unknown[]) {
      const entries = await way.exchange(async () => {
        note('xread', 0)
        const { entries, hasWaited } = await stream.after(String(words.at(-1)), Number(words[3]))
        if (hasWaited) await way.serverWork()
        answered(entries)
        return entries
      })
      for (const _ of entries) await way.entryWork()
      return entries.length === 0 ? null : [['', entries]]
    },
    evalsha: (_sha: string, keys: number, ...words: (string | number)[]) =>
      way.exchange(() => {
        note('evalsha', words.join(' ').length + FRAME_BYTES.command)
        return decide(words.slice(0, keys).map(String), words.slice(keys))
      }),
  })

  return {
    get counts() {
      return counts
    },
    reset() {
      counts = noCounts()
    },
    work,
    connect: (way, commandMs) => connectionOn(time, { way, commandMs, client: clientOn(way) }),
  }
}

/** Down after a command that had no answer in time, until a probe has one. */
function connectionOn(
  time: VirtualTime,
  { way, commandMs, client }: { way: Way; commandMs: number | undefined; client: unknown },
): RedisConnection {
  let isUp = true
  let drop = (): void => {}
  const probe = (): void => {
    time.after(PROBE_MS, () => {
      if (way.isCut) probe()
      else isUp = true
    })
  }
  const lose = (): void => {
    if (!isUp) return
    isUp = false
    probe()
  }
  return {
    prefix: 'simulated',
    get isUp() {
      return isUp
    },
    state: { up: true, sinceMs: 0, reason: '' },
    run: (command) =>
      new Promise((resolve, reject) => {
        if (!isUp) return reject(new RedisUnavailable('CLOSED'))
        drop = () => reject(new RedisUnavailable('CLOSED'))
        const late = () => {
          lose()
          reject(new RedisUnavailable('TIMEOUT'))
        }
        const cancel = commandMs === undefined ? () => {} : time.after(commandMs, late)
        command(client as RedisClient)
          .then(resolve, reject)
          .finally(cancel)
      }),
    reconnect() {
      lose()
      drop()
    },
    async close() {
      isUp = false
      drop()
    },
  }
}

function createStream(time: VirtualTime) {
  const entries: Entry[] = []
  const waiting = new Set<() => void>()
  let lastNumber = 0
  const newest = (): Entry[] => entries.slice(-1)
  /** Entries are in the order of their numbers, and most readers are at the end. */
  const from = (id: string): Entry[] => {
    let first = entries.length
    while (first > 0 && numberOf(entries[first - 1]?.[0] ?? '') > numberOf(id)) first -= 1
    return entries.slice(first, first + 100)
  }
  return {
    newest,
    add(text: string): string {
      lastNumber += 1
      const id = `${lastNumber}-0`
      entries.push([id, ['m', text]])
      if (entries.length > MOST_ENTRIES) entries.shift()
      for (const wake of [...waiting]) wake()
      return id
    },
    /** What came after the entry `id`; when nothing has, what comes first within `blockMs`. */
    async after(id: string, blockMs: number): Promise<{ entries: Entry[]; hasWaited: boolean }> {
      const there = from(id)
      if (there.length > 0) return { entries: there, hasWaited: false }
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          waiting.delete(wake)
          cancel()
          resolve()
        }
        const cancel = time.after(blockMs, wake)
        waiting.add(wake)
      })
      return { entries: from(id), hasWaited: true }
    },
  }
}

function numberOf(id: string): number {
  return Number(id.split('-')[0])
}

function noCounts(): RedisCounts {
  return { commands: { xadd: 0, xread: 0, xrevrange: 0, evalsha: 0 }, bytes: 0 }
}
