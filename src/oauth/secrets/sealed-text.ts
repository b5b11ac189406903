// Text that this installation wrote for one browser and that nobody else can read, change or use: what is begun by
// somebody who is not known yet is kept in the address and not in the Store (decision 96). AES-256-GCM; each text has a
// key of its own, derived from a key of the installation and random bits, so no nonce can come twice however many texts
// untrusted parties ask for.

import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { decodeBase62Blocks, encodeBase62Blocks } from './base62.js'

/** The first byte; another way of sealing gets another one. */
const version = 1
const keyIdBytes = 4
const saltBytes = 16
const tagBytes = 16
const headBytes = 1 + keyIdBytes + saltBytes
/** A key is used for one text only, so the nonce need not differ. */
const nonce = new Uint8Array(12)
/** What was sealed is shorter than this; what is longer was not written here. */
const mostBytes = 65_536

/** Seals `text` for `holder` under the newest key: base62. Throws Error when there is no key. */
export function seal(keys: readonly Uint8Array[], holder: string, text: string): string {
  const [key] = keys
  if (key === undefined) throw new Error('there is no key to seal with')
  const head = Buffer.concat([Buffer.of(version), keyId(key), randomBytes(saltBytes)])
  const cipher = createCipheriv('aes-256-gcm', keyFor(key, head), nonce)
  cipher.setAAD(boundTo(head, holder))
  const sealed = Buffer.concat([cipher.update(deflateRawSync(text)), cipher.final()])
  return encodeBase62Blocks(Buffer.concat([head, sealed, cipher.getAuthTag()]))
}

/** What was sealed for `holder`, by any of the keys; undefined for anything else. */
export function unseal(keys: readonly Uint8Array[], holder: string, sealed: string): string | undefined {
  const bytes = decodeBase62Blocks(sealed)
  if (bytes === undefined || bytes.byteLength < headBytes + tagBytes) return undefined
  const head = bytes.subarray(0, headBytes)
  const named = head.subarray(1, 1 + keyIdBytes)
  const key = head[0] === version ? keys.find((each) => keyId(each).equals(named)) : undefined
  if (key === undefined) return undefined
  try {
    const decipher = createDecipheriv('aes-256-gcm', keyFor(key, head), nonce, {
      authTagLength: tagBytes,
    })
    decipher.setAAD(boundTo(head, holder))
    decipher.setAuthTag(bytes.subarray(-tagBytes))
    const plain = Buffer.concat([decipher.update(bytes.subarray(headBytes, -tagBytes)), decipher.final()])
    return inflateRawSync(plain, { maxOutputLength: mostBytes }).toString()
  } catch {
    return undefined
  }
}

function keyId(key: Uint8Array): Buffer {
  return createHmac('sha256', key).update('key id').digest().subarray(0, keyIdBytes)
}

function keyFor(key: Uint8Array, head: Uint8Array): Buffer {
  return createHmac('sha256', key).update('text ').update(head).digest()
}

function boundTo(head: Uint8Array, holder: string): Buffer {
  return Buffer.concat([head, createHash('sha256').update(holder).digest()])
}
