// A token of an application without its secret (decision 0069): for callers that may open the local socket, and for
// people who try the application out. To people it is short, of their own tenant, and no more than they could give
// themselves.

import type { FastifyInstance } from 'fastify'
import { write } from '../../directory/writes.js'
import { ApiError } from '../../http/answers/api-error.js'
import { appendAudit } from '../../ledger/append-audit.js'
import { parseScopeList } from '../../oauth/requests/scope.js'
import { readApplications } from '../../storage/sql/registrations/applications.js'
import type { Statements } from '../../storage/sql/store.js'
import { type Caller, callerOf, requires } from '../access/access.js'
import { writesOf } from '../access/origin.js'
import { ownApplicationId, ownTenantId } from '../access/ownership.js'
import type { ManagementDependencies } from '../dependencies.js'
import { type Answer, answers, type Body, bodies } from '../schemas.js'
import { checkMayEquip } from './ceiling.js'
import { checkMayChange } from './change-request.js'

/** `POST /applications/{id}/token`. */
export function applicationTokenRoute(app: FastifyInstance, deps: ManagementDependencies): void {
  app.post<{ Params: { id: string }; Body: Body<'issueToken'> }>(
    '/applications/:id/token',
    {
      config: requires('Application.ReadWrite.All'),
      schema: { body: bodies.issueToken, response: { 200: answers.token } },
    },
    async (request) => {
      const caller = callerOf(request)
      const applicationId = await ownApplicationId(deps.store, caller, request.params.id)
      const { scope } = request.body
      const tenantId = ownTenantId(caller, request.body.tenantId)
      const isLocal = caller.kind === 'local'
      const token = isLocal
        ? await deps.issueForOperator({ applicationId, scope, tenantId })
        : await issueForTrial(deps, caller, { applicationId, scope, tenantId })
      // Nobody consented to this person having it, so it is not handed out before that is written down.
      const event = isLocal ? 'token.issued-to-operator' : 'token.issued-for-trial'
      const mayStill = (tx: Statements) => checkMayTry(deps, tx, { caller, applicationId })
      const writes = writesOf(deps, request, isLocal ? undefined : mayStill)
      const about = { event, applicationId, tenantId: tenantId ?? (await homeOf(deps, applicationId)) } as const
      await write(writes, ({ tx }) => appendAudit(writes, tx, about))
      noteIssued(deps, caller, { applicationId, tenantId, scope: token.scope ?? scope })
      return token
    },
  )
}

/** The tenant that learns of it where the operator names none. */
async function homeOf({ store }: ManagementDependencies, applicationId: string): Promise<string | undefined> {
  const [found] = await store.snapshot((tx) => readApplications(tx, 'id', applicationId))
  return found?.application.tenant_id
}

/** Beside the application's own token requests, so that a count of the tokens that may be out includes it. */
function noteIssued(
  { decisions }: ManagementDependencies,
  caller: Caller,
  issued: { applicationId: string; tenantId: string | undefined; scope: string | undefined },
): void {
  const { applicationId, tenantId, scope = '' } = issued
  const { requestId } = caller.origin
  if (requestId === undefined) return
  const ids = parseScopeList(scope).map((entry) => entry.slice(entry.lastIndexOf('/') + 1))
  decisions.note({
    what: 'token',
    outcome: 'granted',
    reason: 'granted',
    status: 200,
    isProved: true,
    applicationId,
    tenantId,
    requestId,
    grantType: caller.kind === 'local' ? 'operator' : 'trial',
    userId: caller.kind === 'local' ? undefined : caller.person?.userId,
    permissions: ids.filter((id) => id !== 'default' && id !== '.default'),
  })
}

async function issueForTrial(
  deps: ManagementDependencies,
  caller: Extract<Caller, { kind: 'member' }>,
  params: { applicationId: string; scope: string | undefined; tenantId: string | undefined },
): Promise<Answer<'token'>> {
  if (caller.person === undefined) {
    const message = 'This is for people who try an application out. An application gets tokens at the token endpoint.'
    throw new ApiError(403, 'PeopleOnly', message)
  }
  const { applicationId } = params
  await deps.store.snapshot((tx) => checkMayTry(deps, tx, { caller, applicationId }))
  return deps.issueForOperator({ ...params, trial: true })
}

/**
 * A token of an application is as good as a secret of it, for as long as it lasts. Looked at before it is issued, and again
 * before it is handed out: an administrator may have granted the application more in between, and the token has it.
 */
async function checkMayTry(
  { settings: { catalogue } }: ManagementDependencies,
  tx: Statements,
  { caller, applicationId }: { caller: Caller; applicationId: string },
): Promise<void> {
  const params = { tx, catalogue, caller, applicationId }
  await checkMayChange(params)
  await checkMayEquip(params)
}
