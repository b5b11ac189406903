// Imports of what other products exported (decision 126): a look at what would be done, and doing it. Every application
// is registered or changed by the operations of the API itself in the name of the caller, so an import can do nothing
// that they could not do one by one.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../../http/answers/api-error.js'
import { listTenants } from '../../storage/sql/registrations/tenants.js'
import { type Caller, callerOf, requires } from '../access/access.js'
import { ownTenantId } from '../access/ownership.js'
import type { ManagementDependencies } from '../dependencies.js'
import { shownPermissions } from '../permissions/catalogue.js'
import { readCatalogue } from '../registrations/catalogue.js'
import { makesSecret } from '../registrations/plan.js'
import { RegistrationProblem } from '../registrations/problem.js'
import { sayWhatIsNotAllowed } from './allowed.js'
import { callsOf, finderOf } from './caller-calls.js'
import type { ImportResult } from './carry-out.js'
import { mostPrepared } from './import-bounds.js'
import { type ImportItem, planImport } from './import-plan.js'
import { type ImportAnswer, type ImportBody, importAnswers, importBodies } from './import-schemas.js'
import { oneAtATime } from './one-at-a-time.js'
import { unusedNames } from './permission-map.js'
import { prepare } from './prepared.js'
import { type Export, readExport } from './read-export.js'
import { runImport } from './run-import.js'

type ImportRequest = FastifyRequest<{ Body: ImportBody }>

/** With the JSON around the text, in which quotes take two characters. */
const bodyLimit = 2 * mostPrepared
/** Of one application; what is beyond is a number. */
const mostNotes = 50

/** `POST /imports/plan`, `POST /imports`. */
export function importRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  const config = requires('Application.ReadWrite.All')
  app.post<{ Body: ImportBody }>(
    '/imports/plan',
    { config, bodyLimit, schema: { body: importBodies.import, response: { 200: importAnswers.plan } } },
    async (request): Promise<ImportAnswer<'plan'>> =>
      inTurn(deps, request, async (tenantId) => {
        const { read, items } = await planned(deps, request, tenantId)
        const results = items.map(resultOf)
        return {
          ...summary(read, tenantId, { request, results }),
          value: results.map((result, at) => ({ ...shown(result), ...ofPlan(items[at]) })),
          prepared: prepare(read.source, read, items),
        }
      }),
  )
  app.post<{ Body: ImportBody }>(
    '/imports',
    { config, bodyLimit, schema: { body: importBodies.import, response: { 200: importAnswers.imported } } },
    async (request): Promise<ImportAnswer<'imported'>> =>
      inTurn(deps, request, async (tenantId) => {
        const { read, items } = await planned(deps, request, tenantId)
        const results = await runImport(items, { calls: callsOf(deps, request), refusalOf, now: deps.writes.now })
        const value = results.map((result) => {
          const { clientSecret, secret } = result.application ?? {}
          return {
            ...shown(result),
            ...(clientSecret === undefined ? {} : { clientSecret }),
            ...(secret === undefined ? {} : { secret }),
          }
        })
        return { ...summary(read, tenantId, { request, results }), value }
      }),
  )
}

/** One import of a tenant at a time. What is wrong with the file is told as one wrong field. */
async function inTurn<T>(
  deps: ManagementDependencies,
  request: ImportRequest,
  work: (tenantId: string) => Promise<T>,
): Promise<T> {
  const tenantId = await tenantOf(deps, request)
  try {
    const caller = callerOf(request)
    const { now } = deps.writes
    const turn = { instance: deps.store, tenantId, callerId: idOf(caller), now }
    return await oneAtATime(turn, () => work(tenantId))
  } catch (error) {
    if (!(error instanceof RegistrationProblem)) throw error
    const message = `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`
    throw new ApiError(400, 'InvalidImport', message, { target: 'content', cause: error })
  }
}

function idOf(caller: Caller): string | undefined {
  if (caller.kind === 'local') return undefined
  const { person, principal } = caller
  return person?.userId ?? (principal.kind === 'application' ? principal.applicationId : undefined)
}

