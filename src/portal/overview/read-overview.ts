// What the overview shows, from the management API: what is of the person's role and of nobody else's.

import type { ConsentAnswer } from '../../management/consents/consent-schemas.js'
import type { Overview } from '../../management/overview/overview-schemas.js'
import type { Answer } from '../../management/schemas.js'
import { isAtLeast } from '../../users/memberships/roles.js'
import type { PortalContext } from '../context.js'
import { readUsage, type Usage } from '../usage/read-usage.js'
import type { recentStretchOf } from '../usage/stretch.js'
import { planRequestsPath } from '../waiting.js'

/** What administrators look after. */
export interface Administration {
  people: Overview<'people'>
  signIns: Overview<'signIns'>
  unused: Overview<'unusedPermissions'>
  consentRequests: number
  planRequests: number
}

/** What operators look after. */
export interface Operation {
  server: Overview<'server'>
  status: Answer<'status'>
}

export interface OverviewOfPerson {
  usage: Usage
  applications: Overview<'applications'>
  administration: Administration | undefined
  operation: Operation | undefined
}

/** Of the current tenant, and for operators of the server. Throws ApiError. */
export async function readOverview(
  context: PortalContext,
  stretch: ReturnType<typeof recentStretchOf>,
  nowMs: number,
): Promise<OverviewOfPerson> {
  const isAdministrator = isAtLeast(context.currentTenant.role, 'administrator')
  const [usage, applications, administration, operation] = await Promise.all([
    readUsage(context, { stretch, nowMs }),
    context.api<Overview<'applications'>>('GET', '/overview/applications'),
    isAdministrator ? readAdministration(context, stretch.query) : undefined,
    context.person.user.isOperator ? readOperation(context, stretch.query) : undefined,
  ])
  return { usage, applications, administration, operation }
}

async function readAdministration(context: PortalContext, query: string): Promise<Administration> {
  const [people, signIns, unused, requests] = await Promise.all([
    context.api<Overview<'people'>>('GET', '/overview/people'),
    context.api<Overview<'signIns'>>('GET', `/overview/signIns?${query}`),
    context.api<Overview<'unusedPermissions'>>('GET', '/overview/unusedPermissions'),
    context.api<ConsentAnswer<'requests'>>('GET', '/consentRequests?state=pending'),
  ])
  // As the navigation counts them, no further than it.
  const planRequests = Number.parseInt(context.waiting.get(planRequestsPath) ?? '0', 10)
  return { people, signIns, unused, consentRequests: requests.value.length, planRequests }
}

async function readOperation(context: PortalContext, query: string): Promise<Operation> {
  const [server, status] = await Promise.all([
    context.api<Overview<'server'>>('GET', `/overview/server?${query}`),
    context.api<Answer<'status'>>('GET', '/status'),
  ])
  return { server, status }
}
