// What the writes of this room say in the ledger: what was there before, what is there now, never a secret.

import type { LedgerEvent, Origin } from '../ledger/ledger.js'
import type { Registration, Tenant } from './records.js'

type Event = Omit<LedgerEvent, keyof Origin>

const plainFields = [
  'name',
  'audience',
  'requirePkce',
  'authMethod',
  'idTokenAlg',
  'publisher',
  'verified',
  'deviceCodes',
] as const
/** Of a tenant, in the order in which their changes are told; its state comes after the name. */
const tenantFields = [
  'name',
  'userConsent',
  'deviceCodes',
  'administrators',
  'secondFactor',
  'ownSignIn',
  'signInProviders',
  'clientHosts',
] as const
const listFields = ['redirectUris', 'adminConsentRedirectUris', 'logoutRedirectUris'] as const

/** `application.registered`, with what it began as. */
export function registered(registration: Registration): Event {
  const { applicationId, tenantId, name, type, audience, authMethod, configured } = registration
  const redirectUris = registration.redirectUris
  return {
    event: 'application.registered',
    applicationId,
    tenantId,
    details: { name, type, audience, authMethod, redirectUris, permissions: configured },
  }
}

/** `application.enabled` or `.disabled` when the state changed, `application.changed` when anything else did; and
 * `application.redirect-origin-added` for what administrators should hear of: everybody is prompted once more. */
export function changed(before: Registration, after: Registration, newOrigins: readonly string[] = []): Event[] {
  const { applicationId, tenantId } = after
  const differences: Record<string, unknown> = {}
  for (const field of plainFields) {
    if (before[field] !== after[field]) differences[field] = { before: before[field], after: after[field] }
  }
  for (const field of listFields) {
    const difference = listDifference(before[field], after[field])
    if (difference !== undefined) differences[field] = difference
  }
  const keys = listDifference(keyIds(before), keyIds(after))
  if (keys !== undefined) differences.keys = keys
  const about = { applicationId, tenantId }
  return [
    ...(before.state === after.state ? [] : [{ event: `application.${after.state}` as const, ...about }]),
    ...(Object.keys(differences).length === 0
      ? []
      : [{ event: 'application.changed' as const, ...about, details: differences }]),
    ...(newOrigins.length === 0
      ? []
      : [{ event: 'application.redirect-origin-added' as const, ...about, details: { origins: newOrigins } }]),
  ]
}

/** `tenant.enabled` or `.disabled` when the state changed, `tenant.changed` when something else did. */
export function tenantChanged(before: Tenant, after: Tenant): Event[] {
  const { tenantId } = after
  const changes = (fields: readonly (typeof tenantFields)[number][]): Event[] =>
    fields
      .filter((field) => before[field] !== after[field])
      .map((field) => ({
        event: 'tenant.changed',
        tenantId,
        details: { [field]: { before: before[field], after: after[field] } },
      }))
  const [first, ...others] = tenantFields
  const switched: Event[] = before.state === after.state ? [] : [{ event: `tenant.${after.state}`, tenantId }]
  return [...changes([first]), ...switched, ...changes(others)]
}

/** `secret.created`: which, and until when; never the secret. */
export function secretCreated(
  { applicationId, tenantId }: Pick<Registration, 'applicationId' | 'tenantId'>,
  { keyId, endsAt }: { keyId: string; endsAt: number },
): Event {
  return { event: 'secret.created', applicationId, tenantId, details: { keyId, endsAt } }
}

/** Lists may be long, so only what came and went. */
function listDifference(before: readonly string[], after: readonly string[]) {
  const added = after.filter((one) => !before.includes(one))
  const removed = before.filter((one) => !after.includes(one))
  return added.length + removed.length === 0 ? undefined : { added, removed }
}

/** Public keys by their key id, or, where one has none, by the whole key. */
function keyIds({ jwks }: Registration): string[] {
  return (jwks?.keys ?? []).map((key) => (typeof key.kid === 'string' ? key.kid : JSON.stringify(key)))
}
