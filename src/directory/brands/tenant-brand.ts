// The brand of a tenant: what the pages look like on which people sign in to its applications (decision 125).

import { accentProblem, accentSentence } from '../../branding/accent.js'
import type { Theme } from '../../branding/palette.js'
import { appendAudit } from '../../ledger/append-audit.js'
import { looksLike } from '../../naming/skeleton.js'
import { deleteLogos, putLogo } from '../../storage/sql/registrations/brands/logo-writes.js'
import { readLogos } from '../../storage/sql/registrations/brands/logos.js'
import {
  deleteTenantBrand,
  putTenantBrand,
  readTenantBrand,
} from '../../storage/sql/registrations/brands/tenant-brands.js'
import type { Statements } from '../../storage/sql/store.js'
import { checkNewName } from '../applications/names.js'
import { checkNameFree } from '../applications/taken-names.js'
import { DirectoryRefusal } from '../refusal.js'
import { requireTenant } from '../tenants/tenants.js'
import { type DirectoryWrites, type Writing, write } from '../writes.js'
import { checkedLink } from './brand-links.js'
import { newLogo, type ShownLogo, shownLogo } from './brand-logo.js'

/** What a tenant said; empty text where it did not. */
export interface TenantBrand {
  name: string
  /** #rrggbb, on the light page and on the dark one. */
  accent: string
  accentDark: string
  terms: string
  privacy: string
  support: string
  logo: ShownLogo | undefined
  /** On the dark page, where it is another one. */
  logoDark: ShownLogo | undefined
}

/** Null takes away; undefined leaves. Logos in base64. */
export type TenantBrandChanges = {
  readonly [Field in keyof TenantBrand]?: string | null | undefined
}

const texts = ['name', 'accent', 'accentDark', 'terms', 'privacy', 'support'] as const
const none = { name: '', accent: '', accentDark: '', terms: '', privacy: '', support: '' }
const themes = { logo: 'light', logoDark: 'dark' } as const

/** The brand of a tenant; undefined: it says nothing. Throws StoreUnavailable. */
export async function findTenantBrand(statements: Statements, tenantId: string): Promise<TenantBrand | undefined> {
  const [row, logos] = await Promise.all([readTenantBrand(statements, tenantId), readLogos(statements, { tenantId })])
  const { accent_dark: accentDark = '', ...said } = row ?? {}
  const { name, accent, terms, privacy, support } = { ...none, ...said }
  const [logo, logoDark] = [shownLogo(logos, 'light'), shownLogo(logos, 'dark')]
  const brand = { name, accent, accentDark, terms, privacy, support, logo, logoDark }
  return Object.values(brand).some(Boolean) ? brand : undefined
}

/**
 * What its pages are headed with: the name of the brand, else the tenant's. Undefined when each looks like this server's,
 * which may have been given its name later, by a reload.
 */
export function headingOf(
  { name }: Pick<TenantBrand, 'name'>,
  tenantName: string,
  serverName: string,
): string | undefined {
  return [name, tenantName].find((each) => each !== '' && !looksLike(each, serverName))
}

/**
 * Changes what is said, all of it or nothing. Throws DirectoryRefusal (TenantNotFound, InvalidName, NameReserved, NameTaken, InvalidColour, LowContrast, InvalidLink, InvalidLogo).
 */
