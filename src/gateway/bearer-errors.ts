// Refusals of a caller: no token, a wrong one, or a token without the permission. What they say is made for the
// developer who reads them: which permission, which kind, how far it got, and where an administrator consents.

import type { MissingPermission } from '../access/missing-permission.js'
import type { PermissionRef } from '../directory/records.js'
import { ApiError, type ApiErrorExtras } from '../http/answers/api-error.js'
import { ageText } from '../oauth/age-text.js'
import type { BearerError } from '../oauth/errors/errors.js'
import type { Refusal } from './errors.js'

/**
 * RFC 6750 §3, RFC 9728 §5.1. No token: no error parameter. `resource` is the route's, `scope` what a client should
 * request for it.
 */
export function bearerRefusal(error: BearerError, resource: string, baseUrl: string, scope?: string): Refusal {
  const challenge = `${challengeFor(resource, baseUrl)}${scope === undefined ? '' : `, scope="${scope}"`}`
  const description = quoted(error.message)
  const [status, code, header] =
    error.code === 'no_token'
      ? ([401, 'AuthenticationRequired', challenge] as const)
      : error.code === 'invalid_request'
        ? ([
            400,
            'InvalidRequest',
            `${challenge}, error="invalid_request", error_description="${description}"`,
          ] as const)
        : ([401, 'InvalidToken', `${challenge}, error="invalid_token", error_description="${description}"`] as const)
  const headers = { 'www-authenticate': header, 'cache-control': 'no-store' }
  return { kind: 'refused', reason: error.reason, error: new ApiError(status, code, error.message, { headers }) }
}

/** 429 for a token whose signature was not looked at. A client that has no part in it can wait, or use an older token. */
export function forgedTooOften(retryAfterSeconds: number): Refusal {
  const message = 'Too many forged tokens came from this address; Retry-After says when a new one is looked at again.'
  const headers = { 'retry-after': String(retryAfterSeconds), 'cache-control': 'no-store' }
  return {
    kind: 'refused',
    reason: 'forged_too_often',
    error: new ApiError(429, 'TooManyRequests', message, { headers }),
  }
}

/**
 * A refusal that tells how to fix it (contract §5): all that the call lacks, of one kind and resource. `described` is about
 * the first, and absent when the directory could not be queried. `held`: ids that the challenge names too, for clients
 * that request what is in it and nothing else.
 */
export function missingPermissions(
  missing: readonly PermissionRef[],
  {
    described,
    baseUrl,
    held = [],
  }: { described: MissingPermission | undefined; baseUrl: string; held?: readonly string[] },
): Refusal {
  const [first = { id: '', kind: 'delegated', resource: '' }] = missing
  const ids = missing.map(({ id }) => id)
  const needed = ids.length === 1 ? `permission ${first.id}` : `permissions ${ids.join(' and ')}`
  const message = (ids.length === 1 ? described?.message : undefined) ?? `This call needs the ${first.kind} ${needed}.`
  const scope = [...held.filter((id) => !ids.includes(id)), ...ids].join(' ')
  const challenge = `${challengeFor(first.resource, baseUrl)}, error="insufficient_scope", scope="${scope}"`
  const extras: ApiErrorExtras = {
    target: first.id,
    headers: { 'www-authenticate': challenge, 'cache-control': 'no-store' },
    more: {
      permission: { id: first.id, kind: first.kind, resource: first.resource, status: described?.status },
      ...(ids.length === 1 ? {} : { permissions: ids }),
      consent_uri: described?.consentUri,
    },
  }
  return {
    kind: 'refused',
    reason: 'insufficient_scope',
    error: new ApiError(403, 'InsufficientPermission', message, extras),
  }
}

/** What a person's sign-in has to be. */
export interface AuthenticationNeed {
  /** How long ago at most. Seconds. */
  maxAgeSeconds?: number
  /** In which ways one of which is enough. */
  acrValues?: string
}

/** RFC 9470 §3: the token is good, and the sign-in behind it is not good enough for this. */
export function insufficientAuthentication(need: AuthenticationNeed, resource: string, baseUrl: string): Refusal {
  const { maxAgeSeconds, acrValues } = need
  const message =
    acrValues === undefined
      ? `This needs a sign-in that is at most ${ageText(maxAgeSeconds ?? 0)} old: sign in again.`
      : 'This needs a sign-in with a second factor: sign in again with it.'
  const fields = [
    'error="insufficient_user_authentication"',
    `error_description="${quoted(message)}"`,
    ...(acrValues === undefined ? [] : [`acr_values="${acrValues}"`]),
    ...(maxAgeSeconds === undefined ? [] : [`max_age="${maxAgeSeconds}"`]),
  ]
  const headers = {
    'www-authenticate': `${challengeFor(resource, baseUrl)}, ${fields.join(', ')}`,
    'cache-control': 'no-store',
  }
  const code = acrValues === undefined ? 'RecentSignInRequired' : 'SecondFactorRequired'
  const more = { max_age: maxAgeSeconds, acr_values: acrValues }
  const error = new ApiError(401, code, message, { headers, more })
  return { kind: 'refused', reason: 'insufficient_user_authentication', error }
}

function challengeFor(resource: string, baseUrl: string): string {
  const realm = `Bearer realm="${baseUrl}"`
  if (!URL.canParse(resource) || !resource.startsWith('https://')) return realm
  const path = new URL(resource).pathname.replace(/\/$/, '')
  return `${realm}, resource_metadata="${baseUrl}/.well-known/oauth-protected-resource${path}"`
}

/** RFC 6750 §3: error_description takes no quotes, backslashes or characters beyond ASCII. */
function quoted(text: string): string {
  return text.replace(/[^\x20-\x21\x23-\x5B\x5D-\x7E]/g, '?')
}
