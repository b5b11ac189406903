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

type WithId = { Params: { id: string } }

/** `GET|PATCH|DELETE /tenants/{id}/brand` and `/applications/{id}/brand`. */
export function brandRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  tenantBrandRoutes(app, deps)
  applicationBrandRoutes(app, deps)
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
  app.get<WithId>(url, { config: requires('Application.Read.All'), schema: { response } }, async (request, reply) =>
    sendTagged(request, reply, await answerOf(await idOf(request))),
  )
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
    await removeApplicationBrand(await writesTo(request, applicationId), applicationId)
    return reply.code(204).send()
  })
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
  const { home, terms, privacy, logo } = await findApplicationBrand(statements, applicationId)
  return { applicationId, home, terms, privacy, logo: logoAnswer(logo) }
}

function logoAnswer(logo: ShownLogo | undefined) {
  if (logo === undefined) return null
  const { path, type, width, height } = logo
  return { path, type, width, height }
}
