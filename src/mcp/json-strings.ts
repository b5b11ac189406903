// Bytes of strings in JSON (RFC 8259 §7): which of them stand for themselves, and how long an escape is.

const [quote, backslash, unicode] = [0x22, 0x5c, 0x75] as const
/** What may stand behind a backslash, but for `u` and its four digits. */
const escaped = new Set(Buffer.from('"\\/bfnrt'))

/**
 * How many bytes, from there on and in eights, are ASCII that stands for itself: a long text is most of a message.
 */
export function skipEights(view: DataView, from: number): number {
  const last = view.byteLength - 8
  let at = from
  while (at <= last && (stopBits(view.getInt32(at)) | stopBits(view.getInt32(at + 4))) === 0) at += 8
  return at - from
}

/** Of an escape that begins there; 0: it is none. */
export function escapeLength(bytes: Buffer, at: number): number {
  const kind = bytes[at + 1] ?? 0
  if (kind !== unicode) return escaped.has(kind) ? 2 : 0
  for (let i = at + 2; i < at + 6; i += 1) if (!isHexadecimal(bytes[i] ?? 0)) return 0
  return 6
}

/**
 * Not 0: one of these four bytes is below 0x20, a quote, a backslash, or not ASCII. Each sets the highest bit of a byte;
 * quote and backslash by the test for a byte of zero, of the word XORed with four of them.
 */
function stopBits(four: number): number {
  const quotes = four ^ (quote * 0x01010101)
  const backslashes = four ^ (backslash * 0x01010101)
  const quoteBits = (quotes - 0x01010101) & ~quotes
  const backslashBits = (backslashes - 0x01010101) & ~backslashes
  return (four | (four - 0x20202020) | quoteBits | backslashBits) & 0x80808080
}

function isHexadecimal(byte: number): boolean {
  const lower = byte | 0x20
  return (byte >= 0x30 && byte <= 0x39) || (lower >= 0x61 && lower <= 0x66)
}
