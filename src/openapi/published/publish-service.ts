// A service's document for those who call it: which operations it has, and each of them for readers. It is written anew
// for each document of the API that it goes into, and holds only what that takes of it: the gate may lead to a few of
// its operations.

import { isMapping, type Mapping, resolved } from '../document-part.js'
import { NoDescription } from '../service-description.js'
import { publishedOperation } from './operation.js'
import type { PublishedContact, PublishedService } from './publication.js'
import { publishedSchemas } from './schemas.js'
import { createAllowance, lineOf, textOf } from './text.js'

/** About characters of JSON, with everything that one document adds. */
const mostPublished = 1_500_000
const mostOperations = 2_000
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
/** Nothing that would have to be written otherwise in an address, or that a matcher would read as something else. */
const plainPath = /^(\/[A-Za-z0-9._~!$&'()+,;=@{}-]+)*\/?$/

/** `bases`: what stands before its paths, see describe-service. `prefixOf`: see ServiceDescription. */
export function publishService(
  document: Mapping,
  bases: readonly string[],
  prefixOf: (title: string | undefined) => string,
): PublishedService {
  const allowance = createAllowance(mostPublished)
  const old = String(document['openapi']).startsWith('3.0')
  const info = isMapping(document['info']) ? document['info'] : {}
  const title = lineOf(info['title'])?.slice(0, 80)
  const schemas = publishedSchemas(document, { prefix: prefixOf(title), old, allowance })
  const known = operationsOf(document, bases)
  return {
    title,
    description: textOf(info['description']) ?? lineOf(info['summary']),
    version: lineOf(info['version'])?.slice(0, 60),
    contact: contactOf(info['contact']),
    operations: [...known.values()].map(({ method, path }) => ({ method, path })),
    operation(method, path) {
      const found = known.get(`${method} ${path}`)
      if (found === undefined || !allowance.take(0)) return undefined
      return publishedOperation({ document, schemas, allowance }, found.item, found.operation)
    },
    schemas: () => schemas.components(),
  }
}

/** Undefined where nothing of it can be used. Only addresses of the web and of mail become links. */
function contactOf(given: unknown): PublishedContact | undefined {
  if (!isMapping(given)) return undefined
  const [name, url, email] = [lineOf(given['name']), lineOf(given['url']), lineOf(given['email'])]
  const contact = {
    ...(name === undefined ? {} : { name }),
    ...(url !== undefined && /^https?:\/\//i.test(url) && URL.canParse(url) ? { url: new URL(url).href } : {}),
    ...(email !== undefined && /^[\w.+-]{1,64}@[\w-]+(\.[\w-]+)+$/.test(email) ? { email } : {}),
  }
  return Object.keys(contact).length === 0 ? undefined : contact
}

interface Known {
  method: string
  path: string
  item: Mapping
  operation: Mapping
}

function operationsOf(document: Mapping, bases: readonly string[]): Map<string, Known> {
  const found = new Map<string, Known>()
  const { paths } = document
  for (const [path, given] of isMapping(paths) ? Object.entries(paths) : []) {
    const item = itemOf(document, given)
    if (item === undefined || !plainPath.test(path) || path.length > 500) continue
    for (const method of methods) {
      const operation = item[method.toLowerCase()]
      if (!isMapping(operation) || item['x-internal'] === true || operation['x-internal'] === true) continue
      for (const base of bases) {
        if (found.size >= mostOperations) return found
        const whole = base + path
        found.set(`${method} ${whole}`, { method, path: whole, item, operation })
      }
    }
  }
  return found
}

function itemOf(document: Mapping, given: unknown): Mapping | undefined {
  try {
    const { value } = resolved(document, { value: given, at: '#' })
    return isMapping(value) ? value : undefined
  } catch (error) {
    if (error instanceof NoDescription) return undefined
    throw error
  }
}
