// Both forms of an ECDSA signature: what OpenSSL makes and takes, and what tokens carry.

import { generateKeyPair, sign, verify } from 'node:crypto'
import { promisify } from 'node:util'
import t from 'tap'
import { derSignature, rawSignature } from '../../src/tokens/keys/ecdsa-form.js'

t.test('signatures keep their meaning in the other form', async (t) => {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })
  let short = 0
  for (let n = 0; n < 1_000; n += 1) {
    const data = Buffer.from(`message ${n}`)
    const der = sign('sha256', data, privateKey)
    const raw = rawSignature(der)
    if (der.length < 70) short += 1
    if (raw.length !== 64 || !derSignature(raw).equals(der)) t.fail(`${n}: another signature`)
    if (!verify('sha256', data, { key: publicKey, dsaEncoding: 'ieee-p1363' }, raw)) t.fail(`${n}: not valid`)
  }
  t.comment(`${short} of them with a short number`)
  t.pass('1,000 signatures')
})

t.test('numbers of every length', async (t) => {
  const bytes = (first: number, zeros: number) => Buffer.concat([Buffer.alloc(zeros), Buffer.alloc(32 - zeros, first)])
  for (const first of [0x01, 0x7f, 0x80, 0xff]) {
    for (let zeros = 0; zeros < 32; zeros += 1) {
      const raw = Buffer.concat([bytes(first, zeros), bytes(0x81, 31 - zeros)])
      const der = derSignature(raw)
      t.ok(rawSignature(der).equals(raw), `${first} behind ${zeros} zeros`)
      t.equal(der[1], der.length - 2)
    }
  }
  t.same([...derSignature(Buffer.concat([bytes(1, 31), bytes(0x80, 31)]))], [0x30, 7, 2, 1, 1, 2, 2, 0, 0x80])
})

t.test('what is no signature of the curve is none', async (t) => {
  const good = derSignature(Buffer.alloc(64, 1))
  t.throws(() => rawSignature(good.subarray(0, 40)), { message: 'a signature is not one of P-256' })
  t.throws(() => rawSignature(Buffer.alloc(70)), { message: 'a signature is not one of P-256' })
  t.throws(() => rawSignature(Buffer.alloc(0)), { message: 'a signature is not one of P-256' })
  const long = Buffer.from([0x30, 40, 2, 34, ...Buffer.alloc(34, 1), 2, 1, 1])
  t.throws(() => rawSignature(long), { message: 'a signature is not one of P-256' })
})
