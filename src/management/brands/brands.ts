// Brands: what the pages of a tenant look like, for its administrators, and what an application says of itself, for its
// owners (decision 125).

import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  changeApplicationBrand,
  findApplicationBrand,
  removeApplicationBrand,
} from '../../directory/brands/application-brand.js'
import type { ShownLogo } from '../../directory/brands/brand-logo.js'
import {
  changeTenantBrand,
  findTenantBrand,
  headingOf,
  removeTenantBrand,
} from '../../directory/brands/tenant-brand.js'
import { DirectoryRefusal } from '../../directory/refusal.js'
import { ApiError } from '../../http/answers/api-error.js'
import { characterProblem } from '../../naming/characters.js'
import { readApplications } from '../../storage/sql/registrations/applications.js'
import { readTenant } from '../../storage/sql/registrations/tenants.js'
import type { Statements } from '../../storage/sql/store.js'
import { type Caller, callerOf, requires } from '../access/access.js'
import { writesOf } from '../access/origin.js'
import { ownApplicationId } from '../access/ownership.js'
import { sendTagged, unlessChanged } from '../answers/entity-tag.js'
import { partWrites } from '../applications/change-request.js'
import type { ManagementDependencies } from '../dependencies.js'
import { isOperator, requireOwnTenant } from '../people/tenant-of-path.js'
import { type BrandAnswer, type BrandBody, brandAnswers, brandBodies } from './brand-schemas.js'
import { supervisedApplicationId } from './supervised-application.js'

type WithId = { Params: { id: string } }

/** `GET|PATCH|DELETE /tenants/{id}/brand` and `/applications/{id}/brand`, and `POST …/brand/removal` of both. */
export function brandRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  tenantBrandRoutes(app, deps)
  applicationBrandRoutes(app, deps)
  removalRoutes(app, deps)
}

function tenantBrandRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  const url = '/tenants/:id/brand'
  const response = { 200: brandAnswers.tenant }
  app.get<WithId>(url, { config: requires('Tenant.Read.All'), schema: { response } }, async (request, reply) => {
    const tenantId = tenantOf(callerOf(request), request.params.id)
    return sendTagged(request, reply, await tenantBrandAnswer(deps, deps.store.reader, tenantId))
  })
  app.patch<WithId & { Body: BrandBody<'tenant'> }>(
    url,
    { config: requires('Tenant.ReadWrite.All'), schema: { body: brandBodies.tenant, response } },
    async (request, reply) => {
      const tenantId = requireOwnTenant(callerOf(request), request.params.id)
      const writes = unlessChanged(writesOf(deps, request), request, (tx) => tenantBrandAnswer(deps, tx, tenantId))
      await changeTenantBrand(writes, tenantId, request.body)
      return sendTagged(request, reply, await tenantBrandAnswer(deps, deps.store.reader, tenantId))
    },
  )
  app.delete<WithId>(url, { config: requires('Tenant.ReadWrite.All') }, async (request, reply) => {
    const tenantId = tenantOf(callerOf(request), request.params.id)
    await removeTenantBrand(
      unlessChanged(writesOf(deps, request), request, (tx) => tenantBrandAnswer(deps, tx, tenantId)),
      { tenantId },
    )
    return reply.code(204).send()
  })
}

function applicationBrandRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  const url = '/applications/:id/brand'
  const response = { 200: brandAnswers.application }
  const idOf = (request: FastifyRequest<WithId>) => ownApplicationId(deps.store, callerOf(request), request.params.id)
  const answerOf = (applicationId: string) => applicationBrandAnswer(deps.store.reader, applicationId)
  const writesTo = (request: FastifyRequest, applicationId: string) =>
    partWrites(deps, request, applicationId, (tx) => applicationBrandAnswer(tx, applicationId))
  app.get<WithId>(url, { config: requires('Application.Read.All'), schema: { response } }, async (request, reply) => {
    const applicationId = await supervisedApplicationId(deps.store, callerOf(request), request.params.id)
    return sendTagged(request, reply, await answerOf(applicationId))
  })
  app.patch<WithId & { Body: BrandBody<'application'> }>(
    url,
    { config: requires('Application.ReadWrite.All'), schema: { body: brandBodies.application, response } },
    async (request, reply) => {
      const applicationId = await idOf(request)
      await changeApplicationBrand(await writesTo(request, applicationId), applicationId, request.body)
      return sendTagged(request, reply, await answerOf(applicationId))
    },
  )
  app.delete<WithId>(url, { config: requires('Application.ReadWrite.All') }, async (request, reply) => {
    const applicationId = await idOf(request)
    await removeApplicationBrand(await writesTo(request, applicationId), { applicationId })
    return reply.code(204).send()
  })
}

/** Operators take away what imitates somebody, and say why: those whose it was read that in their audit log. */
function removalRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  const options = { config: requires('Server.ReadWrite', 'operator'), schema: { body: brandBodies.removal } }
  app.post<WithId & { Body: BrandBody<'removal'> }>('/tenants/:id/brand/removal', options, async (request, reply) => {
    const [tenantId, reason] = [request.params.id.toLowerCase(), reasonOf(request.body)]
    await removeTenantBrand(writesOf(deps, request), { tenantId, reason })
    return reply.code(204).send()
  })
  const ofApplication = '/applications/:id/brand/removal'
  app.post<WithId & { Body: BrandBody<'removal'> }>(ofApplication, options, async (request, reply) => {
    const applicationId = await supervisedApplicationId(deps.store, callerOf(request), request.params.id)
    await removeApplicationBrand(writesOf(deps, request), { applicationId, reason: reasonOf(request.body) })
    return reply.code(204).send()
  })
}

function reasonOf({ reason }: BrandBody<'removal'>): string {
  const text = reason.normalize('NFC').trim()
  const problem = text === '' ? 'is empty' : characterProblem(text)
  if (problem === undefined) return text
  throw new ApiError(400, 'InvalidRequest', `The reason cannot be taken: ${problem}.`, { target: 'reason' })
}

/** Operators see each, and take one away that imitates another; what pages look like its administrators decide. */
function tenantOf(caller: Caller, id: string): string {
  return isOperator(caller) ? id.toLowerCase() : requireOwnTenant(caller, id)
}

async function tenantBrandAnswer(
  { settings }: ManagementDependencies,
  statements: Statements,
  tenantId: string,
): Promise<BrandAnswer<'tenant'>> {
  const tenant = await readTenant(statements, tenantId)
  if (tenant === undefined) throw new DirectoryRefusal('TenantNotFound', 'There is no such tenant.')
  const brand = await findTenantBrand(statements, tenantId)
  const { name = '', accent = '', accentDark = '', terms = '', privacy = '', support = '' } = brand ?? {}
  const links = { terms, privacy, support }
  const logos = { logo: logoAnswer(brand?.logo), logoDark: logoAnswer(brand?.logoDark) }
  const shownName = headingOf({ name }, tenant.name, settings.brand.name) ?? settings.brand.name
  return { tenantId, name, shownName, accent, accentDark, ...links, ...logos }
}

async function applicationBrandAnswer(
  statements: Statements,
  applicationId: string,
): Promise<BrandAnswer<'application'>> {
  const [{ home, terms, privacy, logo }, [record]] = await Promise.all([
    findApplicationBrand(statements, applicationId),
    readApplications(statements, 'id', applicationId),
  ])
  if (record === undefined) throw new DirectoryRefusal('ApplicationNotFound', 'There is no such application.')
  const { name, tenant_id: tenantId } = record.application
  const tenantName = (await readTenant(statements, tenantId))?.name ?? ''
  return { applicationId, name, tenantName, home, terms, privacy, logo: logoAnswer(logo) }
}

function logoAnswer(logo: ShownLogo | undefined) {
  if (logo === undefined) return null
  const { path, type, width, height } = logo
  return { path, type, width, height }
}
