// From the text of an OpenAPI 3 document to what the gate asks of it. What requests can be compared by is checked when
// the document is read; a schema is compiled when the first request needs it.

import { createHash } from 'node:crypto'
import { isMapping, type Mapping } from './document-part.js'
import { describedOperations } from './operations.js'
import { compileTemplates } from './path-templates.js'
import { createPatterns } from './patterns.js'
import { NotYaml, readPlainYaml } from './plain-yaml.js'
import { publishService } from './published/publish-service.js'
import { createSchemaChecks } from './schema-checks.js'
import { createSchemas } from './schemas.js'
import { NoDescription, type ServiceDescription } from './service-description.js'

/** So that a reload finds what is in use, with all that was compiled for it. */
const known = new Map<string, WeakRef<ServiceDescription>>()

/** What each was read from, for other threads: functions cannot be sent. */
const documents = new WeakMap<ServiceDescription, string>()

/** The text that this description was made of. Throws Error when it was not made here. */
export function documentOf(description: ServiceDescription): string {
  const text = documents.get(description)
  if (text === undefined) throw new Error('this description was not read from a document')
  return text
}

/** YAML or JSON. Throws NoDescription. */
export function describeService(text: string): ServiceDescription {
  const digest = createHash('sha256').update(text).digest('base64url')
  const before = known.get(digest)?.deref()
  if (before !== undefined) return before
  const document = mappingOf(text)
  const bases = basesOf(document)
  const description = Object.freeze({
    digest,
    find: findIn(document, bases),
    publish: (prefixOf: (title: string | undefined) => string) => publishService(document, bases, prefixOf),
  })
  for (const [other, reference] of known) if (reference.deref() === undefined) known.delete(other)
  known.set(digest, new WeakRef(description))
  documents.set(description, text)
  return description
}

function mappingOf(text: string): Mapping {
  const data = dataOf(text)
  if (isMapping(data) && data['swagger'] !== undefined) {
    throw new NoDescription('this is Swagger 2.0; convert it to OpenAPI 3 first')
  }
  const version = isMapping(data) ? data['openapi'] : undefined
  if (!isMapping(data) || typeof version !== 'string' || !/^3\.[01]\./.test(version)) {
    throw new NoDescription('it is no OpenAPI 3.0 or 3.1 document')
  }
  return data
}

/** JSON is YAML too, and read many times faster. */
function dataOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    try {
      return readPlainYaml(text)
    } catch (error) {
      if (error instanceof NotYaml) throw new NoDescription(error.message)
      throw error
    }
  }
}

function findIn(document: Mapping, bases: readonly string[]): ServiceDescription['find'] {
  const patterns = createPatterns()
  const schemas = createSchemas(document, String(document['openapi']).startsWith('3.0'), patterns)
  const checks = createSchemaChecks(schemas, patterns)
  const find = compileTemplates(describedOperations({ document, schemas, checks }))
  checks.verify()
  return (method, path) => {
    for (const base of bases) {
      const found = path.startsWith(`${base}/`) ? find(path.slice(base.length)) : undefined
      if (found === undefined) continue
      const { item, values } = found
      const operation = item.get(method) ?? (method === 'HEAD' ? item.get('GET') : undefined)
      return operation === undefined ? undefined : { operation, values }
    }
    return undefined
  }
}

/** What stands before the paths of the document at its servers, the longest first; without a slash at the end. */
function basesOf({ servers }: Mapping): readonly string[] {
  const list: readonly unknown[] = Array.isArray(servers) && servers.length > 0 ? servers : [{ url: '/' }]
  const bases = list.map((server) => {
    const { url, variables } = isMapping(server) ? server : {}
    const written = String(url ?? '/').replace(/\{([^{}]*)\}/g, (_, name) => defaultOf(variables, name))
    if (!URL.canParse(written, 'http://server.invalid')) throw new NoDescription('#/servers: a url is none')
    return new URL(written, 'http://server.invalid').pathname.replace(/(?<!\/)\/+$/, '')
  })
  return [...new Set(bases)].sort((one, other) => other.length - one.length)
}

function defaultOf(variables: unknown, name: string): string {
  const variable = isMapping(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined
  return isMapping(variable) ? String(variable['default'] ?? '') : ''
}
