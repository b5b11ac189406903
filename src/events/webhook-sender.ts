// What signs and sends, for the delivery worker and for trying a webhook out.

import type { KeyEncryption } from '../tokens/keys/key-encryption.js'
import { createSend, type Send } from './send.js'
import { createSecretSealer } from './signature.js'

export interface WebhookSender {
  sealer: KeyEncryption
  send: Send
  /** Names and addresses that need not be public, in lower case. */
  allow: readonly string[]
  /** The `source` of every event. */
  baseUrl: string
  /** Ends every exchange that is under way, and those that begin later. */
  hangUp(): void
}

/** Ready to send. `derive`: keys from the master keys for a purpose, newest first. */
export function createWebhookSender(options: {
  allow: readonly string[]
  ca: string | undefined
  baseUrl: string
  derive: (purpose: string) => readonly Uint8Array[]
  timeoutMs?: number
}): WebhookSender {
  const { baseUrl, allow, ca, derive, timeoutMs } = options
  const line = new AbortController()
  const send = createSend({ allow, ca, timeoutMs, signal: line.signal })
  return { sealer: createSecretSealer(derive), send, allow, baseUrl, hangUp: () => line.abort() }
}
