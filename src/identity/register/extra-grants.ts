// A client that registered itself looks after its registration while it has what it was registered for. What its tenant
// gave it besides was given to the client as it was then: the holder of its registration token does not lead that
// elsewhere.

import type { Catalogue } from '../../config/settings/settings.js'
import { includesPermission, isOpenidWord, needsAdministrator } from '../../directory/consents/consent-rules.js'
import { checkClientKeys } from '../../directory/credentials/client-keys.js'
import type { PermissionRef, Registration } from '../../directory/records.js'
import { toInstallation } from '../../directory/rows.js'
import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import { countUserConsents } from '../../storage/sql/consents/consent-counts.js'
import { readInstallations } from '../../storage/sql/registrations/installations.js'
import type { IdentityDependencies } from '../dependencies.js'
import type { ClientMetadata } from './client-metadata.js'

/**
 * Whether an administrator granted, in any tenant, more than `ceiling`, what the registration token allowed. Throws
 * OAuthError 403 then for another redirect URI, key, grant or way to prove itself. Throws DirectoryRefusal
 * (InvalidKeys) and StoreUnavailable.
 */
export async function checkExtraGrants(
  { store, settings: { catalogue } }: Pick<IdentityDependencies, 'store' | 'settings'>,
  registration: Registration,
  {
    metadata,
    grantTypes,
    ceiling,
  }: { metadata: ClientMetadata; grantTypes: readonly string[]; ceiling: readonly PermissionRef[] },
): Promise<boolean> {
  const { applicationId } = registration
  const [installed, allowed] = await store.snapshot(async (tx) => [
    (await readInstallations(tx, applicationId)).map(toInstallation),
    await countUserConsents(tx, { applicationId }),
  ])
  const ofPeople = allowed.map(({ resource, permission_id: id }) => ({ kind: 'delegated' as const, resource, id }))
  const beyond = [...installed.flatMap(({ granted }) => granted), ...ofPeople].some(
    (ref) => isMoreThanAnybodys(catalogue, ref) && !includesPermission(ceiling, ref),
  )
  const addsGrant = metadata.details.grantTypes.some((grant) => !grantTypes.includes(grant))
  if (!beyond || !(addsGrant || leadsElsewhere(registration, metadata.registration))) return beyond
  throw new OAuthError('access_denied', 'Its tenant gave this client more: its registration is changed there.', {
    number: errorNumber.registrationToken,
    status: 403,
    cause: 'granted_beyond',
  })
}

/** It takes an administrator to allow it, or a role to use it. */
function isMoreThanAnybodys(catalogue: Catalogue, ref: PermissionRef): boolean {
  if (isOpenidWord(ref)) return false
  return needsAdministrator(catalogue, ref) || catalogue.find(ref.kind, ref.resource, ref.id)?.role !== 'member'
}

function leadsElsewhere(before: Registration, after: ClientMetadata['registration']): boolean {
  if (after.authMethod !== before.authMethod) return true
  if (after.redirectUris.some((uri) => !before.redirectUris.includes(uri))) return true
  return after.jwks !== undefined && JSON.stringify(checkClientKeys(after.jwks)) !== JSON.stringify(before.jwks)
}
