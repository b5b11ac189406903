// A stream in this process, for what is hard to make a real one do: entries that come late, in another order, twice, or
// from an untrusted party. What is delivered has been sealed and opened, as on the real one.

import type { ChangeStream, StreamListener } from '../../../src/storage/changes/change-stream.js'
import { createMessageSeal } from '../../../src/storage/changes/message-seal.js'

export interface StreamHub {
  /** One instance's end of the stream; `key` is its own when it is an untrusted party. */
  connect(key?: Uint8Array): HubStream
  /** Delivers this text to every reader, as anybody could who can write to Redis. */
  inject(text: string): Promise<void>
  /** Everything published so far. */
  readonly entries: readonly string[]
  /** While true nothing is delivered; then everything, in the order that `reorder` gives it. */
  hold(isHeld: boolean, reorder?: (entries: string[]) => string[]): Promise<void>
}

export interface HubStream extends ChangeStream {
  /** Cut off: publishing fails and reading is lost; both come back with `false`. */
  cut(isCut: boolean): void
  /** Nothing is acknowledged, though it is delivered. */
  mute(isMute: boolean): void
}

const hubKey = new Uint8Array(32).fill(7)

/** A stream that nobody reads yet. */
export function createStreamHub(): StreamHub {
  const readers = new Set<(text: string) => Promise<void>>()
  const entries: string[] = []
  const held: string[] = []
  let isHeld = false
  let last: Promise<void> = Promise.resolve()

  const inject = (text: string): Promise<void> => {
    last = last.then(async () => {
      for (const read of readers) await read(text)
    })
    return last
  }
  const put = (text: string): void => {
    entries.push(text)
    if (isHeld) held.push(text)
    else void inject(text)
  }
  return {
    entries,
    inject,
    connect: (key = hubKey) => connect({ key, readers, put, newest: () => entries.at(-1) ?? '' }),
    async hold(hold, reorder = (texts) => texts) {
      isHeld = hold
      if (!hold) for (const text of reorder(held.splice(0))) await inject(text)
    },
  }
}

function connect(hub: {
  key: Uint8Array
  readers: Set<(text: string) => Promise<void>>
  put: (text: string) => void
  newest: () => string
}): HubStream {
  const seal = createMessageSeal([hub.key], 'hub')
  let listener: StreamListener | undefined
  let isCut = false
  let isMute = false
  const read = async (text: string): Promise<void> => {
    const message = seal.open(text)
    if (message === undefined) listener?.unknown()
    else if (message === 'unreadable') listener?.unreadable()
    else await listener?.message(message)
    listener?.passed(text)
  }
  const join = (): void => {
    if (listener === undefined) return
    hub.readers.add(read)
    listener.joined(hub.newest())
  }
  return {
    begin(given) {
      listener = given
      if (!isCut) join()
    },
    async publish(message) {
      if (isCut) throw new Error('the stream is cut off')
      hub.put(seal.seal(message))
      if (isMute) throw new Error('the stream did not answer')
    },
    async newest() {
      if (isCut) throw new Error('the stream is cut off')
      return hub.newest()
    },
    cut(cut) {
      isCut = cut
      hub.readers.delete(read)
      if (cut) listener?.lost()
      else join()
    },
    mute(mute) {
      isMute = mute
    },
    async stop() {
      hub.readers.delete(read)
    },
  }
}
