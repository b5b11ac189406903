// The part of the document of the API that is about some of its operations: they, and what they refer to.

import type { ApiDocument } from '../openapi/document-types.js'
import type { ApiEntry } from './entries.js'

/** Whole for itself: nothing in it refers to what is not in it. */
export function sliceOf(document: ApiDocument, { name, description, facts, operations }: ApiEntry): ApiDocument {
  const paths: Record<string, ApiDocument['paths'][string]> = {}
  for (const { method, path, operation } of operations) {
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation }
  }
  const tags = document.tags.filter((tag) => operations.some(({ operation }) => operation.tags.includes(tag.name)))
  const { version = document.info.version } = facts
  return {
    openapi: document.openapi,
    info: { ...document.info, title: name, version, description },
    servers: document.servers,
    tags,
    paths,
    components: {
      ...document.components,
      schemas: schemasReferredBy(document, [paths, document.components.responses]),
    },
  }
}

/** The schemas of the document that `from` refers to, and those that these refer to. */
export function schemasReferredBy({ components }: ApiDocument, from: object): Record<string, object> {
  const found = new Map<string, object>()
  const waiting: unknown[] = [from]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const name of referredIn(next)) {
      const schema = Object.hasOwn(components.schemas, name) ? components.schemas[name] : undefined
      if (schema === undefined || found.has(name)) continue
      found.set(name, schema)
      waiting.push(schema)
    }
  }
  return Object.fromEntries([...found].sort(([one], [other]) => (one < other ? -1 : 1)))
}

function referredIn(part: unknown): string[] {
  const all = JSON.stringify(part).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)
  return [...all].map(([, name = '']) => name)
}
