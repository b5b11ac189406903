// Reads DER (X.690 §10) as far as certificates and their status need it. What is read was written by others: a length
// that does not fit is refused before anything behind it is looked at.

export interface Der {
  /** The identifier octet: class, constructed or not, number. */
  tag: number
  /** What is inside. */
  value: Buffer
  /** With identifier and length. */
  whole: Buffer
}

export const tags = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  enumerated: 0x0a,
  generalizedTime: 0x18,
  sequence: 0x30,
} as const

/** What was read is not what it should be. */
export class Malformed extends Error {
  constructor() {
    super('it is malformed')
    this.name = 'Malformed'
  }
}

/** Elements one after the other. Throws Malformed. */
export function elements(bytes: Buffer): Der[] {
  const found: Der[] = []
  for (let at = 0; at < bytes.length; ) {
    const { tag, head, length } = readHead(bytes, at)
    const end = at + head + length
    if (end > bytes.length) throw new Malformed()
    found.push({ tag, value: bytes.subarray(at + head, end), whole: bytes.subarray(at, end) })
    at = end
  }
  return found
}

/** One element in its bytes. */
export function writeDer(tag: number, ...values: readonly Buffer[]): Buffer {
  const value = Buffer.concat(values)
  const long = value.length < 0x100 ? [0x81, value.length] : [0x82, value.length >> 8, value.length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...(value.length < 0x80 ? [value.length] : long)]), value])
}

/** Lengths of up to three bytes, never of unknown length; numbers of tags that fit into the identifier. */
function readHead(bytes: Buffer, at: number): { tag: number; head: number; length: number } {
  const [tag, first] = [bytes[at], bytes[at + 1]]
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) throw new Malformed()
  if (first < 0x80) return { tag, head: 2, length: first }
  const size = first & 0x7f
  if (size === 0 || size > 3 || at + 2 + size > bytes.length) throw new Malformed()
  return { tag, head: 2 + size, length: bytes.readUIntBE(at + 2, size) }
}
