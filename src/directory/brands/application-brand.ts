// What an application says of itself where people decide about it: a logo and three addresses. It is a claim, shown beside
// the name and never instead of whose page it is (decision 125).

import { appendAudit } from '../../ledger/append-audit.js'
import {
  deleteApplicationBrand,
  putApplicationBrand,
  readApplicationBrand,
} from '../../storage/sql/registrations/brands/application-brands.js'
import { deleteLogos, putLogo } from '../../storage/sql/registrations/brands/logo-writes.js'
import { readLogos } from '../../storage/sql/registrations/brands/logos.js'
import type { Statements } from '../../storage/sql/store.js'
import { type DirectoryWrites, requireApplication, type Writing, write } from '../writes.js'
import { checkedLink } from './brand-links.js'
import { newLogo, type ShownLogo, shownLogo } from './brand-logo.js'

/** Empty text: not said. */
export interface ApplicationBrand {
  home: string
  terms: string
  privacy: string
  logo: ShownLogo | undefined
}

/** Null takes away; undefined leaves. The logo in base64. */
export type ApplicationBrandChanges = {
  readonly [Field in keyof ApplicationBrand]?: string | null | undefined
}

const fields = ['home', 'terms', 'privacy', 'logo'] as const
/** Of an application that said nothing. */
export const noApplicationBrand: ApplicationBrand = { home: '', terms: '', privacy: '', logo: undefined }

/** What an application says. Throws StoreUnavailable. */
export async function findApplicationBrand(statements: Statements, applicationId: string): Promise<ApplicationBrand> {
  const [row, logos] = await Promise.all([
    readApplicationBrand(statements, applicationId),
    readLogos(statements, { applicationId }),
  ])
  const { home, terms, privacy } = row ?? noApplicationBrand
  return { home, terms, privacy, logo: shownLogo(logos, 'light') }
}

/**
 * Changes what is said, all of it or nothing. Throws DirectoryRefusal (ApplicationNotFound, InvalidLink, InvalidLogo).
 */
export async function changeApplicationBrand(
  deps: DirectoryWrites,
  reference: string,
  changes: ApplicationBrandChanges,
): Promise<void> {
  await changing(deps, { reference }, async ({ tx, nowMs }, applicationId, before) => {
    await putApplicationBrand(tx, {
      application_id: applicationId,
      home: checkedLink('home', changes.home, before.home),
      terms: checkedLink('terms', changes.terms, before.terms),
      privacy: checkedLink('privacy', changes.privacy, before.privacy),
      updated_at: nowMs,
    })
    const { logo } = changes
    if (logo === undefined) return
    if (logo === null || logo === '') return deleteLogos(tx, { applicationId })
    await putLogo(tx, newLogo({ applicationId }, { theme: 'light', text: logo, field: 'logo', nowMs }))
  })
}

/**
 * Takes all of it away. `reason`: why somebody else than its owners does that, for the audit log. Throws DirectoryRefusal
 * (ApplicationNotFound).
 */
export async function removeApplicationBrand(
  deps: DirectoryWrites,
  { applicationId: reference, reason }: { applicationId: string; reason?: string | undefined },
): Promise<void> {
  const remove = ({ tx }: Writing, applicationId: string) => deleteApplicationBrand(tx, applicationId)
  await changing(deps, { reference, reason }, remove)
}

async function changing(
  deps: DirectoryWrites,
  { reference, reason }: { reference: string; reason?: string | undefined },
  change: (writing: Writing, applicationId: string, before: ApplicationBrand) => Promise<void>,
): Promise<void> {
  await write(deps, async (writing) => {
    const { application } = await requireApplication(writing, reference)
    const { id: applicationId, tenant_id: tenantId } = application
    const before = await findApplicationBrand(writing.tx, applicationId)
    await change(writing, applicationId, before)
    const [was, is] = [plain(before), plain(await findApplicationBrand(writing.tx, applicationId))]
    const changed = fields.filter((field) => was[field] !== is[field])
    if (changed.length === 0) return
    const details = {
      ...Object.fromEntries(changed.map((field) => [field, { before: was[field], after: is[field] }])),
      ...(reason === undefined ? {} : { reason }),
    }
    await appendAudit(deps, writing.tx, { event: 'application.brand-changed', applicationId, tenantId, details })
  })
}

function plain({ logo, ...said }: ApplicationBrand) {
  return { ...said, logo: logo?.path ?? '' }
}
