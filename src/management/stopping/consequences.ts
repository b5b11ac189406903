// What hangs on an application, a person, a tenant or the signing keys: read before it is stopped, by the pages and
// commands that ask first, and by anybody else's. Counted at this moment and bounded; it changes nothing.

import type { FastifyInstance } from 'fastify'
import { DirectoryRefusal } from '../../directory/refusal.js'
import { countWithoutWay } from '../../storage/sql/people/ways/without-way.js'
import { countOf } from '../../storage/sql/usage/consequence-counts.js'
import { listMemberships } from '../../users/memberships/memberships.js'
import { takenProviders } from '../../users/sessions/tenant-ways.js'
import { type Caller, callerOf, requires } from '../access/access.js'
import { installableApplicationId, owns, ownTenantId } from '../access/ownership.js'
import type { ManagementDependencies } from '../dependencies.js'
import { ownUser } from '../people/people-rules.js'
import { isOperator, requireOwnTenant } from '../people/tenant-of-path.js'
import {
  type Consequences,
  type ConsequencesQuery,
  consequences,
  consequencesQuery,
  type WaysQuery,
  waysQuery,
} from './consequence-schemas.js'
import { counted, grantsOf, ofApplication } from './counted.js'

interface ById {
  Params: { id: string }
}

const answered = { response: { 200: consequences } }

/** `GET /applications|users|tenants/{id}/consequences` and `GET /keys/consequences`. */
export function consequenceRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.get<ById & { Querystring: ConsequencesQuery }>(
    '/applications/:id/consequences',
    { config: requires('Application.Read.All'), schema: { ...answered, querystring: consequencesQuery } },
    async (request) => {
      const caller = callerOf(request)
      const applicationId = await installableApplicationId(deps.store, caller, request.params.id)
      const tenantId = ownTenantId(caller, request.query.tenantId?.toLowerCase())
      return ofApplication(deps, { applicationId, tenantId })
    },
  )
  app.get<ById>('/users/:id/consequences', { config: requires('Member.Read.All'), schema: answered }, async (request) =>
    consequencesOfPerson(deps, callerOf(request), request.params.id),
  )
  app.get<ById & { Querystring: WaysQuery }>(
    '/tenants/:id/consequences',
    { config: requires('Member.Read.All'), schema: { ...answered, querystring: waysQuery } },
    async (request) => {
      const caller = callerOf(request)
      const { id } = request.params
      const tenantId = isOperator(caller) ? id.toLowerCase() : requireOwnTenant(caller, id)
      if ((await deps.directory.findTenant(tenantId)) === undefined) throw noTenant()
      return { ...(await ofPlace(deps, tenantId)), ...(await leftOut(deps, tenantId, request.query)) }
    },
  )
  app.get('/keys/consequences', { config: requires('Server.Read', 'operator'), schema: answered }, async () =>
    ofPlace(deps, undefined),
  )
}

/** Bounded as the other counts are; `atLeast` stays as it was, since the people of a tenant are in it too. */
async function leftOut(
  { store, settings }: ManagementDependencies,
  tenantId: string,
  { ownSignIn, signInProviders }: WaysQuery,
): Promise<Partial<Consequences>> {
  if (ownSignIn === undefined && signInProviders === undefined) return {}
  const names = signInProviders === undefined || signInProviders === 'all' ? null : signInProviders.split(',')
  const taken = takenProviders({ signInProviders: names }, settings.signIn.providers.values())
  const ways = { issuers: taken.map(({ issuer }) => issuer), own: ownSignIn !== 'owners' }
  return { withoutWay: await countWithoutWay(store.reader, tenantId, ways) }
}

function noTenant(): DirectoryRefusal {
  return new DirectoryRefusal('TenantNotFound', 'There is no such tenant.')
}

/** Where else somebody belongs, and with what they are signed in, is not the business of one tenant. */
async function consequencesOfPerson(deps: ManagementDependencies, caller: Caller, id: string): Promise<Consequences> {
  const { reader } = deps.store
  const { userId } = await ownUser(reader, caller, id)
  const places = await listMemberships(reader, { userId })
  const isAllTheirs = isOperator(caller) || places.every(({ tenantId }) => owns(caller, tenantId))
  const tenantId = isAllTheirs || caller.kind === 'local' ? undefined : caller.tenantId
  const { grants, applications } = await grantsOf(deps, { userId, tenantId })
  const sessions = isAllTheirs ? await countOf.sessions(reader, userId, deps.writes.now()) : null
  return counted(deps, { userId, tenantId }, { applications, people: 1, signIns: grants, sessions })
}

async function ofPlace(deps: ManagementDependencies, tenantId: string | undefined): Promise<Consequences> {
  const { reader } = deps.store
  const { grants } = await grantsOf(deps, { tenantId })
  const [applications, people] = [await countOf.applications(reader, tenantId), await countOf.people(reader, tenantId)]
  return counted(deps, { tenantId }, { applications, people, signIns: grants, sessions: null })
}
