// What an application gets of what it asks for (contract §3): all of it or a refusal that says what is missing. A token
// has configured ∩ consented application permissions of one resource, as they are at this moment, and never none.

import type { Catalogue } from '../../config/settings/settings.js'
import type { Installation, PermissionRef, Registration } from '../../directory/records.js'
import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import { adminConsentUri } from '../../oauth/requests/admin-consent-uri.js'
import type { ScopeRequest } from '../../oauth/requests/scope-request.js'
import { invalidScope, nameOf } from './invalid-scope.js'
import { resourceOfDefault, resourceOfPermissions } from './resource.js'

export interface PermissionContext {
  catalogue: Catalogue
  baseUrl: string
  registration: Registration
  installation: Installation
}

export interface GrantedPermissions {
  /** The token's one audience. */
  resource: string
  /** Plain ids, never empty. */
  permissions: readonly string[]
}

/**
 * Decides on a scope request and the distinct values of `resource`. Throws OAuthError `invalid_scope`,
 * `invalid_target`.
 */
export function grantedPermissions(
  context: PermissionContext,
  request: ScopeRequest,
  resources: readonly string[],
): GrantedPermissions {
  if (request.kind === 'nothing') {
    throw invalidScope('The request must contain the parameter scope.', errorNumber.missingParameter)
  }
  return request.kind === 'default'
    ? grantDefault(context, request.resource, resources)
    : grantNamed(context, request.permissions, resources)
}

function grantDefault(
  context: PermissionContext,
  written: string | undefined,
  resources: readonly string[],
): GrantedPermissions {
  const available = consentedPermissions(context)
  const withConsent = new Set(available.map((permission) => permission.resource))
  const resource = resourceOfDefault(context.catalogue, { written, resources, withConsent })
  const permissions = available.filter((each) => each.resource === resource).map(({ id }) => id)
  if (permissions.length > 0) return { resource, permissions }
  throw consentMissing(
    context,
    resource,
    'No application permissions of the resource have been consented to in the tenant.',
    errorNumber.adminConsentRequired,
  )
}

function grantNamed(
  context: PermissionContext,
  requested: readonly { id: string; resource: string | undefined }[],
  resources: readonly string[],
): GrantedPermissions {
  const { catalogue, registration, installation } = context
  const resource = resourceOfPermissions(catalogue, requested, resources)
  const permissions = [...new Set(requested.map(({ id }) => id))]
  for (const id of permissions) {
    const name = nameOf(id)
    if (catalogue.find('application', resource, id) === undefined) {
      const delegated = catalogue.find('delegated', resource, id) !== undefined
      throw invalidScope(
        delegated ? `Permission ${name} exists only as a delegated permission.` : `Permission ${name} is unknown.`,
      )
    }
    const ref: PermissionRef = { kind: 'application', resource, id }
    if (!includes(registration.configured, ref)) {
      throw invalidScope(`Permission ${name} is not configured for this application.`)
    }
    if (!includes(installation.granted, ref)) {
      const description = `Permission ${name} has not been consented to by an administrator of the tenant.`
      throw consentMissing(context, resource, description, errorNumber.noConsent)
    }
  }
  return { resource, permissions }
}

/** Configured ∩ consented, of those that the catalogue still has. */
function consentedPermissions({ catalogue, registration, installation }: PermissionContext): PermissionRef[] {
  return registration.configured.filter(
    (each) =>
      each.kind === 'application' &&
      catalogue.find('application', each.resource, each.id) !== undefined &&
      includes(installation.granted, each),
  )
}

/** A permission is the triple, never its id alone. */
function includes(list: readonly PermissionRef[], ref: PermissionRef): boolean {
  return list.some((each) => each.kind === ref.kind && each.resource === ref.resource && each.id === ref.id)
}

function consentMissing(context: PermissionContext, resource: string, description: string, number: number): OAuthError {
  const { baseUrl, registration, installation } = context
  return new OAuthError('invalid_scope', description, {
    number,
    suberror: 'admin_consent_required',
    consentUri: adminConsentUri(baseUrl, {
      applicationId: registration.applicationId,
      tenantId: installation.tenantId,
      scope: `${resource}/.default`,
    }),
  })
}
