// The document of the API from what every room says of its routes: the one place that knows all of them.

import type { FastifyInstance } from 'fastify'
import { backendOperations } from '../backend/operation-texts.js'
import type { Settings } from '../config/settings/settings.js'
import { downloadOperations } from '../downloads/operations.js'
import type { OperationGroup } from '../http/described-operations.js'
import { identityOperations } from '../identity/openapi/operations.js'
import { identityPageOperations } from '../identity/openapi/page-operations.js'
import { writeDocument } from '../management/openapi/document.js'
import type { ApiDocument } from '../management/openapi/document-types.js'
import { rememberRoutes } from '../management/openapi/registered.js'
import type { Reader } from '../management/openapi/service-chapters.js'
import { managementOperations } from '../management/operations.js'
import { portalOperations } from '../portal/operations.js'
import { documentationOperations } from '../web/docs/operations.js'

/** What the rooms on the public listener say, in the order of the reference. */
export const describedOperations: readonly OperationGroup[] = [
  ...identityOperations,
  ...managementOperations,
  ...identityPageOperations,
  portalOperations,
  downloadOperations,
  documentationOperations,
]

export interface PublishedDocument {
  /** For this reader. Throws before every room is on its listener. */
  document: (reader: Reader) => ApiDocument
  /** That for anybody, as JSON. */
  text: () => string
  /** Has it tell of what will register on `app`, the public listener; call it before. */
  describe: (app: FastifyInstance) => void
}

/** The document of the public listener. It is written when all have registered there, and anew for other rules. */
export function createApiDocument(about: { settings: Settings; version: string }): PublishedDocument {
  let routes: ReturnType<typeof rememberRoutes> = []
  let written: { anybody: ApiDocument; members: () => ApiDocument; text: string; of: Settings['routes'] } | undefined
  let isReady = false
  const write = (reader: Reader) =>
    writeDocument({ routes, groups: describedOperations, bundled: backendOperations, ...about, reader })
  const ready = () => {
    if (!isReady) throw new Error('the API is described when every room is on its listener')
    const of = about.settings.routes
    if (written?.of === of) return written
    const anybody = write('anybody')
    written = { anybody, members: lazily(() => write('members')), text: JSON.stringify(anybody), of }
    return written
  }
  return {
    document: (reader) => (reader === 'anybody' ? ready().anybody : ready().members()),
    text: () => ready().text,
    describe(app) {
      routes = rememberRoutes(app)
      app.addHook('onReady', async () => {
        isReady = true
        // Whatever cannot be described is found at the start.
        ready()
      })
    },
  }
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
