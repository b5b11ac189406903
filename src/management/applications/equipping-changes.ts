// Which changes to a registration could bring somebody its tokens: those are under the ceiling.

import type { Body } from '../schemas.js'
import { checkMayEquip } from './ceiling.js'
import type { ChangeRequest } from './change-request.js'

/** What changes nothing of who gets its tokens; whatever comes to a registration later is checked. */
const givesNothing: ReadonlySet<string> = new Set([
  'name',
  'publisher',
  'verified',
  'idTokenAlg',
  'adminConsentRedirectUris',
  'logoutRedirectUris',
])

/**
 * As checkMayEquip, for changes by which somebody could come by its tokens: its keys, its redirect URIs, how it proves
 * itself.
 */
export async function checkMayEquipBy(change: ChangeRequest, changes: Body<'changeApplication'>): Promise<void> {
  const gives = (name: string, value: unknown) =>
    !givesNothing.has(name) &&
    !(name === 'requirePkce' && value === true) &&
    !(name === 'deviceCodes' && value === 'off')
  const said = Object.entries(changes).filter(([name, value]) => value !== undefined && gives(name, value))
  if (said.length === 0) return
  // Switching off is always allowed; on again is not, for somebody switched it off.
  if (changes.state === 'disabled' && said.length === 1) return
  await checkMayEquip(change)
}