export async function changeTenantBrand(
  deps: DirectoryWrites,
  reference: string,
  changes: TenantBrandChanges,
): Promise<void> {
  await write(deps, async (writing) => {
    const tenant = await requireTenant(writing, reference)
    const { tenantId } = tenant
    const before = await findTenantBrand(writing.tx, tenantId)
    const { name: former, ...rest } = before ?? none
    const name = checkedName(changes.name, former)
    if (before === undefined || name !== former) {
      // Without a name of its own it is the tenant's that heads pages on which passwords are typed; one that an operator
      // called like the server heads none (headingOf).
      const wanted = name === '' ? ({ name: tenant.name, of: 'heading' } as const) : ({ name, of: 'brand' } as const)
      await checkNameFree(deps, writing.tx, { ...wanted, tenantId, target: 'name' })
    }
    await putTenantBrand(writing.tx, {
      tenant_id: tenantId,
      name,
      accent: checkedAccent('accent', changes.accent, rest.accent),
      accent_dark: checkedAccent('accentDark', changes.accentDark, rest.accentDark),
      terms: checkedLink('terms', changes.terms, rest.terms),
      privacy: checkedLink('privacy', changes.privacy, rest.privacy),
      support: checkedLink('support', changes.support, rest.support),
      updated_at: writing.nowMs,
    })
    for (const field of ['logo', 'logoDark'] as const) await changeLogo(writing, tenantId, field, changes[field])
    if ((await findTenantBrand(writing.tx, tenantId)) === undefined) await deleteTenantBrand(writing.tx, tenantId)
    await noteChange(deps, writing, tenantId, { before })
  })
}

/**
 * Takes all of it away: its pages look like the server's. False when there was none. `reason`: why somebody else than
 * its administrators does that, for the audit log. In the `open` transaction where there is one. Throws DirectoryRefusal.
 */
export async function removeTenantBrand(
  deps: DirectoryWrites,
  { tenantId: reference, reason }: { tenantId: string; reason?: string | undefined },
  open?: Writing,
): Promise<boolean> {
  const remove = async (writing: Writing) => {
    const { tenantId } = await requireTenant(writing, reference)
    const before = await findTenantBrand(writing.tx, tenantId)
    if (before === undefined) return false
    await deleteTenantBrand(writing.tx, tenantId)
    await noteChange(deps, writing, tenantId, { before, reason })
    return true
  }
  return write(deps, remove, open)
}

function checkedName(wanted: string | null | undefined, before: string): string {
  if (wanted === undefined) return before
  return wanted === null || wanted.trim() === '' ? '' : checkNewName(before, wanted, 'name', 'tenant')
}

function checkedAccent(field: 'accent' | 'accentDark', wanted: string | null | undefined, before: string): string {
  if (wanted === undefined) return before
  const text = (wanted ?? '').trim().toLowerCase()
  if (text === '') return ''
  const theme: Theme = field === 'accent' ? 'light' : 'dark'
  const problem = accentProblem(text, theme)
  if (problem === undefined) return text
  const where = theme === 'light' ? 'The accent' : 'The accent for dark pages'
  const code = problem.kind === 'form' ? 'InvalidColour' : 'LowContrast'
  throw new DirectoryRefusal(code, accentSentence(problem, theme, where), field)
}

async function changeLogo(
  { tx, nowMs }: Writing,
  tenantId: string,
  field: 'logo' | 'logoDark',
  wanted: string | null | undefined,
): Promise<void> {
  const theme = themes[field]
  if (wanted === undefined) return
  if (wanted === null || wanted === '') return deleteLogos(tx, { tenantId }, theme)
  await putLogo(tx, newLogo({ tenantId }, { theme, text: wanted, field, nowMs }))
}

/** Logos by their addresses, which say their content. Nothing is noted of a change that changes nothing. */
async function noteChange(
  deps: DirectoryWrites,
  { tx }: Writing,
  tenantId: string,
  { before, reason }: { before: TenantBrand | undefined; reason?: string | undefined },
): Promise<void> {
  const [was, is] = [plainBrand(before), plainBrand(await findTenantBrand(tx, tenantId))]
  const fields = [...texts, 'logo', 'logoDark'] as const
  const changed = fields.filter((field) => was[field] !== is[field])
  if (changed.length === 0) return
  const details = {
    ...Object.fromEntries(changed.map((field) => [field, { before: was[field], after: is[field] }])),
    ...(reason === undefined ? {} : { reason }),
  }
  await appendAudit(deps, tx, { event: 'tenant.brand-changed', tenantId, details })
}

function plainBrand(brand: TenantBrand | undefined) {
  const { logo, logoDark, ...said } = brand ?? { ...none, logo: undefined, logoDark: undefined }
  return { ...said, logo: logo?.path ?? '', logoDark: logoDark?.path ?? '' }
}
