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
