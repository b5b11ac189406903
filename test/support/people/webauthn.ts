// An authenticator in software (WebAuthn Level 3 §6): one ES256 credential, with whatever flags and counter a test
// wants.

import { createHash, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'
import { newKeyPair } from '../tokens/key-pair.js'

interface Flags {
  /** Whether it says that it verified its person. */
  verified?: boolean
  counter?: number
  /** Where the browser says the request came from. */
  origin?: string
  rpId?: string
  /** `packed`: attests itself with its own key (§8.2); any other is `none` under that name. */
  fmt?: string
}

export interface SoftAuthenticator {
  credentialId: string
  /** Answers `navigator.credentials.create` with these options, as the script sends it. */
  create(options: { challenge: string }, flags?: Flags): string
  /** Answers `navigator.credentials.get`. */
  get(options: { challenge: string }, flags?: Flags): string
}

/** A new one for the page at `origin`. */
export async function createSoftAuthenticator(origin: string): Promise<SoftAuthenticator> {
  const { privateKey, publicKey } = await newKeyPair('ec', { namedCurve: 'P-256' })
  const id = randomBytes(32)
  const jwk = publicKey.export({ format: 'jwk' })
  const cose = isoCBOR.encode(
    new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, new Uint8Array(Buffer.from(String(jwk.x), 'base64url'))],
      [-3, new Uint8Array(Buffer.from(String(jwk.y), 'base64url'))],
    ]) as never,
  )
  const credentialId = id.toString('base64url')

  function data(flags: Flags, attested: boolean): Buffer {
    const rpId = flags.rpId ?? new URL(origin).hostname
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(flags.counter ?? 0)
    const bits = 0x01 | (flags.verified === false ? 0 : 0x04) | (attested ? 0x40 : 0)
    const head = [createHash('sha256').update(rpId).digest(), Buffer.from([bits]), counter]
    if (!attested) return Buffer.concat(head)
    const length = Buffer.alloc(2)
    length.writeUInt16BE(id.byteLength)
    return Buffer.concat([...head, Buffer.alloc(16), length, id, cose])
  }

  const clientData = (type: string, challenge: string, flags: Flags) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: flags.origin ?? origin, crossOrigin: false }))
  const common = { id: credentialId, rawId: credentialId, type: 'public-key', clientExtensionResults: {} }

  return {
    credentialId,
    create({ challenge }, flags = {}) {
      const { fmt = 'none' } = flags
      const [authData, said] = [data(flags, true), clientData('webauthn.create', challenge, flags)]
      const signed = Buffer.concat([authData, createHash('sha256').update(said).digest()])
      const proof = new Map<string, unknown>([
        ['alg', -7],
        ['sig', new Uint8Array(sign('sha256', signed, privateKey))],
      ])
      const attestation = new Map<string, unknown>([
        ['fmt', fmt],
        ['attStmt', fmt === 'packed' ? proof : new Map()],
        ['authData', new Uint8Array(authData)],
      ])
      const response = {
        attestationObject: Buffer.from(isoCBOR.encode(attestation as never)).toString('base64url'),
        clientDataJSON: said.toString('base64url'),
        transports: ['internal'],
      }
      return JSON.stringify({ ...common, response })
    },
    get({ challenge }, flags = {}) {
      const authenticatorData = data(flags, false)
      const said = clientData('webauthn.get', challenge, flags)
      const signed = Buffer.concat([authenticatorData, createHash('sha256').update(said).digest()])
      const response = {
        authenticatorData: authenticatorData.toString('base64url'),
        clientDataJSON: said.toString('base64url'),
        signature: sign('sha256', signed, privateKey).toString('base64url'),
      }
      return JSON.stringify({ ...common, response })
    },
  }
}
