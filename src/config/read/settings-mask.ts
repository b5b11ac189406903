// The effective settings as they may be shown: to the operator's /config page and by `portcullis check --print`.

import type { Settings } from '../settings/settings.js'

/** Plain data without secrets: maps become objects, sets lists, functions and positions are left out. */
export function maskedSettings(settings: Settings): object {
  const { catalogue, ...rest } = settings
  // What tenants define is none of the configuration.
  const permissions = catalogue.permissions.filter(({ tenantId }) => tenantId === undefined)
  const resources = new Map([...catalogue.resources].filter(([, { tenantId }]) => tenantId === undefined))
  return plain({ ...rest, resources, permissions }) as object
}

/** The same as JSON, in parts: the routes one by one, the rest in one. */
export function* maskedParts(settings: Settings): Generator<string> {
  yield JSON.stringify(maskedSettings({ ...settings, routes: [] }))
  for (const route of settings.routes) yield JSON.stringify(plain(route))
}

function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (hasMask(value)) return value.toJSON()
  if (Array.isArray(value)) return value.map(plain)
  const entries = value instanceof Map ? [...value] : Object.entries(value)
  return Object.fromEntries(
    entries.filter(([key, item]) => isShown(key, item)).map(([key, item]) => [key, plain(item)]),
  )
}

function isShown(key: string, item: unknown): boolean {
  return key !== 'position' && item !== undefined && typeof item !== 'function'
}

function hasMask(value: object): value is { toJSON(): string } {
  return 'toJSON' in value && typeof value.toJSON === 'function'
}
