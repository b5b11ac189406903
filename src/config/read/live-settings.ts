// The settings of a running process. What a reload may change is read through to the configuration of the moment; all
// else is as it was at the start.

import type { Settings } from '../settings/settings.js'

/** What a reload may change; the catalogue too, which is live by itself. */
export const reloadable = [
  'upstreams',
  'routes',
  'limits',
  'plans',
  'defaultPlan',
  'tokenLimits',
  'issuers',
  'brand',
] as const

export interface LiveSettings {
  /** Looks like any settings. Do not keep a part of it beyond a request. */
  settings: Settings
  /** From now on the reloadable parts are those of `next`. */
  replace(next: Settings): void
}

/** Starts as `first`; with `catalogue`, which lives on its own. */
export function createLiveSettings(first: Settings, catalogue: Settings['catalogue']): LiveSettings {
  let current = first
  const settings = { ...first, catalogue }
  for (const part of reloadable) {
    Object.defineProperty(settings, part, { enumerable: true, get: () => current[part] })
  }
  return {
    settings: Object.freeze(settings),
    replace(next) {
      current = next
    },
  }
}
