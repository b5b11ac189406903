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

/** Of these ids of a resource, those that it may use for the person. Throws OAuthError `invalid_request`. */
export async function heldPermissions(
  deps: Pick<IdentityDependencies, 'directory' | 'now' | 'settings' | 'store'>,
  { registration, userId, tenantId, acr }: Holder,
  resource: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  try {
    const { permissions } = await eligibilityOf(deps, registration, {
      state: 'active',
      user_id: userId,
      tenant_id: tenantId,
      application_id: registration.applicationId,
      resource,
      permissions: ids.join(' '),
      openid_scopes: '',
      acr,
    })
    return new Set(permissions)
  } catch (error) {
    if (!(error instanceof OAuthError) || error.code !== 'invalid_grant') throw error
    if (error.number === errorNumber.noConsent) return new Set()
    throw refusedSubject(error.description, error.number, 'subject_ineligible')
  }
}
