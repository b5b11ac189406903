// Pages of a list: `$top` and an opaque `$skiptoken` that only this server can make (U3).

import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { ApiError } from '../../http/answers/api-error.js'

const defaultLimit = 100
const largestLimit = 200

/** The query of a list; anything else in it is refused. */
export const pageQuery = Type.Object(
  {
    $top: Type.Optional(Type.String({ pattern: '^[0-9]{1,3}$' })),
    $skiptoken: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
  },
  { additionalProperties: false },
)
export type PageQuery = Static<typeof pageQuery>

/** Where a page ended: the sort keys of its last row. */
export interface After {
  name: string
  id: string
}

/** Which list: a token of one is none of another. */
export type List =
  | `applications by name ${string}`
  | 'ledger'
  | 'activity'
  | `users ${string}`
  | `memberships ${string}`
  | `invitations ${string}`
  | `sessions ${string}`
  | 'tenants'
  | `decisions ${string}`
  | 'access grants'
  | 'deleted applications'
  | `plan ${string}`
  | `deliveries ${string}`

/** A list at its address. */
export interface ListAddress {
  /** Below /api/v2. */
  path: string
  list: List
  /** What the list is narrowed by: the link to the next page says it again. */
  narrowedBy?: Readonly<Record<string, string | undefined>>
}

/**
 * What the query asks for. Throws ApiError 400 for a token that is forged or of another list, and for a `$top` outside
 * 1 to 200.
 */
export function openPageToken(
  key: Uint8Array,
  query: PageQuery,
  list: List,
): { limit: number; after: After | undefined } {
  const limit = query.$top === undefined ? defaultLimit : Number(query.$top)
  if (limit < 1 || limit > largestLimit) {
    throw new ApiError(400, 'InvalidRequest', `$top is 1 to ${largestLimit}.`, { target: '$top' })
  }
  return { limit, after: query.$skiptoken === undefined ? undefined : open(key, query.$skiptoken, list) }
}

/** The link to the page after `last`, with at most `limit` rows. */
export function pageLink(
  key: Uint8Array,
  { path, list, narrowedBy = {} }: ListAddress,
  limit: number,
  last: After,
): string {
  const payload = Buffer.from(JSON.stringify([last.name, last.id])).toString('base64url')
  const link = `/api/v2${path}?$top=${limit}&$skiptoken=${payload}.${seal(key, payload, list).toString('base64url')}`
  const narrowed = Object.entries(narrowedBy).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return narrowed.length === 0 ? link : `${link}&${new URLSearchParams(narrowed)}`
}

function open(key: Uint8Array, token: string, list: List): After {
  const [payload = '', given = '', ...rest] = token.split('.')
  const expected = seal(key, payload, list)
  const presented = Buffer.from(given, 'base64url')
  const authentic = presented.length === expected.length && timingSafeEqual(presented, expected)
  if (!authentic || rest.length > 0) {
    throw new ApiError(400, 'InvalidRequest', 'This is not a page token of ours.', { target: '$skiptoken' })
  }
  const [name, id] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [string, string]
  return { name, id }
}

function seal(key: Uint8Array, payload: string, list: List): Buffer {
  return createHmac('sha256', key).update(`${list}\n`).update(payload).digest()
}
