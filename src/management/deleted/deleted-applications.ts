// Applications that were deleted and can be restored (decision 129). Who may read applications sees which there are; who
// decides about them is in restore-rules.ts.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { onlyIf } from '../../directory/actor.js'
import { noDeleted, purgeDeleted } from '../../directory/deleted/keep-deleted.js'
import { momentOf } from '../../directory/deleted/moment.js'
import { restoreApplication } from '../../directory/deleted/restore-application.js'
import type { DirectoryWrites } from '../../directory/writes.js'
import { parseClientIdentifier } from '../../oauth/secrets/client-identifier.js'
import { readNames, readPeopleNames } from '../../storage/sql/ledger/audit-names.js'
import { listDeleted } from '../../storage/sql/registrations/deleted/deleted-lists.js'
import { type DeletedLine, endOf, readDeleted } from '../../storage/sql/registrations/deleted/deleted-rows.js'
import { readKept } from '../../storage/sql/registrations/deleted/kept-content.js'
import type { Statements } from '../../storage/sql/store.js'
import { type Caller, callerOf, requires } from '../access/access.js'
import { writesOf } from '../access/origin.js'
import { ownTenantId } from '../access/ownership.js'
import { openPageToken, type PageQuery, pageLink, pageQuery } from '../answers/page.js'
import { readApplicationAnswer } from '../applications/application-answer.js'
import { consentOf } from '../consents/entitlement.js'
import type { ManagementDependencies } from '../dependencies.js'
import { answers } from '../schemas.js'
import {
  type DeletedApplications,
  deletedApplications,
  deletedDetails,
  type RestoreBody,
  restoreBody,
} from './deleted-schemas.js'
import { checkMayDecide, checkMayRestore, type Kept, refusalOf } from './restore-rules.js'
import { whatReturns } from './what-returns.js'

const path = '/deletedApplications'
const list = 'deleted applications'

interface ById {
  Params: { id: string }
}

/** `GET /deletedApplications`, `GET|DELETE /deletedApplications/{id}`, `POST /deletedApplications/{id}/restore`. */
export function deletedApplicationRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.get<{ Querystring: PageQuery }>(
    path,
    {
      config: requires('Application.Read.All'),
      schema: { querystring: pageQuery, response: { 200: deletedApplications } },
    },
    async (request) => {
      const { limit, after } = openPageToken(deps.pagingKey, request.query, list)
      const tenantId = ownTenantId(callerOf(request), undefined)
      const { reader } = deps.store
      const rows = await listDeleted(reader, { tenantId, after, limit: limit + 1, ...now(deps) })
      const shown = rows.slice(0, limit)
      const texts = await readKept(
        reader,
        shown.map(({ id }) => id),
      )
      const known = shown.flatMap((row) => knownOf(row, texts.get(row.id)))
      const value = await toAnswers(deps, reader, known, callerOf(request))
      const last = rows.length > limit ? rows[limit - 1] : undefined
      return last === undefined ? { value } : { value, nextLink: pageLink(deps.pagingKey, { path, list }, limit, last) }
    },
  )
  app.get<ById>(
    `${path}/:id`,
    { config: requires('Application.Read.All'), schema: { response: { 200: deletedDetails } } },
    async (request) => {
      const caller = callerOf(request)
      return deps.store.snapshot(async (tx) => {
        const row = await readDeleted(tx, { ...whichOf(request), ...now(deps) })
        const [known] = knownOf(row, row?.kept)
        if (known === undefined) throw noDeleted()
        const [answer] = await toAnswers(deps, tx, [known], caller)
        if (answer === undefined) throw noDeleted()
        return { ...answer, ...(await whatReturns(tx, known, deps.writes.now())) }
      })
    },
  )
  app.post<ById & { Body: RestoreBody }>(
    `${path}/:id/restore`,
    {
      config: requires('Application.ReadWrite.All'),
      schema: { body: restoreBody, response: { 200: answers.application } },
    },
    async (request) => {
      const caller = callerOf(request)
      const { credentials = false, consents = false } = request.body
      const { writes, which } = await decideOn(deps, request, (known) =>
        checkMayRestore(deps.settings.catalogue, caller, known),
      )
      const consent = consents ? consentOf(deps, caller) : undefined
      const { applicationId } = await restoreApplication(writes, { ...which, credentials, consent })
      return readApplicationAnswer(deps, applicationId, caller)
    },
  )
  app.delete<ById>(`${path}/:id`, { config: requires('Application.ReadWrite.All') }, async (request, reply) => {
    const caller = callerOf(request)
    const { writes, which } = await decideOn(deps, request, (known) => checkMayDecide(caller, known))
    await purgeDeleted(writes, which)
    return reply.code(204).send()
  })
}

interface Decided {
  writes: DirectoryWrites
  which: { id: string; tenantId: string | undefined }
}

/**
 * Which one it is about, and writes that are refused unless the caller may decide about it: checked now, and again in
 * the transaction that writes. Throws DirectoryRefusal and ApiError.
 */
async function decideOn(
  deps: ManagementDependencies,
  request: FastifyRequest<ById>,
  checkMay: (known: Kept) => void,
): Promise<Decided> {
  const which = whichOf(request)
  const writes = writesOf(deps, request)
  const check = async (tx: Statements) => {
    const row = await readDeleted(tx, { ...which, ...momentOf(writes, { nowMs: writes.now() }) })
    const [known] = knownOf(row, row?.kept)
    if (known === undefined) throw noDeleted()
    checkMay(known)
  }
  await deps.store.snapshot(check)
  return { writes: onlyIf(writes, check), which }
}

function whichOf(request: FastifyRequest<ById>): Decided['which'] {
  return { id: parseClientIdentifier(request.params.id) ?? '', tenantId: ownTenantId(callerOf(request), undefined) }
}

function now({ writes }: Pick<ManagementDependencies, 'writes'>) {
  return momentOf(writes, { nowMs: writes.now() })
}

/** None without what is kept: it left meanwhile. */
function knownOf(row: DeletedLine | undefined, text: string | undefined): Kept[] {
  return row === undefined || text === undefined ? [] : [{ row, kept: JSON.parse(text) }]
}

async function toAnswers(
  deps: ManagementDependencies,
  reader: Statements,
  all: readonly Kept[],
  caller: Caller,
): Promise<DeletedApplications['value']> {
  const tenantId = ownTenantId(caller, undefined)
  const ids = [...new Set(all.map(({ row }) => row.deleted_by).filter((id) => id !== ''))]
  const people = await readPeopleNames(reader, ids, tenantId)
  const names = new Map(
    [...(await readNames(reader, 'applications', ids)), ...people].map(({ id, name }) => [id, name]),
  )
  const { restorableMs } = now(deps)
  return all.map((known) => {
    const { row } = known
    const refusal = refusalOf(() => checkMayRestore(deps.settings.catalogue, caller, known))
    return {
      applicationId: row.id,
      publicKey: row.public_key,
      tenantId: row.tenant_id,
      name: row.name,
      type: row.type === 'web' ? 'web' : 'native',
      deletedAt: new Date(Number(row.deleted_at)).toISOString(),
      deletedBy: row.deleted_by,
      deletedByName: names.get(row.deleted_by) ?? '',
      restorableUntil: new Date(endOf(row, restorableMs)).toISOString(),
      mayDecide: refusalOf(() => checkMayDecide(caller, known)) === undefined,
      mayRestore: refusal === undefined,
      restoreRefusal: refusal ?? null,
    }
  })
}
