// Request-ids: random GUIDs (RFC 9562 §5.4), cut out of a text of several that is made at once. Putting each together by
// itself costs more than all else that is done for one, and makes a text of a dozen pieces.

import { randomFillSync } from 'node:crypto'

/** Of one text, which is kept for as long as somebody remembers one of them. */
const idsAtOnce = 16
const idLength = 36

const random = Buffer.allocUnsafeSlow(16 * 256)
let used = random.length
const letters = Buffer.allocUnsafeSlow(idLength * idsAtOnce)
const digits = Buffer.from('0123456789abcdef')
const hyphen = 0x2d

let text = ''
let at = 0

/** Another one, in lower case. */
export function newRequestId(): string {
  if (at === text.length) {
    text = severalIds()
    at = 0
  }
  const id = text.slice(at, at + idLength)
  at += idLength
  return id
}

function severalIds(): string {
  if (used === random.length) {
    randomFillSync(random)
    used = 0
  }
  let to = 0
  for (let id = 0; id < idsAtOnce; id += 1) {
    for (let i = 0; i < 16; i += 1) {
      if (i === 4 || i === 6 || i === 8 || i === 10) {
        letters[to] = hyphen
        to += 1
      }
      const byte = marked(random[used] as number, i)
      used += 1
      letters[to] = digits[byte >> 4] as number
      letters[to + 1] = digits[byte & 0xf] as number
      to += 2
    }
  }
  return letters.toString('latin1')
}

/** With the bits that say version and variant. */
function marked(byte: number, index: number): number {
  if (index === 6) return (byte & 0x0f) | 0x40
  return index === 8 ? (byte & 0x3f) | 0x80 : byte
}
