// Whether a sign-in is recent enough for what changes how one signs in, and for what an administrator could be talked
// into.

import { ageText } from '../../oauth/age-text.js'
import type { Session } from '../../users/records.js'
import type { IdentityDependencies } from '../dependencies.js'

type Deps = Pick<IdentityDependencies, 'now'> & { settings: { signIn: { recentMs: number } } }

/** Not older than `signIn.recent`. */
export function isRecent({ now, settings }: Deps, { authTime }: Pick<Session, 'authTime'>): boolean {
  return now() - authTime * 1000 <= settings.signIn.recentMs
}

/** How long that is: `10 minutes`. */
export function recentText({ settings }: Deps): string {
  return ageText(settings.signIn.recentMs / 1000)
}
