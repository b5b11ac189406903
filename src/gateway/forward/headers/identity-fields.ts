// The identity of a caller as plain fields, for services that read them more easily than an assertion (`identity:
// headers`). The assertion goes along in a field of its own, so that a service that wants to be sure can verify it.
// What a client sends under these names, in whatever spelling, never crosses (header-names.ts).

import type { TokenPrincipal } from '../../../access/principal.js'

/**
 * What every name begins with under which the gate says who calls; what begins so and comes from a client is dropped.
 */
export const identityPrefix = 'x-portcullis-'

const names = {
  application: `${identityPrefix}application`,
  tenant: `${identityPrefix}tenant`,
  user: `${identityPrefix}user`,
  permissions: `${identityPrefix}permissions`,
  assertion: `${identityPrefix}assertion`,
} as const

/** Every name that `identityFields` can send. */
export const identityFieldNames: readonly string[] = Object.values(names)

/**
 * Flat name, value list. `user` is there only for calls on behalf of a person; `permissions` are those that opened the
 * route, with spaces between. `authorization` is the whole value with the assertion (decision 0004).
 */
export function identityFields(
  principal: TokenPrincipal,
  permissions: readonly string[],
  authorization: string,
): readonly string[] {
  const fields: string[] = [
    ...[names.application, visible(principal.applicationId)],
    ...[names.tenant, visible(principal.tenantId)],
    ...[names.permissions, permissions.join(' ')],
    ...[names.assertion, authorization.replace(/^Bearer /, '')],
  ]
  if (principal.kind === 'delegated') fields.push(names.user, visible(principal.userId))
  return fields
}

/** Identifiers of issuers outside may hold any character; a field cannot. */
function visible(id: string): string {
  return /^[\x21-\x7e]+$/.test(id) ? id : encodeURIComponent(Buffer.from(id).toString())
}
