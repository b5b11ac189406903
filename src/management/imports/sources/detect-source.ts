// Whose export a document is, by the field that all its applications have.

import type { Source } from './sources.js'

const marks: readonly (readonly [Source, string])[] = [
  ['keycloak', 'clientId'],
  ['hydra', 'client_id'],
  ['entra', 'appId'],
]
/** Where lists of them stand. */
const lists = ['clients', 'items', 'value'] as const

/** The product; undefined where nothing says it. */
export function detectSource(document: unknown): Source | undefined {
  const [first] = Array.isArray(document) ? document : [document]
  if (!isObject(first)) return undefined
  if (Array.isArray(first['clients'])) return 'keycloak'
  const listed = lists.map((list) => first[list]).find(Array.isArray)
  const one = listed === undefined ? first : listed[0]
  return isObject(one) ? marks.find(([, field]) => Object.hasOwn(one, field))?.[0] : undefined
}

/** How many applications it has, before any of them is looked at. */
export function countApplications(document: unknown): number {
  const all = Array.isArray(document) ? document : [document]
  return all.reduce((sum: number, one) => {
    const listed = isObject(one) ? lists.map((list) => one[list]).find(Array.isArray) : undefined
    return sum + (listed === undefined ? 1 : listed.length)
  }, 0)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
