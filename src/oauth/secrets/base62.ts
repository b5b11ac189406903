// Base62 (digits, upper case, lower case): what secrets and public keys are written in, so that nothing in them needs
// percent-encoding, quoting in a shell, or a second click to select.

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/**
 * The bytes as one big-endian number in base62, padded with zeros on the left to `length` characters.
 * Throws a RangeError when the number needs more.
 */
export function encodeBase62(bytes: Uint8Array, length: number): string {
  const number = Buffer.from(bytes)
  const text = number.byteLength <= 6 ? smallNumber(number) : largeNumber(number)
  if (text.length > length) throw new RangeError(`the number does not fit into ${length} base62 characters`)
  return text.padStart(length, '0')
}

/** What fits a number of JavaScript costs a hundredth: the checksum of a secret is computed at each request. */
function smallNumber(bytes: Buffer): string {
  let text = ''
  const number = bytes.byteLength === 0 ? 0 : bytes.readUIntBE(0, bytes.byteLength)
  for (let rest = number; rest > 0; rest = Math.floor(rest / 62)) text = alphabet.charAt(rest % 62) + text
  return text
}

function largeNumber(bytes: Buffer): string {
  let text = ''
  for (let rest = BigInt(`0x${bytes.toString('hex')}`); rest > 0n; rest /= 62n) {
    text = alphabet.charAt(Number(rest % 62n)) + text
  }
  return text
}

/** The number that `text` is, as `length` big-endian bytes; undefined when it is no base62, or does not fit. */
export function decodeBase62(text: string, length: number): Buffer | undefined {
  let number = 0n
  for (const character of text) {
    const digit = alphabet.indexOf(character)
    if (digit === -1) return undefined
    number = number * 62n + BigInt(digit)
  }
  const hex = number.toString(16).padStart(2 * length, '0')
  return hex.length > 2 * length ? undefined : Buffer.from(hex, 'hex')
}

/** Bytes that are written together in `encodeBase62Blocks`, and the characters that they take. */
const blockBytes = 32
const blockLength = lengthOf(blockBytes)

/**
 * The bytes in base62, block after block: as long as it has to be, for texts of any length. `decodeBase62Blocks` reads
 * it.
 */
export function encodeBase62Blocks(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.byteLength; at += blockBytes) {
    const block = bytes.subarray(at, at + blockBytes)
    text += encodeBase62(block, lengthOf(block.byteLength))
  }
  return text
}

/** What `encodeBase62Blocks` wrote; undefined for anything that it does not write. */
export function decodeBase62Blocks(text: string): Buffer | undefined {
  const blocks: Buffer[] = []
  for (let at = 0; at < text.length; at += blockLength) {
    const part = text.slice(at, at + blockLength)
    const size = Math.floor((part.length * Math.log2(62)) / 8)
    const block = lengthOf(size) === part.length ? decodeBase62(part, size) : undefined
    if (block === undefined) return undefined
    blocks.push(block)
  }
  return Buffer.concat(blocks)
}

function lengthOf(size: number): number {
  return Math.ceil((size * 8) / Math.log2(62))
}
