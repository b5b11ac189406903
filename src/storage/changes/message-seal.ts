// Messages of the stream as text, authenticated: somebody who can write to Redis but has no key of this deployment can
// announce no change to anybody. So Redis need not be trusted; the worst it can do is to say nothing.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { Compile } from 'typebox/compile'
import { hmacKey } from '../../oauth/secrets/hmac-key.js'
import { StreamMessage } from './change-stream.js'

export interface MessageSeal {
  /** The text of a message: base64url HMAC-SHA-256, a dot, JSON. */
  seal(message: StreamMessage): string
  /**
   * The message, when one of the keys made its seal for this stream; `unreadable` when one did and it is none that is
   * known here, with contiguous numbers.
   */
  open(text: unknown): StreamMessage | 'unreadable' | undefined
}

/** base64url of 32 bytes, and the dot. */
const PREFIX_LENGTH = 44
/** Characters; publishers stay far below. */
const LONGEST = 100_000

const validator = Compile(StreamMessage)

/**
 * Seals for the stream called `name`, so that what is authentic in one is foreign in another. Seals with the first key,
 * opens with any: keys change while instances with the old one run. Throws a RangeError without keys, or for a key of
 * less than 32 bytes.
 */
export function createMessageSeal(keys: readonly Uint8Array[], name: string): MessageSeal {
  const [sealing] = keys
  if (sealing === undefined) throw new RangeError('a stream needs a key')
  if (keys.some((key) => key.byteLength < 32)) throw new RangeError('a key of a stream has at least 32 bytes')
  const tagOf = (key: Uint8Array, json: string): Buffer =>
    createHmac('sha256', hmacKey(key)).update(`portcullis stream\0${name}\0`).update(json).digest()
  return {
    seal(message) {
      const json = JSON.stringify(message)
      return `${tagOf(sealing, json).toString('base64url')}.${json}`
    },
    open(text) {
      if (typeof text !== 'string' || text.length > LONGEST || text[PREFIX_LENGTH - 1] !== '.') return undefined
      const tag = Buffer.from(text.slice(0, PREFIX_LENGTH - 1), 'base64url')
      const json = text.slice(PREFIX_LENGTH)
      if (tag.length !== 32 || !keys.some((key) => timingSafeEqual(tag, tagOf(key, json)))) return undefined
      return readMessage(json)
    },
  }
}

/** Authentic does not mean well-formed: an older or newer program may seal what this one does not know. */
function readMessage(json: string): StreamMessage | 'unreadable' {
  let message: unknown
  try {
    message = JSON.parse(json)
  } catch {
    return 'unreadable'
  }
  if (!validator.Check(message)) return 'unreadable'
  return message.kind === 'heartbeat' || areContiguous(message.rows) ? message : 'unreadable'
}

function areContiguous(rows: readonly { seq: number }[]): boolean {
  const first = rows[0]?.seq ?? 0
  return first > 0 && rows.every((row, index) => row.seq === first + index)
}
