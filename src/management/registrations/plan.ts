// What is to be done so that a registration becomes what is wanted: nothing, a change, or a new registration. Pure, so
// that a dry run and the run say the same.

import { keyIdOf } from '../../directory/credentials/client-keys.js'
import type { Answer, Body } from '../schemas.js'
import { type BrandPlan, planBrand, type WantedBrand } from './brand-plan.js'
import type { PermissionRef } from './catalogue.js'
import type { Found } from './find.js'
import { RegistrationProblem } from './problem.js'

type Existing = Answer<'application'>
type Changes = Body<'changeApplication'>

/** A registration as it should be. What is absent is left as it is. */
export interface Wanted extends Omit<Changes, 'jwks'> {
  name: string
  type: 'web' | 'native'
  tenantId: string
  audience?: 'home' | 'any'
  jwks?: NonNullable<Changes['jwks']> | null
  permissions?: readonly PermissionRef[]
  /** By name; null: the default one. Absent: the plan that it has. */
  plan?: string | null
  /** Exactly these; absent: the owners that it has. */
  owners?: readonly WantedOwner[]
  /** True: an administrator's consent to all of `permissions` in the home tenant. */
  consent?: boolean
  /** As `checkedBrand` gives it. */
  brand?: WantedBrand
  secretLabel?: string
  secretExpiresInDays?: number
}

/** `name`: as it was written. */
export interface WantedOwner {
  ownerId: string
  name: string
}

/** One field: what goes and what comes. */
export interface Difference {
  field: string
  removed: string[]
  added: string[]
}

export interface Plan {
  result: 'created' | 'changed' | 'unchanged'
  wanted: Wanted
  /** Of the registration that exists. */
  applicationId: string | undefined
  /** Its entity tag when it was read: what has changed since is not written over. */
  tag: string | undefined
  changes: Changes
  /** The whole list, when it is to be replaced. */
  permissions: readonly PermissionRef[] | undefined
  /** The ids of all of them, when they are to be replaced. */
  owners: readonly string[] | undefined
  /** What it is to be put on; null: none. Undefined: it stays as it is. */
  plan: string | null | undefined
  /** What it is to say of itself; undefined: it stays as it is. */
  brand: BrandPlan['changes']
  /** What is still to be consented to. */
  consent: readonly PermissionRef[]
  differences: Difference[]
}

const lists = ['redirectUris', 'adminConsentRedirectUris', 'logoutRedirectUris'] as const
const scalars = ['state', 'requirePkce', 'authMethod', 'idTokenAlg', 'publisher', 'verified', 'deviceCodes'] as const
/** The members of a public key that are stored. */
const keyMembers = ['kty', 'kid', 'crv', 'x', 'y', 'n', 'e'] as const

/** The plan. Throws RegistrationProblem for what cannot be changed in a registration that exists. */
export function planOf(wanted: Wanted, found: Found | undefined): Plan {
  const existing = found?.application
  if (existing !== undefined) checkFixed(wanted, existing)
  const fields = fieldChanges(wanted, existing)
  const before = existing?.permissions ?? []
  const permissions = difference('permissions', before.map(spelled), (wanted.permissions ?? before).map(spelled))
  const consent = missingConsent(wanted, existing)
  const consented = difference('consent', [], consent.map(spelled))
  const planned = difference(
    'plan',
    shownScalar(existing?.plan ?? undefined),
    shownScalar(planWanted(wanted, existing)),
  )
  const owners = ownerDifference(wanted.owners, existing?.owners ?? [])
  const brand = planBrand(wanted.brand, found?.brand)
  const others = [...brand.differences, ...planned, ...permissions, ...consented, ...owners]
  const differences = [...fields.differences, ...others]
  return {
    result: existing === undefined ? 'created' : differences.length === 0 ? 'unchanged' : 'changed',
    wanted,
    applicationId: existing?.applicationId,
    tag: found?.tag,
    changes: fields.changes,
    permissions: permissions.length === 0 ? undefined : wanted.permissions,
    // The caller that registers it owns it at first, also where the list is empty.
    owners: owners.length === 0 && existing !== undefined ? undefined : wanted.owners?.map(({ ownerId }) => ownerId),
    plan: planned.length === 0 ? undefined : (wanted.plan ?? null),
    brand: brand.changes,
    consent,
    differences,
  }
}

