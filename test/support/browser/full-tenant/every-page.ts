// Every page that people see when they are signed in, as the pages registered: somebody who adds one to the portal or to the
// identity service cannot forget it here.

import { identityRoutes } from '../../../../src/identity/index.js'
import { pkcePair } from '../../rooms/delegation.js'
import { baseUrl } from '../../rooms/directory.js'
import { testServer } from '../../rooms/http-server.js'
import { openIdentity } from '../../rooms/identity.js'
import { openPortal } from '../../rooms/portal.js'
import { type PageIds, pageAddress } from '../portal-pages.js'

/** Of the portal: files and documents, and what only a form leads to. */
const noPage = [
  '/portal/usage/export',
  '/portal/apis/:apiId/openapi.json',
  '/portal/apis/:apiId/try',
  '/portal/audit/export',
  '/portal/server/audit/export',
  '/portal/confirm',
]
/** Of the identity service: no pages, and pages of one-time links or before a sign-in, which have nothing to list. */
const elsewhere = [
  /^\/(?:api\/v2\/oauth2\/v2\.0\/(?:userinfo|register|keys|assertionkeys)|\.well-known|assets|brand)/,
  /^\/(?:sign-in|set-up|invitation|link-provider|reset-password|account\/confirm-email|errors)/,
  // One call that waits for minutes: browser/agents/approval.test.ts looks at it.
  /^\/account\/approvals\/:/,
  // The same page under another name, and where a browser only passes by.
  /^\/(?::api|consent$|choose-tenant|api\/v2\/oauth2\/v2\.0\/(?:logout|\w+\/resume))/,
]
const own = /^\/(?:account(?:\/[a-z-]+)?|consent-requests|device|sign-out)$/

interface Test {
  testdir(): string
  teardown(work: () => unknown): void
}

/**
 * Their names and addresses. `asking`: an application that nobody allowed anything yet. Throws for a page that is in no
 * list, by its name.
 */
export async function everyPage(t: Test, ids: PageIds, asking: string): Promise<Map<string, string>> {
  const query = new URLSearchParams({
    ...{ client_id: asking, redirect_uri: 'https://reports.example/callback', response_type: 'code', state: 'a' },
    ...{ scope: 'openid profile User.Read', code_challenge: pkcePair().challenge, code_challenge_method: 'S256' },
  })
  const requests = new Map([
    ['/api/v2/oauth2/v2.0/authorize', `/api/v2/oauth2/v2.0/authorize?${query}`],
    ['/api/v2/oauth2/v2.0/adminconsent', `/api/v2/oauth2/v2.0/adminconsent?client_id=${asking}`],
  ])
  const found = new Map<string, string>()
  const { pages } = await openPortal(t)
  for (const pattern of pages.filter((each) => !noPage.includes(each))) {
    found.set(nameOf(pattern), pageAddress(pattern, ids))
  }
  for (const pattern of await identityPatterns(t)) {
    if (elsewhere.some((each) => each.test(pattern))) continue
    const address = requests.get(pattern) ?? (own.test(pattern) ? pattern : undefined)
    if (address === undefined) throw new Error(`${pattern} is a page that nobody looks at with data`)
    found.set(nameOf(pattern), address)
  }
  return found
}

/** In names of files. */
function nameOf(pattern: string): string {
  const words = pattern.replace(/^\/(?:api\/v2\/oauth2\/v2\.0\/)?(?:portal$|portal\/)?/, '').replace(/[^a-z]+/gi, '-')
  return words.toLowerCase() || 'overview'
}

async function identityPatterns(t: Test): Promise<string[]> {
  const { deps } = await openIdentity(t)
  const app = testServer({ baseUrl })
  const patterns: string[] = []
  app.addHook('onRoute', ({ method, url }) => {
    if ([method].flat().includes('GET')) patterns.push(url)
  })
  app.register(identityRoutes(deps))
  await app.ready()
  await app.close()
  return patterns
}
