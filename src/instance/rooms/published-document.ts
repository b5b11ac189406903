// The document of the API, as those hold it who tell of it. What writes it is loaded with the rooms that it tells of.

import type { FastifyInstance } from 'fastify'
import type { PreparedText } from '../../identity/metadata/public-document.js'
import type { ApiDocument } from '../../management/openapi/document-types.js'
import { type RegisteredRoute, rememberRoutes } from '../../management/openapi/registered.js'
import type { Reader } from '../../management/openapi/service-chapters.js'

/** Writes it of these routes. */
export interface DocumentWriter {
  /** For this reader, of the rules that are in effect. */
  document: (reader: Reader) => Promise<ApiDocument>
  /** That for anybody, as JSON. */
  text: () => Promise<PreparedText>
}

/** Its readers wait until every room is on the listener, and hear of one that could not be made. */
export interface PublishedDocument extends DocumentWriter {
  /**
   * Has it tell of what will register on `app`, which is this part of the public listener; call it before. Made again,
   * a part takes the place of the one before.
   */
  describe: (app: FastifyInstance, part: 'identity' | 'rooms') => void
  /** Says how to have every room made, which a reader waits for. */
  madeWhole: (make: () => Promise<unknown>) => void
  /** Called when they are. */
  writtenBy: (writer: (routes: readonly RegisteredRoute[]) => DocumentWriter) => void
}

/** Of a listener that is yet to be made. */
export function createPublishedDocument(): PublishedDocument {
  const described = new Map<string, readonly RegisteredRoute[]>()
  let make: (() => Promise<unknown>) | undefined
  let written: DocumentWriter | undefined
  const writer = async () => {
    await make?.()
    if (written === undefined) throw new Error('the API is described when every room is on its listener')
    return written
  }
  return {
    document: async (reader) => (await writer()).document(reader),
    text: async () => (await writer()).text(),
    describe(app, part) {
      described.set(part, rememberRoutes(app))
    },
    madeWhole(how) {
      make = how
    },
    writtenBy(writerOf) {
      written = writerOf([...described.values()].flat())
    },
  }
}