/** The one that it has stays when nobody says another one. */
function planWanted({ plan }: Wanted, existing: Existing | undefined): string | undefined {
  return (plan === undefined ? existing?.plan : plan) ?? undefined
}

/** Whether carrying it out gives the application a secret. */
export function makesSecret({ result, wanted }: Plan): boolean {
  return result === 'created' && wanted.type === 'web' && wanted.authMethod !== 'private_key_jwt'
}

function checkFixed(wanted: Wanted, existing: Existing): void {
  for (const field of ['type', 'audience'] as const) {
    const value = wanted[field]
    if (value === undefined || value === existing[field]) continue
    const message = `${wanted.name}: its ${field} is ${existing[field]} and cannot become ${value}. Use another name`
    throw new RegistrationProblem('what_there_is', message)
  }
}

function fieldChanges(wanted: Wanted, existing: Existing | undefined) {
  const before = existing ?? defaultsOf(wanted.type)
  const changes: Record<string, unknown> = {}
  const differences: Difference[] = []
  const note = (field: string, gone: readonly string[], come: readonly string[], value: unknown) => {
    const found = difference(field, gone, come)
    if (found.length > 0) changes[field] = value
    differences.push(...found)
  }
  for (const field of lists) {
    const value = wanted[field]
    if (value !== undefined) note(field, existing?.[field] ?? [], value, value)
  }
  for (const field of scalars) {
    const value = wanted[field]
    if (value !== undefined) note(field, shownScalar(before[field]), shownScalar(value), value)
  }
  const { jwks } = wanted
  if (jwks !== undefined) note('jwks', shownKeys(existing?.jwks ?? null), shownKeys(jwks), jwks)
  return { changes: changes as Changes, differences }
}

/** What a new registration says of itself when nobody says anything. */
function defaultsOf(type: Wanted['type']): Pick<Existing, (typeof scalars)[number]> {
  const options = { requirePkce: type === 'native', authMethod: 'secret', idTokenAlg: 'RS256' } as const
  return { state: 'enabled', ...options, publisher: '', verified: false, deviceCodes: 'allowed' }
}

function difference(field: string, before: readonly string[], after: readonly string[]): Difference[] {
  const removed = before.filter((one) => !after.includes(one))
  const added = [...new Set(after)].filter((one) => !before.includes(one))
  return removed.length + added.length === 0 ? [] : [{ field, removed, added }]
}

function ownerDifference(wanted: readonly WantedOwner[] | undefined, before: readonly string[]): Difference[] {
  if (wanted === undefined) return []
  const names = new Map(wanted.map(({ ownerId, name }) => [ownerId, name]))
  return difference('owners', before, [...names.keys()]).map(({ field, removed, added }) => ({
    field,
    removed,
    added: added.map((ownerId) => names.get(ownerId) ?? ownerId),
  }))
}

function missingConsent({ consent, permissions = [], tenantId }: Wanted, existing: Existing | undefined) {
  if (consent !== true) return []
  const home = existing?.consents.find((one) => one.tenantId === tenantId)
  const given = new Set((home?.permissions ?? []).map(spelled))
  return permissions.filter((one) => !given.has(spelled(one)))
}

/** Empty texts and false are what a registration has when nobody said anything. */
function shownScalar(value: string | boolean | undefined): string[] {
  return value === undefined || value === '' ? [] : [String(value)]
}

function shownKeys(jwks: NonNullable<Changes['jwks']> | null): string[] {
  return (jwks?.keys ?? []).map((key) =>
    keyMembers
      .map((member) => [member, member === 'kid' ? keyIdOf(key) : key[member]] as const)
      .flatMap(([member, value]) => (value === undefined ? [] : [`${member}=${String(value)}`]))
      .join(' '),
  )
}

function spelled({ kind, resource, id }: PermissionRef): string {
  return `${kind}:${resource}/${id}`
}
