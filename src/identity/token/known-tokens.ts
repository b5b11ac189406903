// What an application's last token requests were decided to be for. A client requests the same token again and again;
// the decision is remembered for as long as each record that it was made of is the very same object: records of the
// directory, and the catalogue's list of permissions, are replaced when they change, and never changed.

import type { Catalogue } from '../../config/settings/settings.js'
import type { Installation, Registration, Tenant } from '../../directory/records.js'
import type { IssuingDependencies } from '../dependencies.js'
import type { ApplicationToken } from './issue-token.js'

type Deps = Pick<IssuingDependencies, 'directory' | 'settings'>

/** A request's parameters as they were written. */
export interface WrittenRequest {
  scope: string | undefined
  requestedScopes: string | undefined
  tenant: string | undefined
  requestedEnrollment: string | undefined
  resources: readonly string[]
}

interface Records {
  /** The catalogue itself lives on when it changes; this list of it is another one then. */
  permissions: Catalogue['permissions']
  home: Tenant | undefined
  tenant: Tenant | undefined
  installation: Installation | undefined
}

interface Known {
  request: WrittenRequest
  tenantId: string
  records: Records
  token: ApplicationToken
}

/** Of one application, of all of them, and the longest parameters that are remembered. */
const mostOfOne = 4
const mostOfAll = 4_096
const longestRequest = 512

let known = new WeakMap<Registration, readonly Known[]>()
let size = 0

/** What was decided on this request before, when it would be decided so again. */
export function findKnownToken(
  deps: Deps,
  registration: Registration,
  request: WrittenRequest,
): ApplicationToken | undefined {
  const one = known.get(registration)?.find((each) => isSameRequest(each.request, request))
  if (one === undefined) return undefined
  const now = recordsOf(deps, registration, one.tenantId)
  return now !== undefined && isSame(one.records, now) ? one.token : undefined
}

/**
 * Decides by `decide`, and remembers what it gives when everything that it is made of lies in memory and stayed as it
 * was. Throws as `decide` does; that is not remembered.
 */
export async function decideAndRemember(
  deps: Deps,
  registration: Registration,
  { request, tenantId, decide }: { request: WrittenRequest; tenantId: string; decide: () => Promise<ApplicationToken> },
): Promise<ApplicationToken> {
  const before = recordsOf(deps, registration, tenantId)
  const token = await decide()
  const after = recordsOf(deps, registration, tenantId)
  if (before !== undefined && after !== undefined && isSame(before, after)) {
    remember(registration, { request, tenantId, records: before, token })
  }
  return token
}

/** Undefined when some have to be loaded. */
function recordsOf({ directory, settings }: Deps, registration: Registration, tenantId: string): Records | undefined {
  const { applicationId, tenantId: homeId } = registration
  const home = directory.findTenant(homeId)
  const tenant = tenantId === homeId ? home : directory.findTenant(tenantId)
  const installation = directory.findInstallation(applicationId, tenantId)
  if (home instanceof Promise || tenant instanceof Promise || installation instanceof Promise) return undefined
  return { permissions: settings.catalogue.permissions, home, tenant, installation }
}

function remember(registration: Registration, one: Known): void {
  if (lengthOf(one.request) > longestRequest) return
  if (size >= mostOfAll) {
    known = new WeakMap()
    size = 0
  }
  const before = known.get(registration) ?? []
  const others = before.filter((each) => !isSameRequest(each.request, one.request)).slice(1 - mostOfOne)
  known.set(registration, [...others, one])
  size += others.length + 1 - before.length
}

function isSame(a: Records, b: Records): boolean {
  const isOneCatalogue = a.permissions === b.permissions
  return isOneCatalogue && a.home === b.home && a.tenant === b.tenant && a.installation === b.installation
}

function isSameRequest(a: WrittenRequest, b: WrittenRequest): boolean {
  return (
    a.scope === b.scope &&
    a.requestedScopes === b.requestedScopes &&
    a.tenant === b.tenant &&
    a.requestedEnrollment === b.requestedEnrollment &&
    a.resources.length === b.resources.length &&
    a.resources.every((resource, i) => resource === b.resources[i])
  )
}

function lengthOf({ scope, requestedScopes, tenant, requestedEnrollment, resources }: WrittenRequest): number {
  const texts = [scope, requestedScopes, tenant, requestedEnrollment, ...resources]
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0)
}
