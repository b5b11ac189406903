// How a receiver knows that an event is ours and fresh: the signature of Standard Webhooks, with a secret of each
// webhook. It must be at hand to sign, so it is not hashed but sealed, as the seeds of second factors are.

import { createHmac, randomBytes } from 'node:crypto'
import { createKeyEncryption, type KeyEncryption } from '../tokens/keys/key-encryption.js'

const prefix = 'whsec_'
const secretBytes = 32

/** Seals and opens signing secrets. `derive`: keys from the master keys for a purpose, newest first. */
export function createSecretSealer(derive: (purpose: string) => readonly Uint8Array[]): KeyEncryption {
  const keys = createKeyEncryption(derive('webhook-secrets'))
  const name = (id: string) => `webhook ${id}`
  // Bound to its webhook: one row's secret cannot be put into another's.
  return { ...keys, seal: (plain, id) => keys.seal(plain, name(id)), open: (sealed, id) => keys.open(sealed, name(id)) }
}

/** `whsec_` and base64 of 256 random bits. */
export function createSigningSecret(): string {
  return prefix + randomBytes(secretBytes).toString('base64')
}

/**
 * The header fields that sign `body` at `atMs`, epoch milliseconds, with each of `secrets`; `id` is the same at every
 * attempt. Receivers take an event when one of the signatures is right.
 */
export function signatureHeaders(
  secrets: readonly string[],
  { id, body, atMs }: { id: string; body: string; atMs: number },
) {
  const timestamp = String(Math.floor(atMs / 1000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
