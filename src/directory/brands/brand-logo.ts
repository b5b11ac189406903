// A logo as somebody sends it, in base64, and as it is kept.

import { createHash } from 'node:crypto'
import { type LogoType, readLogo } from '../../branding/logo.js'
import type { BrandLogoRow, LogoFacts, LogoOwner } from '../../storage/sql/registrations/brands/logos.js'
import { DirectoryRefusal } from '../refusal.js'

/** A logo where it is shown. */
export interface ShownLogo {
  /** Its path on this server: made of its content, so it may be kept for ever. */
  path: string
  type: string
  /** Pixels. */
  width: number
  height: number
}

const endings: Readonly<Record<LogoType, string>> = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' }
const base64 = /^[A-Za-z0-9+/]+={0,2}$/

/** The row of a new logo; `field` names it in refusals. Throws DirectoryRefusal (InvalidLogo). */
export function newLogo(
  owner: LogoOwner,
  { theme, text, field, nowMs }: { theme: 'light' | 'dark'; text: string; field: string; nowMs: number },
): BrandLogoRow {
  if (!base64.test(text)) throw invalid('is a picture in base64', field)
  const logo = readLogo(Buffer.from(text, 'base64'))
  if ('wrong' in logo) throw invalid(logo.wrong, field)
  const { type, width, height, bytes } = logo
  const ids = 'tenantId' in owner ? [owner.tenantId, null] : [null, owner.applicationId]
  return {
    digest: `${logoDigest([...ids, theme], bytes)}.${endings[type]}`,
    tenant_id: ids[0] ?? null,
    application_id: ids[1] ?? null,
    theme,
    media_type: type,
    width,
    height,
    picture: Buffer.from(bytes).toString('base64'),
    created_at: nowMs,
  }
}

/**
 * The owner is part of it: who has a company's logo does not find out by its address that the company is a tenant here.
 */
function logoDigest(owner: readonly (string | null)[], bytes: Uint8Array): string {
  return createHash('sha256').update(JSON.stringify(owner)).update(bytes).digest('hex').slice(0, 40)
}

/** The logo of one theme, as pages show it. */
export function shownLogo(logos: readonly LogoFacts[], theme: 'light' | 'dark'): ShownLogo | undefined {
  const row = logos.find((each) => each.theme === theme)
  if (row === undefined) return undefined
  return { path: `/brand/${row.digest}`, type: row.media_type, width: row.width, height: row.height }
}

function invalid(wrong: string, field: string): DirectoryRefusal {
  return new DirectoryRefusal('InvalidLogo', `The logo ${wrong}.`, field)
}
