// Whose export a document is, by the field that all its applications have.

import type { Source } from './sources.js'

const marks: readonly (readonly [Source, readonly string[]])[] = [
  ['keycloak', ['clientId']],
  // Before Hydra, which calls the identifier the same; the Deploy CLI leaves it out.
  ['auth0', ['app_type', 'callbacks', 'is_first_party', 'oidc_conformant', 'jwt_configuration']],
  ['hydra', ['client_id']],
  ['entra', ['appId']],
]
/** Where lists of them stand. */
const lists = ['clients', 'items', 'value'] as const

/** The product; undefined where nothing says it. */
export function detectSource(document: unknown): Source | undefined {
  const [first] = Array.isArray(document) ? document : [document]
  if (!isObject(first)) return undefined
  const isRealm = Array.isArray(first['clients']) && first['clients'].length === 0
  if (isRealm) return 'keycloak'
  const listed = lists.map((list) => first[list]).find(Array.isArray)
  const one = listed === undefined ? first : listed[0]
  return isObject(one) ? marks.find(([, fields]) => fields.some((field) => Object.hasOwn(one, field)))?.[0] : undefined
}

/** How many applications it has, before any of them is looked at. */
export function countApplications(document: unknown): number {
  const all = Array.isArray(document) ? document : [document]
  return all.reduce((sum: number, one) => {
    const listed = isObject(one) ? lists.map((list) => one[list]).find(Array.isArray) : undefined
    return sum + (listed === undefined ? 1 : listed.length)
  }, 0)
}

/**
 * How many scopes and addresses stand in texts that list them (Hydra's `scope`, Keycloak's addresses after signing out),
 * before any of them is taken apart.
 */
export function countInTexts(document: unknown): number {
  const all = Array.isArray(document) ? document : [document]
  const applications = all.flatMap((one) =>
    isObject(one) ? (lists.map((list) => one[list]).find(Array.isArray) ?? [one]) : [],
  )
  return applications.filter(isObject).reduce((sum, { scope, attributes }) => {
    const logout = isObject(attributes) ? attributes['post.logout.redirect.uris'] : undefined
    return sum + partsOf(scope, /\s+/g) + partsOf(logout, /##/g)
  }, 0)
}

function partsOf(text: unknown, separator: RegExp): number {
  if (typeof text !== 'string' || text === '') return 0
  let count = 1
  for (const _separator of text.matchAll(separator)) count += 1
  return count
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
