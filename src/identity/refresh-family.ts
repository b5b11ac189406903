// What a refresh token says of itself: its family (the grant) and its generation, under a key of the server's. So reuse
// of a token is recognised whether or not its hash is still kept (RFC 9700 §4.14.2), and nobody can make up a token
// that would end the family of somebody else: the grant's identifier, which access tokens show, is no use without the
// key.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { decodeBase62, encodeBase62 } from '../oauth/secrets/base62.js'
import { hashOpaqueToken } from '../oauth/secrets/opaque-token.js'
import { type GrantRow, readGrant } from '../storage/sql/grants/grants.js'
import { type RefreshTokenRow, readRefreshToken } from '../storage/sql/grants/refresh-tokens.js'
import type { IdentityDependencies } from './dependencies.js'

/** What `derive` takes. */
const purpose = 'refresh-family'
const secretLength = 50
const grantBytes = 16
const sequenceBytes = 6
const macBytes = 16
const familyBytes = grantBytes + sequenceBytes + macBytes
/** ⌈8 × 38 / log₂ 62⌉ */
const familyLength = 52

export interface RefreshFamily {
  grantId: string
  sequence: number
}

/**
 * `secret` (`pcl_rt_` and 43 characters) followed by its family; `keys` are those of familyKeys, the first one signs.
 */
export function withFamily(keys: readonly Uint8Array[], secret: string, family: RefreshFamily): string {
  const [key] = keys
  if (key === undefined) throw new RangeError('a master key is needed to issue refresh tokens')
  const content = contentOf(family)
  return secret + encodeBase62(Buffer.concat([content, macOf(key, secret, content)]), familyLength)
}

/** Newest first, as IdentityDependencies.derive gives them. */
export function familyKeys({ derive }: Pick<IdentityDependencies, 'derive'>): readonly Uint8Array[] {
  return derive(purpose)
}

/**
 * The token's row with its grant, used or not; of a token whose row is gone, because its family has gone on for long,
 * what it says of itself. Undefined for what is no refresh token of ours. Throws StoreUnavailable.
 */
export async function findRefreshToken(
  deps: Pick<IdentityDependencies, 'store' | 'derive'>,
  token: string,
): Promise<{ token: RefreshTokenRow; grant: GrantRow } | undefined> {
  const hash = hashOpaqueToken(token)
  const row = await readRefreshToken(deps.store.reader, hash)
  const family = row === undefined ? readFamily(familyKeys(deps), token) : undefined
  const grantId = row?.grant_id ?? family?.grantId
  const grant = grantId === undefined ? undefined : await readGrant(deps.store.reader, grantId)
  if (grant === undefined) return undefined
  if (row !== undefined) return { token: row, grant }
  // The rows of the last two are always there, unless a back-up was restored: then it is a token that never was.
  if (family === undefined || Number(grant.refresh_sequence) - family.sequence < 2) return undefined
  const forgotten = { hash, grant_id: grant.id, sequence: family.sequence, created_at: 0, used_at: 0 }
  return { token: forgotten, grant }
}

/**
 * What an authentic token says of its family; undefined for all others, and for those of before this was written into
 * them.
 */
function readFamily(keys: readonly Uint8Array[], token: string): RefreshFamily | undefined {
  if (token.length !== secretLength + familyLength) return undefined
  const secret = token.slice(0, secretLength)
  const bytes = decodeBase62(token.slice(secretLength), familyBytes)
  if (bytes === undefined) return undefined
  const content = bytes.subarray(0, grantBytes + sequenceBytes)
  const mac = bytes.subarray(grantBytes + sequenceBytes)
  if (!keys.some((key) => timingSafeEqual(macOf(key, secret, content), mac))) return undefined
  const hex = content.toString('hex', 0, grantBytes)
  const grantId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return { grantId, sequence: content.readUIntBE(grantBytes, sequenceBytes) }
}

function contentOf({ grantId, sequence }: RefreshFamily): Buffer {
  const content = Buffer.alloc(grantBytes + sequenceBytes)
  if (content.write(grantId.replaceAll('-', ''), 'hex') !== grantBytes)
    throw new RangeError('a grant is named by a GUID')
  content.writeUIntBE(sequence, grantBytes, sequenceBytes)
  return content
}

function macOf(key: Uint8Array, secret: string, content: Uint8Array): Buffer {
  return createHmac('sha256', key).update(secret).update(content).digest().subarray(0, macBytes)
}
