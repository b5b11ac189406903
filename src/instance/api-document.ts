// The document of the API from what every room says of its routes: the one place that knows all of them.

import { backendOperations } from '../backend/operation-texts.js'
import { inSlices } from '../config/reload/steps.js'
import type { Settings } from '../config/settings/settings.js'
import { downloadOperations } from '../downloads/operations.js'
import type { OperationGroup } from '../http/described-operations.js'
import { identityOperations } from '../identity/openapi/operations.js'
import { identityPageOperations } from '../identity/openapi/page-operations.js'
import { writeDocument } from '../management/openapi/document.js'
import { documentText } from '../management/openapi/document-text.js'
import type { RegisteredRoute } from '../management/openapi/registered.js'
import type { Reader } from '../management/openapi/service-chapters.js'
import { managementOperations } from '../management/operations.js'
import { portalOperations } from '../portal/operations.js'
import { documentationOperations } from '../web/docs/operations.js'
import type { DocumentWriter } from './rooms/published-document.js'

/** What the rooms on the public listener say, in the order of the reference. */
export const describedOperations: readonly OperationGroup[] = [
  ...identityOperations,
  ...managementOperations,
  ...identityPageOperations,
  portalOperations,
  downloadOperations,
  documentationOperations,
]

/**
 * The document of these routes of the public listener. It is written when it is first read, and anew for other rules, in slices between
 * requests; who reads it meanwhile waits for the same writing.
 */
export function createApiDocument(about: {
  routes: readonly RegisteredRoute[]
  settings: Settings
  version: string
}): DocumentWriter {
  const write = (reader: Reader) => {
    const { server, catalogue, routes: gateRoutes, upstreams } = about.settings
    // A reload in the middle of it changes none of these: it puts others in their place.
    const settings = { server, catalogue, routes: gateRoutes, upstreams }
    const { routes, version } = about
    return inSlices(
      writeDocument({ routes, groups: describedOperations, bundled: backendOperations, settings, version, reader }),
    )
  }
  const current = () => about.settings.routes
  const anybody = onceFor(current, () => write('anybody'))
  const members = onceFor(current, () => write('members'))
  const text = onceFor(current, async () => inSlices(documentText(await anybody())))
  return { document: (reader) => (reader === 'anybody' ? anybody() : members()), text }
}

/** What `make` made for the present `version`, once for all callers; after a failure the next one tries again. */
function onceFor<T>(version: () => unknown, make: () => Promise<T>): () => Promise<T> {
  let last: { of: unknown; made: Promise<T> } | undefined
  return () => {
    const of = version()
    if (last !== undefined && last.of === of) return last.made
    const mine = { of, made: make() }
    last = mine
    mine.made.catch(() => {
      if (last === mine) last = undefined
    })
    return mine.made
  }
}
