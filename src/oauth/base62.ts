// Base62 (digits, upper case, lower case): what secrets and public keys are written in, so that nothing in them needs
// percent-encoding, quoting in a shell, or a second click to select.

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/**
 * The bytes as one big-endian number in base62, padded with zeros on the left to `length` characters.
 * Throws a RangeError when the number needs more.
 */
export function encodeBase62(bytes: Uint8Array, length: number): string {
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`)
  let text = ''
  while (rest > 0n) {
    text = alphabet.charAt(Number(rest % 62n)) + text
    rest /= 62n
  }
  if (text.length > length) throw new RangeError(`the number does not fit into ${length} base62 characters`)
  return text.padStart(length, '0')
}
