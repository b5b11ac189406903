// The three lists of redirect URIs of a registration (contract §2), each matched on its own. What one URI may look like
// is said in oauth/requests/redirect-uri.ts; here a refusal also says what was probably meant.

import { redirectUriProblem } from '../../oauth/requests/redirect-uri.js'
import { DirectoryRefusal } from '../refusal.js'

const mostUris = 100
const longestGuess = 512

export interface RedirectUriLists {
  redirectUris?: readonly string[] | undefined
  adminConsentRedirectUris?: readonly string[] | undefined
  logoutRedirectUris?: readonly string[] | undefined
}

/** Each list of a registration with the purpose that its rows are stored under. */
export const redirectUriPurposes = [
  ['redirectUris', 'redirect'],
  ['adminConsentRedirectUris', 'admin-consent'],
  ['logoutRedirectUris', 'logout'],
] as const

/** The lists that were given, without duplicates. Throws DirectoryRefusal naming the list of the first bad URI. */
export function checkRedirectUris(lists: RedirectUriLists, type: 'web' | 'native'): RedirectUriLists {
  return {
    redirectUris: checkList('redirectUris', lists.redirectUris, type),
    adminConsentRedirectUris: checkList('adminConsentRedirectUris', lists.adminConsentRedirectUris, type),
    logoutRedirectUris: checkList('logoutRedirectUris', lists.logoutRedirectUris, type),
  }
}

function checkList(target: keyof RedirectUriLists, uris: readonly string[] | undefined, type: 'web' | 'native') {
  if (uris === undefined) return undefined
  if (uris.length > mostUris) {
    throw new DirectoryRefusal('InvalidRedirectUri', `A list has at most ${mostUris} redirect URIs.`, target)
  }
  for (const uri of uris) {
    const problem = redirectUriProblem(uri, type)
    if (problem === undefined) continue
    const corrected = correctedRedirectUri(uri, type)
    const hint = corrected === undefined ? '' : ` Did you mean ${corrected}?`
    throw new DirectoryRefusal('InvalidRedirectUri', `${problem}${hint}`, target)
  }
  return [...new Set(uris)]
}

/**
 * The nearest URI that may be registered, when the mistake is a plain one. Never taken unless the caller confirms it.
 */
export function correctedRedirectUri(uri: string, type: 'web' | 'native'): string | undefined {
  const plain = uri.trim().replace(/#.*$/s, '')
  // No authority of a guess: whatever has user information could be meant for either side of the @.
  if (plain.includes('@') || plain.length > longestGuess) return undefined
  const written = plain.replace(/^(https?):\/*/i, (_match, scheme: string) => `${scheme.toLowerCase()}://`)
  const secure = written.replace(/^http:/, 'https:')
  const guesses = [plain, written, secure, ...hostFirst(plain), privateUse(plain)]
  return guesses.find((guess) => guess !== uri && redirectUriProblem(guess, type) === undefined)
}

function hostFirst(uri: string): string[] {
  return /^[\w-]+(?:\.[\w-]+)+(?:[:/?]|$)/.test(uri) ? [`https://${uri}`] : []
}

/** `com.example.app:cb` and `com.example.app` are a scheme with a path (RFC 8252 §7.1). */
function privateUse(uri: string): string {
  const [scheme = '', ...path] = uri.split(':')
  return `${scheme.toLowerCase()}:/${path.join(':').replace(/^\/*/, '')}`
}
