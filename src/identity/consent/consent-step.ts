// Whether an application may act for this person without asking again (contract §4, C6): everything that it asks for is
// allowed already, by this person for exactly this application, tenant and resource, or by an administrator for all of
// the tenant. Decided anew for each request; what it shows and stores is in consent-page.tsx.

import type { Catalogue } from '../../config/settings/settings.js'
import { epochOf } from '../../directory/applications/redirect-epochs.js'
import { notOver } from '../../directory/consents/consent-end.js'
import {
  includesPermission,
  isOpenidWord,
  needsAdministrator,
  openidResource,
} from '../../directory/consents/consent-rules.js'
import { listConsents, type UserConsent } from '../../directory/consents/consents.js'
import { usersMayConsent } from '../../directory/consents/user-consent-policy.js'
import type { Directory, Installation, PermissionRef, Registration } from '../../directory/records.js'
import { readConfirmedEpoch } from '../../storage/sql/registrations/redirect-confirmations.js'
import type { Statements } from '../../storage/sql/store.js'
import { findMembership } from '../../users/memberships/memberships.js'
import { isAdministrator } from '../../users/memberships/roles.js'

export interface ConsentDependencies {
  directory: Pick<Directory, 'findInstallation' | 'findTenant'>
  settings: { catalogue: Catalogue }
  /** Epoch ms. */
  now: () => number
}

export interface ConsentQuestion {
  userId: string
  registration: Registration
  tenantId: string
  resource: string
  /** Plain ids, those that the person's role allows. */
  permissions: readonly string[]
  openidScopes: readonly string[]
  /** Where the answer goes; undefined: to a device that has no address. */
  redirectUri: string | undefined
  prompt: readonly string[]
}

/** `missing`: what nobody allowed yet; `isNew`: of these, what was added since the person was last prompted. */
export type ConsentAnswer =
  | { kind: 'granted' }
  | { kind: 'ask'; missing: readonly PermissionRef[]; isNew: readonly PermissionRef[] }
  | { kind: 'administrator'; missing: readonly PermissionRef[] }

/** Decides by what `reader` sees, which may be a transaction under way. Throws StoreUnavailable. */
export async function consentNeeded(
  deps: ConsentDependencies,
  reader: Statements,
  question: ConsentQuestion,
): Promise<ConsentAnswer> {
  const { userId, registration, tenantId, prompt } = question
  const { applicationId } = registration
  const { catalogue } = deps.settings
  const requested = requestedPermissions(question)
  const [remembered, installation, tenant, membership] = await Promise.all([
    listConsents(reader, { userId, applicationId, tenantId }),
    deps.directory.findInstallation(applicationId, tenantId),
    deps.directory.findTenant(tenantId),
    findMembership(reader, userId, tenantId),
  ])
  const own = notOver(remembered, deps.now())
  const mayDecide = membership !== undefined && isAdministrator(membership.role)
  // What somebody allowed themselves as an administrator does not outlast the role.
  const stillAllowed = own.filter((ref) => mayDecide || !needsAdministrator(catalogue, ref))
  const allowed = [...stillAllowed, ...(installation?.granted ?? [])]
  // Where it was removed from a tenant, nothing that was allowed there before stands.
  const installed = installation !== undefined || tenantId === registration.tenantId
  const missing = installed ? requested.filter((ref) => !includesPermission(allowed, ref)) : requested
  const mayConsent = usersMayConsent(tenant, registration)
  // Even to ask for nothing, an untrusted party's application has to be let in.
  if (!installed && !mayConsent && !mayDecide) return { kind: 'administrator', missing }
  if (missing.length === 0) {
    const again =
      prompt.includes('consent') ||
      registration.document?.isStored === false ||
      asksAlways(registration, question.redirectUri) ||
      requested.some((ref) => isOnlyOnce(ref, own, installation)) ||
      (await leadsElsewhere(reader, question, { requested, installation }))
    return again ? { kind: 'ask', missing, isNew: [] } : { kind: 'granted' }
  }
  const open = mayConsent && !missing.some((ref) => needsAdministrator(catalogue, ref))
  if (!open && !mayDecide) return { kind: 'administrator', missing }
  return { kind: 'ask', missing, isNew: own.length > 0 ? missing : [] }
}

/** What a person allowed once they are prompted for each time. */
function isOnlyOnce(ref: PermissionRef, own: readonly UserConsent[], installation: Installation | undefined): boolean {
  if (includesPermission(installation?.granted ?? [], ref)) return false
  return own.some((one) => one.end?.lasts === 'once' && includesPermission([one], ref))
}

/**
 * Whether the answer goes to an origin that came after the person, or an administrator who allowed all of it for
 * everybody, was prompted (contract §8): then the person is prompted once more, no matter who added it.
 */
async function leadsElsewhere(
  reader: Statements,
  { userId, registration, tenantId, redirectUri }: ConsentQuestion,
  { requested, installation }: { requested: readonly PermissionRef[]; installation: Installation | undefined },
): Promise<boolean> {
  const { applicationId, redirectEpochs } = registration
  const { origin, epoch } = redirectUri === undefined ? { origin: '', epoch: 0 } : epochOf(redirectEpochs, redirectUri)
  if (epoch === 0) return false
  const forAll = requested.every((ref) => includesPermission(installation?.granted ?? [], ref))
  if (forAll && epoch <= (installation?.redirectEpoch ?? 0)) return false
  return epoch > (await readConfirmedEpoch(reader, { userId, applicationId, tenantId, origin }))
}

/**
 * What is shown and remembered of a request: its permissions, and those words of OpenID Connect that give something.
 */
export function requestedPermissions(
  requested: Pick<ConsentQuestion, 'resource' | 'permissions' | 'openidScopes'>,
): PermissionRef[] {
  const of = (resource: string) => (id: string) => ({ kind: 'delegated' as const, resource, id })
  const words = requested.openidScopes.map(of(openidResource)).filter(isOpenidWord)
  return [...requested.permissions.map(of(requested.resource)), ...words]
}

/** A client that runs on the person's device could be any program there (RFC 8252 §8.6, C10). */
function asksAlways({ type, document }: Registration, redirectUri: string | undefined): boolean {
  return (type === 'native' || document !== undefined) && redirectUri?.startsWith('https://') !== true
}
