// The two forms of an ECDSA signature over P-256: r and s one after the other, as tokens carry it (RFC 7518 §3.4), and
// DER (RFC 3279 §2.2.3), as OpenSSL makes it. Node turns one into the other too, at twice the cost of the signature: with
// anything but the key itself, Node 24 takes the key apart at each call.

const scalarBytes = 32
const sequence = 0x30
const integer = 0x02

/** 64 bytes from what OpenSSL signed. Throws Error for what is no signature of this curve. */
export function rawSignature(der: Buffer): Buffer {
  const raw = Buffer.alloc(2 * scalarBytes)
  let at = 2
  for (const end of [scalarBytes, 2 * scalarBytes]) {
    const length = der[at + 1] ?? 0
    const start = at + 2
    const first = der[start] === 0 ? start + 1 : start
    const size = start + length - first
    if (der[0] !== sequence || der[at] !== integer || size > scalarBytes || start + length > der.length) {
      throw new Error('a signature is not one of P-256')
    }
    der.copy(raw, end - size, first, start + length)
    at = start + length
  }
  return raw
}

/** DER of 64 bytes, in the one form that there is (X.690 §8.3.2, §10.1). */
export function derSignature(raw: Buffer): Buffer {
  const der = Buffer.allocUnsafe(2 * (scalarBytes + 3) + 2)
  let at = 2
  for (const start of [0, scalarBytes]) at = writeInteger(der, at, raw.subarray(start, start + scalarBytes))
  der[0] = sequence
  der[1] = at - 2
  return der.subarray(0, at)
}

/** Positive and without needless zeros. Gives where the next one begins. */
function writeInteger(der: Buffer, at: number, scalar: Buffer): number {
  let first = 0
  while (first < scalar.length - 1 && scalar[first] === 0) first += 1
  const pad = (scalar[first] ?? 0) >= 0x80 ? 1 : 0
  const length = scalar.length - first + pad
  der[at] = integer
  der[at + 1] = length
  if (pad === 1) der[at + 2] = 0
  scalar.copy(der, at + 2 + pad, first)
  return at + 2 + length
}
