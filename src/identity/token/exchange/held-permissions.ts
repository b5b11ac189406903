// What an application could do for a person at a resource now, if they signed in and allowed nothing more.

import type { Registration } from '../../../directory/records.js'
import { errorNumber } from '../../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../../oauth/errors/errors.js'
import type { IdentityDependencies } from '../../dependencies.js'
import { eligibilityOf } from '../grants/grant-eligibility.js'
import { refusedSubject } from './refusals.js'

/** An application, and a person in a tenant. */
export interface Holder {
  registration: Registration
  userId: string
  tenantId: string
  /** How the person had signed in. */
  acr: string
}

/** What it may use, and when the first of what was allowed for it is over (epoch ms); undefined: it has no end. */
export interface Held {
  ids: ReadonlySet<string>
  endsAt: number | undefined
}

/** Of these ids of a resource, those that it may use for the person. Throws OAuthError `invalid_request`. */
export async function heldPermissions(
  deps: Pick<IdentityDependencies, 'directory' | 'now' | 'settings' | 'store'>,
  { registration, userId, tenantId, acr }: Holder,
  resource: string,
  ids: readonly string[],
): Promise<Held> {
  if (ids.length === 0) return { ids: new Set(), endsAt: undefined }
  try {
    const { permissions, endsAt } = await eligibilityOf(deps, registration, {
      state: 'active',
      user_id: userId,
      tenant_id: tenantId,
      application_id: registration.applicationId,
      resource,
      permissions: ids.join(' '),
      openid_scopes: '',
      acr,
    })
    return { ids: new Set(permissions), endsAt }
  } catch (error) {
    if (!(error instanceof OAuthError) || error.code !== 'invalid_grant') throw error
    if (error.number === errorNumber.noConsent) return { ids: new Set(), endsAt: undefined }
    throw refusedSubject(error.description, error.number, 'subject_ineligible')
  }
}
