// How far a verification came, for the next part of it: sealed, so that it says nothing but what was verified here. It
// is under the key of checkpoints and is none: a checkpoint says that rows were written, and not that they were read.

import { hexMac, type LedgerKeys, sameMac } from '../ledger-keys.js'

/** Where a part of a verification ended. */
export interface Reached {
  /** Its last row, and the mac that this row had. */
  position: number
  mac: string
  /** The seal of the beginning of the chain that it knew; empty: nothing was taken away. */
  start: string
  /** Whether a row was found that says that the chain begins there. */
  isRecorded: boolean
}

/** As text, of 400 characters at most. */
export function sealReached(keys: LedgerKeys, { position, mac, start, isRecorded }: Reached): string {
  const { id, checkpoint } = keys.current
  const text = JSON.stringify([position, mac, start, isRecorded, id])
  return `${Buffer.from(text).toString('base64url')}.${reachedMac(checkpoint, text)}`
}

/** What a text says; undefined when it was not sealed here. */
export function openReached(keys: LedgerKeys, sealed: string): Reached | undefined {
  const [content = '', mac = ''] = sealed.split('.')
  const text = Buffer.from(content, 'base64url').toString('utf8')
  try {
    const [position, last, start, isRecorded, keyId] = JSON.parse(text)
    const key = typeof keyId === 'string' ? keys.find(keyId) : undefined
    if (key === undefined || !sameMac(mac, reachedMac(key.checkpoint, text))) return undefined
    return { position, mac: last, start, isRecorded }
  } catch {
    return undefined
  }
}

function reachedMac(key: Uint8Array, text: string): string {
  return hexMac(key, `portcullis-verified-v1\n${text}`)
}
