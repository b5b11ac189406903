// GET /api/v2/openapi.json: the document, for anybody, from any origin.

import type { FastifyInstance } from 'fastify'
import { type PreparedText, registerPublicDocument } from '../../identity/metadata/public-document.js'
import { toApiRefusal } from '../answers/errors.js'

/** Short: a server that was started anew may have other routes. */
const maxAgeSeconds = 300

/** Registers it. `text` is called for each request. */
export function registerOpenApi(scope: FastifyInstance, text: () => Promise<PreparedText>): void {
  scope.setErrorHandler((error) => {
    throw toApiRefusal(error)
  })
  registerPublicDocument(scope, { path: '/api/v2/openapi.json', routeId: 'openapi', maxAgeSeconds, text })
}
