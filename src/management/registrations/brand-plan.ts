// What an application should say of itself: its links and its logo, held to the rules before anything is done, and
// compared with what it says. What is not named is left alone; an empty text takes away.

import { checkedLink } from '../../directory/brands/brand-links.js'
import { newLogo } from '../../directory/brands/brand-logo.js'
import { DirectoryRefusal } from '../../directory/refusal.js'
import type { BrandAnswer, BrandBody } from '../brands/brand-schemas.js'
import { RegistrationProblem } from './problem.js'

const links = ['home', 'terms', 'privacy'] as const

/** By field; the logo in base64. */
export type WantedBrand = { readonly [Field in (typeof links)[number] | 'logo']?: string | undefined }

/** What it becomes: what is sent, and what goes and comes. */
export interface BrandPlan {
  changes: BrandBody<'application'> | undefined
  differences: { field: string; removed: string[]; added: string[] }[]
}

/** As the server keeps it, so that a second time nothing differs. Throws RegistrationProblem with what is wrong. */
export function checkedBrand(brand: WantedBrand, of: string): WantedBrand {
  try {
    if (brand.logo) pictureOf(brand.logo, of)
    return {
      ...brand,
      ...Object.fromEntries(
        links.flatMap((link) => (brand[link] === undefined ? [] : [[link, checkedLink(link, brand[link], '')]])),
      ),
    }
  } catch (error) {
    if (!(error instanceof DirectoryRefusal)) throw error
    throw new RegistrationProblem('what_was_said', `${of}: brand: ${error.message}`, { cause: error })
  }
}

/** `existing`: what it says now; undefined: nothing. `wanted` went through `checkedBrand`. */
export function planBrand(
  wanted: WantedBrand | undefined,
  existing: BrandAnswer<'application'> | undefined,
): BrandPlan {
  const changes: Record<string, string | null> = {}
  const differences: BrandPlan['differences'] = []
  const note = (field: string, removed: string, added: string, value: string | null) => {
    changes[field] = value
    differences.push({ field: `brand.${field}`, removed: shown(removed), added: shown(added) })
  }
  for (const link of links) {
    const [before, after] = [existing?.[link] ?? '', wanted?.[link]]
    if (after !== undefined && after !== before) note(link, before, after, after || null)
  }
  const { logo } = wanted ?? {}
  const [before, after] = [existing?.logo ?? null, logo ? pictureOf(logo, existing?.applicationId ?? '') : undefined]
  // The address of a picture is made of its content and its owner.
  if (logo !== undefined && (before?.path ?? '') !== (after?.path ?? '')) {
    note('logo', sizeOf(before), sizeOf(after), logo || null)
  }
  return { changes: differences.length === 0 ? undefined : changes, differences }
}

function pictureOf(text: string, applicationId: string) {
  const row = newLogo({ applicationId }, { theme: 'light', text, field: 'logo', nowMs: 0 })
  return { path: `/brand/${row.digest}`, type: row.media_type, width: row.width, height: row.height }
}

function sizeOf(logo: { type: string; width: number; height: number } | null | undefined): string {
  return logo ? `${logo.type}, ${logo.width} × ${logo.height}` : ''
}

function shown(text: string): string[] {
  return text === '' ? [] : [text]
}
