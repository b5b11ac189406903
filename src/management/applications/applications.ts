// Applications: register, list, show, change.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { changeApplication } from '../../directory/applications/application-changes.js'
import { deleteApplication } from '../../directory/applications/delete-application.js'
import { type RegistrationInput, registerApplication } from '../../directory/applications/registration.js'
import { changePlanInTransaction } from '../../directory/plans/plan-changes.js'
import { DirectoryRefusal } from '../../directory/refusal.js'
import type { DirectoryWrites } from '../../directory/writes.js'
import { ApiError } from '../../http/answers/api-error.js'
import { readApplications } from '../../storage/sql/registrations/applications.js'
import { listTenants } from '../../storage/sql/registrations/tenants.js'
import { type Caller, callerOf, requires } from '../access/access.js'
import { writesOf } from '../access/origin.js'
import { ownApplicationId, ownTenantId } from '../access/ownership.js'
import { sendTagged } from '../answers/entity-tag.js'
import { checkVouching, consentOf } from '../consents/entitlement.js'
import type { ManagementDependencies } from '../dependencies.js'
import { permissionRefs } from '../permissions/permission-input.js'
import { planAuthorityOf } from '../plans/plan-authority.js'
import { storedName } from '../registrations/find.js'
import { answers, type Body, bodies } from '../schemas.js'
import { readApplicationAnswer } from './application-answer.js'
import { type ApplicationsQuery, applicationList, applicationsQuery } from './application-list.js'
import { checkMayList } from './ceiling.js'
import { changeWrites } from './change-request.js'
import { checkMayEquipBy } from './equipping-changes.js'

const dayMs = 86_400_000

/** `POST /applications`, `GET /applications`, `GET|PATCH|DELETE /applications/{id}`. */
export function applicationRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.post<{ Body: Body<'createApplication'> }>(
    '/applications',
    {
      config: requires('Application.ReadWrite.All'),
      schema: { body: bodies.createApplication, response: { 201: answers.createdApplication } },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const input = await registrationInput(deps, caller, request.body)
      checkSignable(deps, request.body)
      checkVouching(caller, request.body)
      checkMayList(deps.settings.catalogue, caller, input.permissions ?? [])
      const also = planAtStart(deps, request)
      const writes =
        request.body.ifNameIsFree === true ? whileNameIsFree(deps, request, input) : writesOf(deps, request)
      const { registration, secret } = await registerApplication(writes, input, also)
      const application = await readApplicationAnswer(deps, registration.applicationId, caller)
      reply.code(201).header('location', `/api/v2/applications/${registration.applicationId}`)
      if (secret === undefined) return application
      const { keyId, endsAt } = secret
      return { ...application, clientSecret: secret.secret, secret: { keyId, endsAt: new Date(endsAt).toISOString() } }
    },
  )
  app.get<{ Querystring: ApplicationsQuery }>(
    '/applications',
    {
      config: requires('Application.Read.All'),
      schema: { querystring: applicationsQuery, response: { 200: answers.applications } },
    },
    async (request) => {
      const tenantId = ownTenantId(callerOf(request), undefined)
      return applicationList(deps, { ...request.query, tenantId })
    },
  )
  app.get<{ Params: { id: string } }>(
    '/applications/:id',
    { config: requires('Application.Read.All'), schema: { response: { 200: answers.application } } },
    async (request, reply) => {
      const caller = callerOf(request)
      const applicationId = await ownApplicationId(deps.store, caller, request.params.id)
      return sendTagged(request, reply, await readApplicationAnswer(deps, applicationId, caller))
    },
  )
  app.patch<{ Params: { id: string }; Body: Body<'changeApplication'> }>(
    '/applications/:id',
    {
      config: requires('Application.ReadWrite.All'),
      schema: { body: bodies.changeApplication, response: { 200: answers.application } },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const applicationId = await ownApplicationId(deps.store, caller, request.params.id)
      checkSignable(deps, request.body)
      checkVouching(caller, request.body)
      const writes = await changeWrites(deps, request, applicationId, (change) => checkMayEquipBy(change, request.body))
      await changeApplication(writes, applicationId, request.body)
      return sendTagged(request, reply, await readApplicationAnswer(deps, applicationId, caller))
    },
  )
  app.delete<{ Params: { id: string } }>(
    '/applications/:id',
    { config: requires('Application.ReadWrite.All') },
    async (request, reply) => {
      const applicationId = await ownApplicationId(deps.store, callerOf(request), request.params.id)
      await deleteApplication(await changeWrites(deps, request, applicationId), applicationId)
      return reply.code(204).send()
    },
  )
}

/** Looked at in the transaction that registers, so that of two who register it at once one is refused. */
function whileNameIsFree(
  deps: ManagementDependencies,
  request: FastifyRequest,
  { name, tenantId }: Pick<RegistrationInput, 'name' | 'tenantId'>,
): DirectoryWrites {
  return writesOf(deps, request, async (tx) => {
    if ((await readApplications(tx, 'name', storedName(name), tenantId)).length === 0) return
    throw new DirectoryRefusal('NameTaken', 'An application of this tenant has exactly this name.', 'name')
  })
}

/** The plan that the body names, in the transaction that registers. */
function planAtStart(
  deps: ManagementDependencies,
  request: FastifyRequest<{ Body: Body<'createApplication'> }>,
): Parameters<typeof registerApplication>[2] {
  const { plan } = request.body
  if (plan === undefined) return {}
  const authority = planAuthorityOf(deps.settings.catalogue, callerOf(request))
  const writes = writesOf(deps, request)
  return {
    also: (writing, applicationId) =>
      changePlanInTransaction(writes, writing, deps.settings, { applicationId, plan, authority }),
  }
}

/** There is a key for EdDSA only where the configuration asks for one; ID tokens could not be signed without. */
function checkSignable(
  { settings }: ManagementDependencies,
  { idTokenAlg }: Pick<Body<'changeApplication'>, 'idTokenAlg'>,
) {
  if (idTokenAlg !== 'EdDSA' || settings.tokens.algorithm === 'EdDSA') return
  const message = 'This server has no key for EdDSA: its operator sets tokens.algorithm. Use RS256 or ES256.'
  throw new ApiError(400, 'UnsupportedAlgorithm', message, { target: 'idTokenAlg' })
}

async function registrationInput(
  deps: ManagementDependencies,
  caller: Caller,
  body: Body<'createApplication'>,
): Promise<RegistrationInput> {
  const { secretLabel, secretExpiresInDays, consent, permissions, plan: _, ifNameIsFree: _free, ...rest } = body
  const secret =
    secretLabel === undefined && secretExpiresInDays === undefined
      ? undefined
      : { label: secretLabel, lifetimeMs: secretExpiresInDays === undefined ? undefined : secretExpiresInDays * dayMs }
  return {
    ...rest,
    tenantId: ownTenantId(caller, body.tenantId) ?? (await requireFirstTenant(deps)),
    permissions: permissionRefs(deps.settings.catalogue, permissions ?? []),
    ...(consent === true ? consentAtHome(deps, caller) : {}),
    secret,
  }
}

function consentAtHome(deps: ManagementDependencies, caller: Caller) {
  const { by, byOperator, byRole } = consentOf(deps, caller)
  return { consentBy: by, consentByOperator: byOperator, consentByRole: byRole }
}

async function requireFirstTenant(deps: ManagementDependencies): Promise<string> {
  const [first] = await listTenants(deps.store.reader, 1)
  if (first === undefined)
    throw new DirectoryRefusal('TenantNotFound', 'There is no tenant yet: create one.', 'tenantId')
  return first.id
}
