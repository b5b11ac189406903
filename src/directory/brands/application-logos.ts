// The logos of applications, for lists of them.

import { readApplicationLogos } from '../../storage/sql/registrations/brands/logos.js'
import type { Statements } from '../../storage/sql/store.js'
import { type ShownLogo, shownLogo } from './brand-logo.js'

/** By application; those that have none are not in it. Throws StoreUnavailable. */
export async function findApplicationLogos(
  statements: Statements,
  applicationIds: readonly string[],
): Promise<ReadonlyMap<string, ShownLogo>> {
  const rows = await readApplicationLogos(statements, [...new Set(applicationIds)])
  return new Map(
    [...rows].flatMap(([id, row]) => {
      const logo = shownLogo([row], 'light')
      return logo === undefined ? [] : [[id, logo] as const]
    }),
  )
}
