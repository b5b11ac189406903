// How far a verification came, for the next part of it: sealed, so that it says nothing but what was verified here. It
// is under the key of checkpoints and is none: a checkpoint says that rows were written, and not that they were read.

import { createHash } from 'node:crypto'
import { hexMac, type LedgerKeys, sameMac } from '../ledger-keys.js'

/** Where a part of a verification ended. */
export interface Reached {
  /** Its last row, and the mac that this row had. */
  position: number
  mac: string
  /** `startMark` of the beginning of the chain that it knew; empty: nothing was taken away. */
  start: string
  /** Whether a row was found that says that the chain begins there. */
  isRecorded: boolean
  /** How many rows there were. */
  count: number
  /** Nothing was wrong up to there. */
  isClean: boolean
}

/** What a row of the database says may be of any length: no mac is longer, and a longer one fits no row. */
const macLength = 64

/** As text, of 500 characters at most. */
export function sealReached(keys: LedgerKeys, { position, mac, start, isRecorded, count, isClean }: Reached): string {
  const { id, checkpoint } = keys.current
  const text = JSON.stringify([position, mac.slice(0, macLength), start, isRecorded, count, isClean, id])
  return `${Buffer.from(text).toString('base64url')}.${reachedMac(checkpoint, text)}`
}

/** What a text says; undefined when it was not sealed here. */
export function openReached(keys: LedgerKeys, sealed: string): Reached | undefined {
  const [content = '', mac = ''] = sealed.split('.')
  const text = Buffer.from(content, 'base64url').toString('utf8')
  try {
    const [position, last, start, isRecorded, count, isClean, keyId] = JSON.parse(text)
    const key = typeof keyId === 'string' ? keys.find(keyId) : undefined
    if (key === undefined || !sameMac(mac, reachedMac(key.checkpoint, text))) return undefined
    return { position, mac: last, start, isRecorded, count, isClean }
  } catch {
    return undefined
  }
}

/** Tells the seal of one beginning from that of another. */
export function startMark(seal: string): string {
  return seal === '' ? '' : createHash('sha256').update(seal).digest('base64url')
}

function reachedMac(key: Uint8Array, text: string): string {
  return hexMac(key, `portcullis-verified-v1\n${text}`)
}
