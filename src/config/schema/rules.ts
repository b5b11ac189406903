// The settings that say who may call what: resources, permissions, upstreams, routes, limits, plans. A reload may change
// these.

import { Type } from 'typebox'
import { Brand } from '../brand/brand-schema.js'
import { Plans } from '../plans/plan-schema.js'
import { Cors } from './cors.js'
import { headerPatterns } from './header-list.js'
import { Issuers } from './issuers.js'
import { leaf } from './leaves.js'
import { Limits, limitList } from './limits.js'
import { Permissions, Resources } from './permissions.js'
import { Routes } from './routes/routes.js'
import { Tests } from './tests.js'
import { Upstreams } from './upstreams.js'

const Defaults = Type.Object(
  {
    limits: limitList('Limits of a route; a route may say [+name, -name], or another list.', ['application', 'tenant']),
    plan: Type.Optional(leaf.text('The plan of an application of which nobody said another one.')),
    tokenLimits: limitList('Limits of the token endpoint and its siblings.', ['token-address', 'token-application']),
    cors: Type.Optional(Cors),
    dropRequestHeaders: Type.Optional(
      headerPatterns(
        'Fields of a request that cross to no service, in whatever spelling, beside those that no client may say: names by which services are told who calls. X-Acme-* is the beginning of names.',
      ),
    ),
  },
  { description: 'What holds where nothing is said.', additionalProperties: false, default: {} },
)

/** The sections that an included file may have. */
export const partSections = ['resources', 'permissions', 'upstreams', 'limits', 'routes', 'tests'] as const

/** The sections of the file that say who may call what, in their order. What a reload changes: isReloaded. */
export const ruleSections = {
  resources: Resources,
  permissions: Permissions,
  issuers: Issuers,
  upstreams: Upstreams,
  limits: Limits,
  plans: Plans,
  defaults: Defaults,
  routes: Routes,
  tests: Tests,
}

/** Sections that are no rules, and that a reload changes all the same. */
export const reloadedSections = { brand: Brand }

/**
 * Whether a reload changes the settings below this key at the top of the file. All others wait for the next start: a
 * running process keeps them (read/fixed-sections.ts), and the reference says so of each
 * (report/settings-reference.ts).
 */
export function isReloaded(section: string): boolean {
  // How the rules are put together is theirs.
  return section === 'include' || [ruleSections, reloadedSections].some((sections) => Object.hasOwn(sections, section))
}
