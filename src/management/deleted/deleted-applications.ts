// Applications that were deleted and can be restored (decision 129). Who may read applications sees which there are;
// an administrator of the tenant restores them, and who deleted one takes that back.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { noDeleted, purgeDeleted } from '../../directory/deleted/keep-deleted.js'
import { restoreApplication } from '../../directory/deleted/restore-application.js'
import type { DirectoryWrites } from '../../directory/writes.js'
import { ApiError } from '../../http/answers/api-error.js'
import { parseClientIdentifier } from '../../oauth/secrets/client-identifier.js'
import { readNames, readPeopleNames } from '../../storage/sql/ledger/audit-names.js'
import { listDeleted } from '../../storage/sql/registrations/deleted/deleted-lists.js'
import { type DeletedLine, type DeletedRow, readDeleted } from '../../storage/sql/registrations/deleted/deleted-rows.js'
import type { KeptRows } from '../../storage/sql/registrations/deleted/kept-rows.js'
import type { Statements } from '../../storage/sql/store.js'
import { isAdministrator } from '../../users/memberships/roles.js'
import { type Caller, callerOf, requires } from '../access/access.js'
import { writesOf } from '../access/origin.js'
import { ownTenantId } from '../access/ownership.js'
import { openPageToken, type PageQuery, pageLink, pageQuery } from '../answers/page.js'
import { readApplicationAnswer } from '../applications/application-answer.js'
import { checkMayList } from '../applications/ceiling.js'
import { consentOf } from '../consents/entitlement.js'
import type { ManagementDependencies } from '../dependencies.js'
import { answers } from '../schemas.js'
import {
  type DeletedApplications,
  type DeletedDetails,
  deletedApplications,
  deletedDetails,
  type RestoreBody,
  restoreBody,
} from './deleted-schemas.js'

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
      const rows = await listDeleted(reader, { tenantId, after, limit: limit + 1, nowMs: deps.writes.now() })
      const value = await toAnswers(reader, rows.slice(0, limit), callerOf(request))
      const last = rows.length > limit ? rows[limit - 1] : undefined
      return last === undefined ? { value } : { value, nextLink: pageLink(deps.pagingKey, { path, list }, limit, last) }
    },
  )
  app.get<ById>(
    `${path}/:id`,
    { config: requires('Application.Read.All'), schema: { response: { 200: deletedDetails } } },
    async (request) => {
      const caller = callerOf(request)
      const row = await readDeleted(deps.store.reader, { ...whichOf(request), nowMs: deps.writes.now() })
      if (row === undefined) throw noDeleted()
      const [answer] = await toAnswers(deps.store.reader, [row], caller)
      return { ...answer, ...countsOf(JSON.parse(row.kept)) }
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
      const { writes, which } = await decideOn(deps, request, (row) => {
        const kept = JSON.parse(row.kept) as KeptRows
        const configured = (kept.configured_permissions ?? []).map(toRef)
        checkMayList(deps.settings.catalogue, caller, configured)
      })
      const consent = consents ? consentOf(deps, caller) : undefined
      const { applicationId } = await restoreApplication(writes, { ...which, credentials, consent })
      return readApplicationAnswer(deps, applicationId, caller)
    },
  )
  app.delete<ById>(`${path}/:id`, { config: requires('Application.ReadWrite.All') }, async (request, reply) => {
    const { writes, which } = await decideOn(deps, request)
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
  also?: (row: DeletedRow) => void,
): Promise<Decided> {
  const caller = callerOf(request)
  const which = whichOf(request)
  const writes = writesOf(deps, request)
  const check = async (tx: Statements) => {
    const row = await readDeleted(tx, { ...which, nowMs: writes.now() })
    if (row === undefined) throw noDeleted()
    checkMayDecide(caller, row)
    also?.(row)
  }
  await deps.store.snapshot(check)
  const precondition = async (tx: Statements) => {
    await writes.precondition?.(tx)
    await check(tx)
  }
  return { writes: { ...writes, precondition }, which }
}

function whichOf(request: FastifyRequest<ById>): Decided['which'] {
  return { id: parseClientIdentifier(request.params.id) ?? '', tenantId: ownTenantId(callerOf(request), undefined) }
}

/** Administrators of its tenant, and who deleted it. */
function mayDecide(caller: Caller, { deleted_by: deletedBy }: Pick<DeletedLine, 'deleted_by'>): boolean {
  if (caller.kind === 'local') return true
  const { person, principal } = caller
  if (person !== undefined && isAdministrator(person.role)) return true
  const callerId = person?.userId ?? (principal.kind === 'application' ? principal.applicationId : undefined)
  return callerId === deletedBy
}

/** Throws ApiError 403. */
function checkMayDecide(caller: Caller, row: DeletedRow): void {
  if (mayDecide(caller, row)) return
  const message = 'This is for the administrators of the tenant, and for who deleted the application.'
  throw new ApiError(403, 'RoleRequired', message, { more: { role: 'administrator' } })
}

async function toAnswers(
  reader: Statements,
  rows: readonly DeletedLine[],
  caller: Caller,
): Promise<DeletedApplications['value']> {
  const tenantId = ownTenantId(caller, undefined)
  const ids = [...new Set(rows.map((row) => row.deleted_by).filter((id) => id !== ''))]
  const people = await readPeopleNames(reader, ids, tenantId)
  const names = new Map(
    [...(await readNames(reader, 'applications', ids)), ...people].map(({ id, name }) => [id, name]),
  )
  return rows.map((row) => ({
    applicationId: row.id,
    publicKey: row.public_key,
    tenantId: row.tenant_id,
    name: row.name,
    type: row.type === 'web' ? 'web' : 'native',
    deletedAt: new Date(Number(row.deleted_at)).toISOString(),
    deletedBy: row.deleted_by,
    deletedByName: names.get(row.deleted_by) ?? '',
    restorableUntil: new Date(Number(row.purge_at)).toISOString(),
    mayDecide: mayDecide(caller, row),
  }))
}

function countsOf(kept: KeptRows): Pick<DeletedDetails, 'credentials' | 'consents'> {
  const jwks = kept.applications[0]?.['jwks']
  const keys = typeof jwks === 'string' ? (JSON.parse(jwks) as { keys: unknown[] }).keys.length : 0
  const {
    application_secrets: secrets = [],
    federated_credentials: trusted = [],
    permission_grants: granted = [],
  } = kept
  return { credentials: secrets.length + trusted.length + keys, consents: granted.length }
}

function toRef(row: Readonly<Record<string, unknown>>) {
  const kind = row['kind'] === 'application' ? ('application' as const) : ('delegated' as const)
  return { kind, resource: String(row['resource']), id: String(row['permission_id']) }
}