async function tenantOf(deps: ManagementDependencies, request: ImportRequest): Promise<string> {
  const own = ownTenantId(callerOf(request), request.body.tenantId)
  const [first] = own === undefined ? await listTenants(deps.store.reader, 1) : []
  const tenantId = own ?? first?.id
  if (tenantId !== undefined) return tenantId
  throw new ApiError(404, 'TenantNotFound', 'There is no tenant yet: create one.', { target: 'tenantId' })
}

async function planned(deps: ManagementDependencies, request: ImportRequest, tenantId: string) {
  const { update = false } = request.body
  const read = await readExport(request.body)
  const value = shownPermissions(deps, callerOf(request))
  const items = await planImport(read, {
    catalogue: await readCatalogue({ listPermissions: async () => value }),
    find: finderOf(deps, callsOf(deps, request)),
    map: mapOf(request),
    tenantId,
    update,
    planOf: () => undefined,
    refusalOf,
  })
  const allowed = await sayWhatIsNotAllowed(deps, callerOf(request), items)
  const isPrepared = request.body.source === 'prepared'
  return { read, items: isPrepared ? allowed.map((item, at) => asSeen(item, read, at)) : allowed }
}

/** What somebody looked at is done, and nothing else: a change that they have not seen is not made over. */
function asSeen(item: ImportItem, { imported }: Export, at: number): ImportItem {
  const { plan: { result, tag, applicationId } = {}, plan: _plan, ...rest } = item
  const seen = imported[at]?.seen
  const isAsSeen = result === 'changed' ? tag === seen : result !== 'created' || seen === undefined
  if (isAsSeen) return item
  const reason = 'it has changed since you looked: look at the plan again'
  return { ...rest, result: 'failed', reason, ...(applicationId === undefined ? {} : { applicationId }) }
}

function mapOf({ body }: ImportRequest): ReadonlyMap<string, string> {
  return new Map(Object.entries(body.permissionMap ?? {}))
}

/** Of one application: a rule or a right that says no. What the server itself cannot do ends the whole. */
function refusalOf(error: unknown): string | undefined {
  if (error instanceof RegistrationProblem) return error.message
  return error instanceof ApiError && error.status < 500 && error.status !== 429 ? error.message : undefined
}

function resultOf({ one, notes, plan, result = 'failed', reason, applicationId }: ImportItem): ImportResult {
  const { sourceId, name, type } = one
  const known = plan?.applicationId ?? applicationId
  return {
    sourceId,
    name,
    type,
    notes,
    result: plan?.result ?? result,
    differences: plan?.differences ?? [],
    ...(reason === undefined ? {} : { reason }),
    ...(known === undefined ? {} : { applicationId: known }),
  }
}

function ofPlan(item: ImportItem | undefined) {
  const prefix = 'permission '
  const unknown =
    item?.notes.flatMap(({ field }) => (field.startsWith(prefix) ? [field.slice(prefix.length)] : [])) ?? []
  return {
    unknownPermissions: [...new Set(unknown)],
    makesSecret: item?.plan !== undefined && makesSecret(item.plan),
  }
}

function shown({
  application,
  ...result
}: ReturnType<typeof resultOf> | Awaited<ReturnType<typeof runImport>>[number]) {
  const applicationId = application?.applicationId ?? result.applicationId
  const beyond = result.notes.length - mostNotes
  const more = beyond > 0 ? [{ field: '…', message: `and ${beyond} more` }] : []
  return {
    ...result,
    ...(applicationId === undefined ? {} : { applicationId }),
    notes: [...result.notes.slice(0, mostNotes), ...more],
  }
}

function summary(
  read: Export,
  tenantId: string,
  { request, results }: { request: ImportRequest; results: Awaited<ReturnType<typeof runImport>> },
) {
  const count = (wanted: (typeof results)[number]['result']) => results.filter(({ result }) => result === wanted).length
  return {
    source: read.source,
    tenantId,
    counts: {
      created: count('created'),
      changed: count('changed'),
      unchanged: count('unchanged'),
      exists: count('exists'),
      failed: count('failed'),
      notReached: count('notReached'),
    },
    left: read.left,
    unusedNames: unusedNames(mapOf(request), read),
  }
}
