// What hangs on an application, a person, a tenant or the signing keys: read before it is stopped, by the pages and
// commands that ask first, and by anybody else's. Counted at this moment and bounded; it changes nothing.

import type { FastifyInstance } from 'fastify'
import { DirectoryRefusal } from '../../directory/refusal.js'
import { callsOverTime } from '../../history/calls.js'
import type { Recent } from '../../history/history.js'
import { countWithoutWay } from '../../storage/sql/people/ways/without-way.js'
import { countGrants, countOf, mostCounted, type Subject } from '../../storage/sql/usage/consequence-counts.js'
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

interface ById {
  Params: { id: string }
}

/** As many as ledger/decisions.ts keeps of one application. */
const recordedTokens = 200
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
      const { grants, people } = await grantsOf(deps, { applicationId, tenantId })
      return answer(deps, { applicationId, tenantId }, { applications: 1, people, signIns: grants, sessions: null })
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
  return answer(deps, { userId, tenantId }, { applications, people: 1, signIns: grants, sessions })
}

async function ofPlace(deps: ManagementDependencies, tenantId: string | undefined): Promise<Consequences> {
  const { reader } = deps.store
  const { grants } = await grantsOf(deps, { tenantId })
  const [applications, people] = [await countOf.applications(reader, tenantId), await countOf.people(reader, tenantId)]
  return answer(deps, { tenantId }, { applications, people, signIns: grants, sessions: null })
}

function grantsOf({ store, writes }: ManagementDependencies, subject: Subject) {
  return countGrants(store.reader, subject, writes.now())
}

type Counts = Pick<Consequences, 'applications' | 'people' | 'signIns' | 'sessions'>

async function answer(deps: ManagementDependencies, subject: Subject, counts: Counts): Promise<Consequences> {
  const { lifetimeSeconds } = deps.settings.tokens
  // What this instance has recorded and not written belongs to it too.
  await deps.decisions.flush()
  const tokens = await countOf.tokens(deps.store.reader, subject, deps.writes.now() - lifetimeSeconds * 1000)
  const counted = { ...counts, tokens }
  const fullFrom = { applications: mostCounted, people: mostCounted, signIns: mostCounted, sessions: mostCounted }
  const atLeast = Object.entries({ ...fullFrom, tokens: recordedTokens }) as [keyof typeof counted, number][]
  return {
    tenantId: subject.tenantId ?? null,
    withoutWay: null,
    ...counted,
    tokenLifetimeSeconds: lifetimeSeconds,
    calls: subject.userId === undefined ? await callsOf(deps, subject) : null,
    atLeast: atLeast.filter(([name, most]) => (counted[name] ?? 0) >= most).map(([name]) => name),
  }
}

/** Out of the short history, which every instance writes down for the others. */
async function callsOf({ history }: ManagementDependencies, { applicationId, tenantId }: Subject) {
  const filter = {
    ...(applicationId === undefined ? {} : { applicationId }),
    ...(tenantId === undefined ? {} : { tenantId }),
  }
  const sum = (recent: Recent) => callsOverTime(recent, filter).reduce((all, { allowed }) => all + allowed, 0)
  return { lastHour: sum(await history.recent('1h')), lastDay: sum(await history.recent('24h')) }
}
