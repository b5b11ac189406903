// What an exchanged token may do (decision 154): of what is requested, what the client may do for this person by its
// own permissions and consents, what the applications whose calls it serves could do for them, and what the person's
// role allows. For the resource of the subject token itself, no more than that token may do either.

import { isManagementPermission } from '../../../config/routes/management-permissions.js'
import type { Catalogue } from '../../../config/settings/settings.js'
import { includesPermission } from '../../../directory/consents/consent-rules.js'
import type { Registration } from '../../../directory/records.js'
import { errorNumber } from '../../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../../oauth/errors/errors.js'
import { adminConsentUri } from '../../../oauth/requests/admin-consent-uri.js'
import type { RequestParameters } from '../../../oauth/requests/parameters.js'
import { readScopeList } from '../../../oauth/requests/scope.js'
import { readScopeRequest } from '../../../oauth/requests/scope-request.js'
import type { IdentityDependencies } from '../../dependencies.js'
import { invalidScope, nameOf } from '../invalid-scope.js'
import { resourceOfDefault, resourceOfNothing, resourceOfPermissions } from '../resource.js'
import { type Held, type Holder, heldPermissions } from './held-permissions.js'
import { refusedSubject } from './refusals.js'
import type { Subject } from './subject.js'

export interface ExchangedPermissions {
  resource: string
  /** Plain ids, never empty. */
  permissions: readonly string[]
  /** The `scope` of the answer: a default is echoed first, as it was written. */
  scope: string
  /** When the first is over of what the person allowed the client, or an application of the chain, with an end (epoch ms). */
  endsAt: number | undefined
}

type Deps = Pick<IdentityDependencies, 'directory' | 'now' | 'settings' | 'store'>

interface ExchangeRequest {
  registration: Registration
  subject: Subject
  /** How the person had signed in. */
  acr: string
}

/** Decides. Throws OAuthError `invalid_scope`, `invalid_target`, `invalid_request`; StoreUnavailable. */
export async function exchangedPermissions(
  deps: Deps,
  request: ExchangeRequest,
  parameters: RequestParameters,
): Promise<ExchangedPermissions> {
  const { catalogue } = deps.settings
  const target = readTarget(deps, parameters)
  const { resource } = target
  const ids = target.ids ?? exchangeable(catalogue, resource)
  for (const id of ids) checkExchangeable(catalogue, resource, id)
  const { ids: own, endsAt } = await heldPermissions(deps, holderOf(request, request.registration), resource, ids)
  const bounds = await boundsOf(deps, request, resource, ids)
  const isWithin = (id: string) =>
    bounds.every((held) => catalogue.satisfying('delegated', resource, id).some((one) => held.ids.has(one)))
  const permissions = ids.filter((id) => own.has(id) && isWithin(id))
  const refused = (target.ids ?? (permissions.length === 0 ? ids : [])).filter((id) => !permissions.includes(id))
  if (refused.length > 0 || permissions.length === 0) throw refusal(deps, request, { resource, refused, own })
  const { written } = target
  const scope = [...(written === undefined ? [] : [written]), ...permissions].join(' ')
  return { resource, permissions, scope, endsAt: firstOf([endsAt, ...bounds.map((held) => held.endsAt)]) }
}

