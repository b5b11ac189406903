// The pages about APIs:
//
//   GET /portal/apis                          the API catalogue: what applications can be given access to
//   /portal/apis/{apiId}                      one of them: operations, permissions, what will end
//   /portal/apis/{apiId}/request              access to it for an application
//   /portal/apis/{apiId}/callers              who still calls it
//   /portal/apis/own …                        own/: the APIs that the tenant defines itself
//   /portal/apis/{apiId}/openapi.json         its part of the document of the API, as a file

import type { FastifyInstance } from 'fastify'
import type { PortalDependencies } from '../dependencies.js'
import { registerApiDocument } from './api-document.js'
import { registerApiPage } from './api-page.js'
import { registerCallers } from './callers-page.js'
import { registerCatalogue } from './catalogue-page.js'
import { registerOwnApi } from './own/api-page.js'
import { registerDeleteApi } from './own/delete-page.js'
import { registerOwnApis } from './own/list-page.js'
import { registerNewApi } from './own/new-page.js'
import { registerRequestAccess } from './request-page.js'
import { registerTryApi } from './try-page.js'

/** Registers them. */
export function apiPages(scope: FastifyInstance, deps: PortalDependencies): void {
  registerCatalogue(scope, deps)
  registerApiPage(scope, deps)
  registerApiDocument(scope, deps)
  registerTryApi(scope, deps)
  registerRequestAccess(scope, deps)
  registerCallers(scope, deps)
  registerOwnApis(scope, deps)
  registerNewApi(scope, deps)
  registerOwnApi(scope, deps)
  registerDeleteApi(scope, deps)
}
