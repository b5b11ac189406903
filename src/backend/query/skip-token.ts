// $skiptoken: where the next page begins. Opaque to clients and authenticated: it carries the last row's sort values
// and an HMAC over them together with the list, the tenant, the filter and the order that they belong to. So it can
// neither be made up, nor taken to another tenant or another query, and what it carries can be handed to the database.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../../http/answers/api-error.js'

/** The query that a token belongs to; option values as they were sent. */
export interface SkipTokenScope {
  list: 'subscriptions' | 'resourceGroups'
  tenantId: string
  filter: string | undefined
  orderBy: string | undefined
}

/** Sort values of the row that the next page comes after. */
export type RowPosition = readonly (string | number)[]

/** The token for the page after `position`, under a key of 32 bytes that all instances share. */
export function createSkipToken(key: Uint8Array, scope: SkipTokenScope, position: RowPosition): string {
  const payload = Buffer.from(JSON.stringify(position)).toString('base64url')
  return `${payload}.${sign(key, scope, payload)}`
}

/**
 * The position in a token. Throws ApiError 400, always with one text, for whatever createSkipToken did not make for
 * this query.
 */
export function readSkipToken(key: Uint8Array, scope: SkipTokenScope, token: string): RowPosition {
  const [payload = '', mac = '', ...rest] = token.split('.')
  const expected = Buffer.from(sign(key, scope, payload))
  const given = Buffer.from(mac)
  // Compared as text: base64url has several spellings of the same bytes, and only ours is a token.
  if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw new ApiError(400, 'InvalidSkipToken', '$skiptoken was not issued for this query.', { target: '$skiptoken' })
  }
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as RowPosition
}

function sign(key: Uint8Array, scope: SkipTokenScope, payload: string): string {
  // A JSON array keeps the parts apart, whatever they contain; null is told from the empty text.
  const bound = [scope.list, scope.tenantId, scope.filter ?? null, scope.orderBy ?? null, payload]
  return createHmac('sha256', key).update(JSON.stringify(bound)).digest('base64url')
}