function firstOf(ends: readonly (number | undefined)[]): number | undefined {
  const known = ends.filter((end) => end !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

/** All delegated permissions of a resource that an exchange can give. */
function exchangeable(catalogue: Catalogue, resource: string): string[] {
  return catalogue.permissions
    .filter((one) => one.resource === resource && one.kinds.includes('delegated'))
    .map(({ id }) => id)
    .filter((id) => !isManagementPermission(catalogue, { resource, id }))
}

/**
 * Who looks after applications, consents and people through an application is bound by who keeps that application
 * (decision 105). Of a chain it would be the keepers of its last one, so an exchange gives none of it.
 */
function checkExchangeable(catalogue: Catalogue, resource: string, id: string): void {
  if (catalogue.find('delegated', resource, id) === undefined)
    throw invalidScope(`Permission ${nameOf(id)} is not a delegated permission of the resource.`)
  if (isManagementPermission(catalogue, { resource, id }))
    throw invalidScope(`Permission ${nameOf(id)} is of the management API: no exchange gives it.`)
}

/** What is requested: single permissions, or without `ids` all of a resource. `audience` is another name of `resource`. */
function readTarget(
  { settings: { catalogue } }: Deps,
  parameters: RequestParameters,
): { resource: string; ids?: readonly string[]; written?: string } {
  const audience = parameters.get('audience')
  const resources = [...new Set([...parameters.resources, ...(audience === undefined ? [] : [audience])])]
  const entries = readScopeList(parameters.get('scope'), parameters.get('requested_scopes'))
  const request = readScopeRequest(entries, (id) => catalogue.resourcesOf(id).length > 0)
  switch (request.kind) {
    case 'nothing':
      if (resources.length > 0) return { resource: resourceOfNothing(catalogue, resources) }
      throw new OAuthError('invalid_request', 'The request must contain resource or scope: what the token is for.', {
        number: errorNumber.missingParameter,
      })
    case 'default': {
      const { written, resource } = request
      return {
        written,
        resource: resourceOfDefault(catalogue, { written: resource, resources, withConsent: new Set() }),
      }
    }
    case 'permissions': {
      const { permissions } = request
      const resource = resourceOfPermissions(catalogue, permissions, resources, 'delegated')
      return { resource, ids: [...new Set(permissions.map(({ id }) => id))] }
    }
  }
}

/** What each of the others could do there; the client's own is not among them. */
async function boundsOf(
  deps: Deps,
  request: ExchangeRequest,
  resource: string,
  ids: readonly string[],
): Promise<readonly Held[]> {
  const { catalogue } = deps.settings
  const { subject } = request
  const itself: Held = { ids: new Set(subject.permissions), endsAt: undefined }
  const bounds = resource === subject.resource ? [itself] : []
  // What the configuration says now, also when the token is older.
  if (catalogue.resources.get(subject.resource)?.exchange?.ceiling === 'person') return bounds
  const enough = [...new Set(ids.flatMap((id) => catalogue.satisfying('delegated', resource, id)))]
  for (const applicationId of new Set(subject.via.map(({ client_id }) => client_id))) {
    const registration = await deps.directory.findRegistration(applicationId)
    if (registration === undefined) {
      throw refusedSubject(
        'An application of the subject token is gone.',
        errorNumber.subjectRevoked,
        'application_gone',
      )
    }
    bounds.push(await heldPermissions(deps, holderOf(request, registration), resource, enough))
  }
  return bounds
}

function holderOf({ subject: { userId, tenantId }, acr }: ExchangeRequest, registration: Registration): Holder {
  return { registration, userId, tenantId, acr }
}

/** Of several that are refused, one that the client has for itself is told first. */
function refusal(
  { settings }: Deps,
  { registration, subject }: ExchangeRequest,
  { resource, refused, own }: { resource: string; refused: readonly string[]; own: ReadonlySet<string> },
): OAuthError {
  const id = refused.find((one) => own.has(one)) ?? refused[0]
  if (id === undefined) return invalidScope('The resource has no delegated permissions.')
  const name = nameOf(id)
  if (own.has(id)) {
    const description = `Permission ${name} is more than the caller of the subject token could have itself.`
    return invalidScope(description, errorNumber.beyondSubject)
  }
  if (!includesPermission(registration.configured, { kind: 'delegated', resource, id })) {
    return invalidScope(`Permission ${name} is not configured for this application.`)
  }
  const description = `Permission ${name} is not consented to for this application, or the role of the person does not allow it.`
  return new OAuthError('invalid_scope', description, {
    number: errorNumber.noConsent,
    suberror: 'admin_consent_required',
    consentUri: adminConsentUri(settings.server.baseUrl, {
      applicationId: registration.applicationId,
      tenantId: subject.tenantId,
      scope: `${resource}/${id}`,
    }),
  })
}
