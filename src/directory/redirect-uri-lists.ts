// The three lists of redirect URIs of a registration (contract §2), each matched on its own. What one URI may look like
// is said in oauth/redirect-uri.ts.

import { redirectUriProblem } from '../oauth/redirect-uri.js'
import { DirectoryRefusal } from './refusal.js'

const mostUris = 100

export interface RedirectUriLists {
  redirectUris?: readonly string[] | undefined
  adminConsentRedirectUris?: readonly string[] | undefined
  logoutRedirectUris?: readonly string[] | undefined
}

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
    if (problem !== undefined) throw new DirectoryRefusal('InvalidRedirectUri', problem, target)
  }
  return [...new Set(uris)]
}
