// Parts of a document and how they refer to each other: within it and nowhere else, so that nothing is fetched.

import { NoDescription } from './service-description.js'

export type Mapping = Readonly<Record<string, unknown>>

/** A part, and where it stands: `#/components/schemas/Pet`. */
export interface Part {
  value: unknown
  at: string
}

/** A reference to a reference to a reference is somebody's mistake. */
const mostHops = 16

export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What stands below a part. */
export function below(at: string, ...names: readonly (string | number)[]): string {
  return names.reduce<string>((whole, name) => `${whole}/${`${name}`.replaceAll('~', '~0').replaceAll('/', '~1')}`, at)
}

/** The part that a reference means. Throws NoDescription when it leads nowhere or out of the document. */
export function referredTo(document: Mapping, reference: unknown, at: string): Part {
  if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference)) {
    throw new NoDescription(`${at}: $ref leads out of the document; only #/… is followed`)
  }
  let value: unknown = document
  for (const name of reference.split('/').slice(1).map(nameOf)) {
    const known = typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    if (!known) throw new NoDescription(`${at}: $ref leads nowhere`)
    value = Reflect.get(value as object, name)
  }
  return { value, at: reference }
}

/** The part itself, or what it refers to in the end. Throws NoDescription. */
export function resolved(document: Mapping, part: Part): Part {
  let found = part
  for (let hops = 0; isMapping(found.value) && found.value['$ref'] !== undefined; hops++) {
    if (hops === mostHops) throw new NoDescription(`${part.at}: $ref goes in circles`)
    found = referredTo(document, found.value['$ref'], found.at)
  }
  return found
}

function nameOf(written: string): string {
  try {
    return decodeURIComponent(written).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return written
  }
}
