// The API catalogue: which APIs there are for applications, what each needs, and its part of the document of the API.

import type { FastifyInstance } from 'fastify'
import type { Catalogue } from '../../config/settings/settings.js'
import { needsAdministrator } from '../../directory/consents/consent-rules.js'
import { DirectoryRefusal } from '../../directory/refusal.js'
import { type Caller, callerOf, requires } from '../access/access.js'
import type { ManagementDependencies } from '../dependencies.js'
import type { ApiDocument } from '../openapi/document-types.js'
import {
  type CatalogueApi,
  type CatalogueOperation,
  type CatalogueQuery,
  catalogueAnswers,
  catalogueQuery,
} from './catalogue-schemas.js'
import { type ApiEntry, apiEntries, type PlacedOperation } from './entries.js'
import { sliceOf } from './slice.js'

interface ById {
  Params: { id: string }
}

/** `GET /apiCatalogue`, `GET /apiCatalogue/{id}`, `GET /apiCatalogue/{id}/openapi.json`. */
export function apiCatalogueRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  const { catalogue } = deps.settings
  app.get<{ Querystring: CatalogueQuery }>(
    '/apiCatalogue',
    {
      config: requires('Tenant.Read.All'),
      schema: { querystring: catalogueQuery, response: { 200: catalogueAnswers.list } },
    },
    async (request) => {
      const { entries } = await read(deps, callerOf(request))
      return {
        value: entries.filter((one) => fits(one, request.query.search ?? '')).map((one) => answer(one, catalogue)),
      }
    },
  )
  app.get<ById>(
    '/apiCatalogue/:id',
    { config: requires('Tenant.Read.All'), schema: { response: { 200: catalogueAnswers.api } } },
    async (request) => answer((await requireApi(deps, callerOf(request), request.params.id)).entry, catalogue),
  )
  app.get<ById>('/apiCatalogue/:id/openapi.json', { config: requires('Tenant.Read.All') }, async (request) => {
    const { document, entry } = await requireApi(deps, callerOf(request), request.params.id)
    return sliceOf(document, entry)
  })
}

/** One entry as this caller sees it. Rejects with DirectoryRefusal. */
export async function requireApi(
  deps: Pick<ManagementDependencies, 'document' | 'settings'>,
  caller: Caller,
  id: string,
): Promise<{ document: ApiDocument; entry: ApiEntry }> {
  const { document, entries } = await read(deps, caller)
  const entry = entries.find((one) => one.id === id)
  if (entry === undefined) throw new DirectoryRefusal('ApiNotFound', 'There is no such API.')
  return { document, entry }
}

/** As the reference: what is for members is for people of a tenant, and not for an application as itself. */
async function read(
  { document: documentOf, settings }: Pick<ManagementDependencies, 'document' | 'settings'>,
  caller: Caller,
): Promise<{ document: ApiDocument; entries: ApiEntry[] }> {
  const isPerson = caller.kind === 'local' || caller.person !== undefined
  const document = await documentOf(isPerson ? 'members' : 'anybody')
  return {
    document,
    entries: apiEntries(document, settings.catalogue, caller.kind === 'local' ? undefined : caller.tenantId),
  }
}

function fits({ name, description, operations, permissions }: ApiEntry, search: string): boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return true
  const text = [
    ...[name, description],
    ...permissions.flatMap((one) => [one.id, one.resource, one.describe]),
    ...operations.flatMap(({ method, path, operation }) => [`${method} ${path}`, operation.summary]),
  ]
  const all = text.join('\n').toLowerCase()
  return words.every((word) => all.includes(word))
}

function answer(entry: ApiEntry, catalogue: Catalogue): CatalogueApi {
  const { id, kind, name, description, facts, operations, permissions } = entry
  const listed = operations.map((one) => operationAnswer(one, catalogue))
  const gone = listed.filter(({ deprecated }) => deprecated).length
  const [sunset = null] = listed.flatMap((one) => one.sunset ?? []).sort()
  return {
    apiId: id,
    kind,
    name,
    description,
    version: facts.version ?? null,
    contact: facts.contact ?? null,
    resources: [...new Set(permissions.map(({ resource }) => resource))],
    state: gone === 0 ? 'current' : gone === listed.length ? 'deprecated' : 'partly-deprecated',
    sunset,
    operationCount: listed.length,
    permissions: permissions.map(({ resource, id: permission, describe, kinds, role }) => ({
      resource,
      id: permission,
      description: describe,
      kinds: [...kinds],
      administratorFor: kinds.filter((one) => needsAdministrator(catalogue, { kind: one, resource, id: permission })),
      role,
    })),
    operations: listed,
  }
}

function operationAnswer({ method, path, operation }: PlacedOperation, { own }: Catalogue): CatalogueOperation {
  const end = operation['x-end']
  return {
    operationId: operation.operationId,
    method,
    path,
    summary: operation.summary,
    deprecated: operation.deprecated === true,
    deprecatedSince: end?.deprecated ?? null,
    sunset: end?.sunset ?? null,
    link: end?.link ?? null,
    anyOf: operation['x-permissions']?.map((all) => [...all]) ?? null,
    resource: operation['x-resource'] ?? own.id,
  }
}
