// What is in an access token, claim by claim, for people.

import type { PermissionRef } from '../../directory/records.js'

export interface ClaimLine {
  name: string
  value: string
  /** In a few words. */
  meaning: string
}

const meanings: Readonly<Record<string, string>> = {
  iss: 'Who issued it',
  aud: 'The API that it is for; any other refuses it',
  sub: 'Who it is about',
  client_id: 'The application that has it',
  idtyp: 'app: the application as itself; user: for a person',
  tid: 'The tenant in which it counts',
  scope: 'What it allows',
  roles: 'The same as a list: application permissions',
  iat: 'Issued at',
  nbf: 'Good from',
  exp: 'Good until',
  jti: 'Its own identifier; it can be revoked by it',
  cid: 'What was proven to get it: trial, because nobody proved the secret here',
  seq: 'The newest change that was known when it was issued',
}

const times: ReadonlySet<string> = new Set(['iat', 'nbf', 'exp'])

/** The claims of a token of our own, in the order in which they stand there, and its end in epoch ms. */
export function readClaims(token: string): { lines: ClaimLine[]; expiresAt: number } {
  const claims = claimsOf(token)
  const lines = Object.entries(claims).map(([name, value]) => ({
    name,
    value: text(name, value),
    meaning: meanings[name] ?? '',
  }))
  return { lines, expiresAt: Number(claims['exp']) * 1000 }
}

function text(name: string, value: unknown): string {
  if (times.has(name) && typeof value === 'number') return `${value} (${new Date(value * 1000).toISOString()})`
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The application permissions of such a token. */
export function permissionsIn(token: string): PermissionRef[] {
  const { aud, roles } = claimsOf(token)
  const ids = Array.isArray(roles) ? roles.map(String) : []
  return ids.map((id) => ({ kind: 'application', resource: String(aud), id }))
}

function claimsOf(token: string): Record<string, unknown> {
  const [, payload = ''] = token.split('.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>
}
