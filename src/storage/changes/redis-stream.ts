// The stream on Redis: one key `{<prefix>}:changes`, of type stream, whose entries have one field `m`: a sealed message
// (message-seal.ts). It holds the last 2,000 or so entries for as long as Redis lives; nothing depends on their being
// there, because every instance reads the Store after each interruption. Entries are secret-free: numbers and
// identifiers.

import type { RedisConnection } from '../redis/connection.js'
import { within } from '../redis/deadline.js'
import type { RedisClient } from '../redis/redis-client.js'
import { RedisUnavailable } from '../redis/redis-errors.js'
import type { ChangeStream, EntryMark, StreamListener } from './change-stream.js'
import { createMessageSeal, type MessageSeal } from './message-seal.js'
import { processTimers, type Timers } from './timers.js'

export interface RedisStreamOptions {
  /** Opened for `publish`: commands have a deadline. */
  publisher: RedisConnection
  /** Opened for `stream`: it blocks in XREAD, and nothing else may use it. */
  reader: RedisConnection
  /** 32 bytes that all instances derive from the master key; entries are sealed with it. */
  key: Uint8Array
  /** Keys of before that other instances may still seal with. */
  olderKeys?: readonly Uint8Array[]
  /** Hears of each interruption, once. */
  onError?: (error: unknown) => void
  /** Absent: the process's. */
  timers?: Timers
}

type Entry = [id: string, fields: string[]]

const FIELD = 'm'
/** With messages of at most 30,000 characters and an approximate bound, 100 MB at the very worst. */
const MOST_ENTRIES = 2_000
const BATCH = 100
/** How long XREAD waits at the server for something to come. */
const BLOCK_MS = 1_000
/** Characters of a text by which it differs from every other. */
const SEAL_LENGTH = 43
/** Beyond which a blocked read is given up: under SIGSTOP of Redis it would never settle, and TCP says nothing (F2). */
const SILENCE_MS = 2_000
const RETRY_MS = 50
const LONGEST_RETRY_MS = 1_000

/** A stream over two connections, which it closes when it is stopped. Throws a RangeError for a short key. */
export function createRedisStream(options: RedisStreamOptions): ChangeStream {
  const { publisher, onError = () => {}, timers = processTimers } = options
  const name = `{${publisher.prefix}}:changes`
  const seal = createMessageSeal([options.key, ...(options.olderKeys ?? [])], name)
  const reading = new AbortController()
  let ended: Promise<void> = Promise.resolve()

  return {
    begin(listener) {
      ended = readOn({ reader: options.reader, name, seal, listener, onError, timers, signal: reading.signal })
    },
    async publish(message) {
      const text = seal.seal(message)
      await publisher.run((client) => client.xadd(name, 'MAXLEN', '~', MOST_ENTRIES, '*', FIELD, text))
    },
    async newest() {
      return markOf((await publisher.run((client) => newestEntry(client, name)))[0])
    },
    async stop() {
      reading.abort()
      await Promise.all([options.reader.close(), publisher.close()])
      await ended
    },
  }
}

interface Reading {
  reader: RedisConnection
  name: string
  seal: MessageSeal
  listener: StreamListener
  onError: (error: unknown) => void
  timers: Timers
  signal: AbortSignal
}

/** Joins, reads until something fails, and joins again, sooner at first. */
async function readOn(reading: Reading): Promise<void> {
  const { listener, signal } = reading
  let failures = 0
  while (!signal.aborted) {
    let isJoined = false
    try {
      const end = await newest(reading)
      isJoined = true
      listener.joined(markOf(end))
      await readFrom(idOf(end), reading, () => {
        failures = 0
      })
    } catch (error) {
      // While Redis is away each attempt fails alike: one report is enough.
      if (!signal.aborted && (isJoined || failures === 0)) reading.onError(error)
    }
    if (isJoined) listener.lost()
    const waitMs = Math.min(LONGEST_RETRY_MS, RETRY_MS * 2 ** Math.min(failures, 10))
    failures += 1
    await pause(reading, waitMs)
  }
}

/** Until then, or until the stream is stopped. */
function pause({ timers, signal }: Reading, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      cancel()
      signal.removeEventListener('abort', over)
      resolve()
    }
    const cancel = timers.after(ms, over)
    if (signal.aborted) over()
    else signal.addEventListener('abort', over)
  })
}

async function readFrom(end: string, reading: Reading, onAnswer: () => void): Promise<void> {
  const { name } = reading
  let lastId = end
  while (!reading.signal.aborted) {
    const from = lastId
    const answer = await watched(reading, (client) =>
      client.xread('COUNT', BATCH, 'BLOCK', BLOCK_MS, 'STREAMS', name, from),
    )
    onAnswer()
    const entries = (answer?.[0]?.[1] ?? []) as Entry[]
    // Somebody emptied it: new entries may have identifiers below ours, and would never be shown to us.
    if (entries.length === 0 && isBefore(idOf(await newest(reading)), lastId)) throw new Error('the stream began anew')
    for (const entry of entries) {
      lastId = entry[0]
      await deliver(entry[1], reading)
      reading.listener.passed(markOf(entry))
    }
  }
}

async function deliver(fields: readonly string[], { seal, listener }: Reading): Promise<void> {
  const message = fields.length === 2 && fields[0] === FIELD ? seal.open(fields[1]) : undefined
  if (message === undefined) listener.unknown()
  else if (message === 'unreadable') listener.unreadable()
  else await listener.message(message)
}

async function newest(reading: Reading): Promise<Entry | undefined> {
  return (await watched(reading, (client) => newestEntry(client, reading.name)))[0]
}

function newestEntry(client: RedisClient, name: string): Promise<Entry[]> {
  return client.xrevrange(name, '+', '-', 'COUNT', 1)
}

function idOf(entry: Entry | undefined): string {
  return entry?.[0] ?? '0-0'
}

/** A place alone may be taken twice, after a failover: the seal at the beginning of the text is there only once. */
function markOf(entry: Entry | undefined): EntryMark {
  return entry === undefined ? '' : `${entry[0]} ${entry[1][1]?.slice(0, SEAL_LENGTH) ?? ''}`
}

/** A command that is given up when nothing comes: then the connection is made anew. Others fail by themselves. */
async function watched<T>({ reader, timers }: Reading, command: (client: RedisClient) => Promise<T>): Promise<T> {
  try {
    return await within(reader.run(command), BLOCK_MS + SILENCE_MS, timers)
  } catch (error) {
    if (error instanceof RedisUnavailable && error.reason === 'TIMEOUT') reader.reconnect()
    throw error
  }
}

/** Identifiers are `<milliseconds>-<number>`. */
function isBefore(id: string, other: string): boolean {
  const [ms = 0, number = 0] = id.split('-').map(Number)
  const [otherMs = 0, otherNumber = 0] = other.split('-').map(Number)
  return ms < otherMs || (ms === otherMs && number < otherNumber)
}
