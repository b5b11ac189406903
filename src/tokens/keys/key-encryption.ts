// Private keys at rest: AES-256-GCM under a key derived from a master key that the database never sees. The sealed text
// names its master key, so that several can be in use while one replaces another.

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { deriveKey } from '../../oauth/secrets/derived-key.js'

const version = 'v1'
const nonceBytes = 12
const tagBytes = 16

export interface KeyEncryption {
  /** Seals `plain` for the key `kid`: nobody can pass it off as another key's. */
  seal(plain: string, kid: string): string
  /** Throws MasterKeyMismatch when no configured master key opens it. */
  open(sealed: string, kid: string): string
  /** Whether it is sealed under the first master key, the one for new things. */
  isCurrent(sealed: string): boolean
}

/** The Store was written under a master key that is not configured now. Fatal at start; the message says what to do. */
export class MasterKeyMismatch extends Error {
  readonly code = 'master_key_mismatch'
}

/** `masterKeys`: 32 bytes or more each; the first one seals, all open. Throws RangeError when there is none. */
export function createKeyEncryption(masterKeys: readonly Uint8Array[]): KeyEncryption {
  const sealers = new Map(
    masterKeys.map((master) => [masterKeyId(master), deriveKey(master, 'signing-key-encryption')]),
  )
  const [current] = sealers
  if (current === undefined) throw new RangeError('a master key is needed to keep private keys')
  const [currentId, currentKey] = current
  return {
    seal(plain, kid) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', currentKey, nonce).setAAD(Buffer.from(kid))
      const bytes = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return [version, currentId, nonce.toString('base64url'), bytes.toString('base64url')].join('.')
    },
    open(sealed, kid) {
      const [form, id = '', nonce = '', text = ''] = sealed.split('.')
      const key = sealers.get(id)
      if (form !== version || key === undefined) throw mismatch(kid, id, [...sealers.keys()])
      return decipher(key, Buffer.from(nonce, 'base64url'), Buffer.from(text, 'base64url'), kid)
    },
    isCurrent: (sealed) => sealed.startsWith(`${version}.${currentId}.`),
  }
}

/** Tells master keys apart without saying anything about them. */
function masterKeyId(master: Uint8Array): string {
  return Buffer.from(deriveKey(master, 'signing-key-encryption-id')).subarray(0, 6).toString('base64url')
}

function decipher(key: Uint8Array, nonce: Buffer, bytes: Buffer, kid: string): string {
  try {
    const end = bytes.length - tagBytes
    const cipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
    cipher.setAAD(Buffer.from(kid)).setAuthTag(bytes.subarray(end))
    return Buffer.concat([cipher.update(bytes.subarray(0, end)), cipher.final()]).toString('utf8')
  } catch (cause) {
    throw new MasterKeyMismatch(`the private part of signing key ${kid} in the Store is damaged or was exchanged`, {
      cause,
    })
  }
}

function mismatch(kid: string, id: string, known: readonly string[]): MasterKeyMismatch {
  return new MasterKeyMismatch(
    `signing key ${kid} in the Store is sealed under master key ${id}, but the configured ones are ${known.join(', ')}: ` +
      'put the former master key back into secrets.masterKeys (after the new one), or restore the data folder that belongs to it; ' +
      'instances that share a database need the same secrets.masterKeys',
  )
}
