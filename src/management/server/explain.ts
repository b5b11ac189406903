// Why a call would be allowed or refused, for those whose application it is: the gate's own explanation
// (gateway/explain/), which says nothing that belongs to another tenant. Reads only.

import { isIP } from 'node:net'
import { basename } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { DirectoryRefusal } from '../../directory/refusal.js'
import { Explanation } from '../../gateway/explain/explanation.js'
import type { CallQuestion } from '../../gateway/explain/question.js'
import { operationNamed } from '../../gateway/mcp/named-operation.js'
import { ApiError } from '../../http/answers/api-error.js'
import { commandLineClient } from '../../oauth/command-line-client.js'
import { parseGuid } from '../../oauth/secrets/guid.js'
import { findMembership } from '../../users/memberships/memberships.js'
import { UserRefusal } from '../../users/refusal.js'
import { type Caller, callerOf, requires } from '../access/access.js'
import { ownApplicationId, owns, ownTenantId } from '../access/ownership.js'
import type { ManagementDependencies } from '../dependencies.js'
import { isOperator } from '../people/tenant-of-path.js'
import { type ExplainBody, explainBody } from './explain-schemas.js'

/** `POST /explain`. */
export function explainRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.post<{ Body: ExplainBody }>(
    '/explain',
    { config: requires('Application.Read.All'), schema: { body: explainBody, response: { 200: Explanation } } },
    async (request) => explainFor(deps, callerOf(request), await questionOf(deps, callerOf(request), request.body)),
  )
}

/** The answer as this caller may see it. Throws DirectoryRefusal for a token of an application that is not theirs. */
export async function explainFor(
  deps: Pick<ManagementDependencies, 'explain' | 'directory'>,
  caller: Caller,
  question: CallQuestion,
): Promise<Explanation> {
  const explanation = await deps.explain(question)
  if (caller.kind === 'local') return explanation
  const { applicationId } = explanation.caller
  const registration = applicationId === null ? undefined : await deps.directory.findRegistration(applicationId)
  // What the gate tells the holder of a token is less than this.
  if (applicationId !== null && !(registration !== undefined && ownsApplication(caller, registration))) {
    throw new DirectoryRefusal('ApplicationNotFound', 'There is no such application.', 'token')
  }
  return withoutFolders(isOperator(caller) ? explanation : withoutPlaces(explanation))
}

/**
 * Whether an application is the caller's: registered in their tenant, and not the command line's own, which lies in the
 * first.
 */
export function ownsApplication(caller: Caller, application: { applicationId: string; tenantId: string }): boolean {
  if (caller.kind === 'local') return true
  return application.applicationId !== commandLineClient.applicationId && owns(caller, application.tenantId)
}

async function questionOf(deps: ManagementDependencies, caller: Caller, body: ExplainBody): Promise<CallQuestion> {
  const { method, path: target, address, bodyBytes } = body
  if (address !== undefined && isIP(address) === 0) throw invalid('address', 'This is not an IP address.')
  const operation = operationIn(body)
  return { method, target, address, bodyBytes, operation, caller: await questionCaller(deps, caller, body) }
}

/** Of an MCP server. Throws ApiError. */
function operationIn(body: ExplainBody): CallQuestion['operation'] {
  const named = (['tool', 'prompt', 'uri'] as const).flatMap((field) => {
    const name = body[field]
    return name === undefined
      ? []
      : [{ field, operation: { kind: field === 'uri' ? 'resource' : field, name } as const }]
  })
  const [first, second] = named
  if (second !== undefined) throw invalid(second.field, 'A message is about one thing: a tool, a prompt or a resource.')
  if (first !== undefined && operationNamed(first.operation) === undefined) {
    throw invalid(first.field, 'No message to an MCP server could have this name.')
  }
  return first?.operation
}

async function questionCaller(
  deps: ManagementDependencies,
  caller: Caller,
  { applicationId, tenantId, userId, scope, token }: ExplainBody,
): Promise<CallQuestion['caller']> {
  const about = [applicationId, tenantId, userId, scope]
  if (token !== undefined && about.some((one) => one !== undefined)) {
    throw invalid('token', 'A token says itself whose it is: send it alone, or say whose.')
  }
  if (token !== undefined) return { kind: 'token', token }
  if (applicationId === undefined) {
    if (about.some((one) => one !== undefined)) throw invalid('applicationId', 'Say which application would call.')
    return { kind: 'nobody' }
  }
  const id = await ownApplicationId(deps.store, caller, applicationId)
  const registration = await deps.directory.findRegistration(id)
  if (registration === undefined) throw new DirectoryRefusal('ApplicationNotFound', 'There is no such application.')
  const tenant = guid('tenantId', ownTenantId(caller, tenantId))
  const user = guid('userId', userId)
  if (user !== undefined) await checkOwnPerson(deps, caller, user)
  return { kind: 'simulated', registration, tenantId: tenant, userId: user, scope }
}

/** Who is no member of the caller's tenant is nobody that it could ask about. */
async function checkOwnPerson(deps: ManagementDependencies, caller: Caller, userId: string): Promise<void> {
  if (caller.kind === 'local') return
  if ((await findMembership(deps.store.reader, userId, caller.tenantId)) !== undefined) return
  throw new UserRefusal('UserNotFound', 'There is no such user.')
}

function guid(target: string, text: string | undefined): string | undefined {
  const read = parseGuid(text)
  if (text !== undefined && read === undefined) throw invalid(target, 'This is not a GUID.')
  return read
}

function invalid(target: string, message: string): ApiError {
  return new ApiError(400, 'InvalidRequest', message, { target })
}

/** Where services are, and why they fail, tells of the inside of the operator's network. */
function withoutPlaces({ upstream, ...explanation }: Explanation): Explanation {
  if (upstream === null || upstream.trouble === null) return { ...explanation, upstream }
  return { ...explanation, upstream: { ...upstream, trouble: { ...upstream.trouble, target: null, cause: null } } }
}

/** Where the configuration lies on the machine is the operator's business; its lines are not. */
function withoutFolders(explanation: Explanation): Explanation {
  const short = <Placed extends { file: string } | null>(placed: Placed): Placed =>
    placed === null ? placed : { ...placed, file: basename(placed.file) }
  const { decidedBy, route, upstream } = explanation
  return { ...explanation, decidedBy: short(decidedBy), route: short(route), upstream: short(upstream) }
}
