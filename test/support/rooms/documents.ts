// A client that nobody registered, in front of an authorization endpoint: its document is on a host of the test, and a
// resource is open to such clients.

import { catalogueOf } from '../../../src/config/routes/catalogue.js'
import type { PermissionDefinition } from '../../../src/config/settings/settings.js'
import type { LiveCatalogue } from '../../../src/directory/permissions/live-catalogue.js'
import { type DocumentHost, startDocumentHost, webCallback } from '../providers/document-host.js'
import { type AuthorizeApp, answerOf, authorizePath, openAuthorize, pair } from './authorize.js'
import { otherResource } from './directory.js'
import { type IdentityOptions, tokenPath } from './identity.js'

type Test = Parameters<typeof openAuthorize>[0]

export interface DocumentApp {
  testApp: AuthorizeApp
  host: DocumentHost
  url: string
  /** The address of a request of the client. */
  address(more?: Record<string, string | undefined>): string
  /** Through the pages, to the code. */
  codeFor(path: string, userId?: string): Promise<{ code: string; location: string }>
  redeem(code: string, more?: Record<string, string>): Promise<{ status: number; body: Record<string, unknown> }>
  refresh(token: unknown): Promise<{ status: number; body: Record<string, unknown> }>
  rows(): Promise<number>
}

const define = (id: string): PermissionDefinition => ({
  ...{ id, resource: otherResource, kinds: ['delegated'], describe: `Allows ${id}.` },
  ...{ adminConsent: false, role: 'member', covers: [] },
})

/** Of the other resource, `desk.read` and `desk.write` are open to such clients, and `desk.admin` is not. */
function openDesk({ catalogue }: AuthorizeApp): void {
  const resources = new Map(catalogue.resources)
  resources.set(otherResource, { id: otherResource, name: 'Desk', own: false, documents: ['desk.read', 'desk.write'] })
  const permissions = [...catalogue.permissions, ...['desk.read', 'desk.write', 'desk.admin'].map(define)]
  const next = catalogueOf(catalogue.own, resources, permissions, 'en')
  ;(catalogue as LiveCatalogue).configure(next)
}

/** A host with a document, and somebody who may use the desk. */
export async function openDocuments(
  t: Test,
  { members, ...options }: IdentityOptions & { members?: Record<string, unknown> } = {},
): Promise<DocumentApp> {
  const host = await startDocumentHost(t)
  const testApp = await openAuthorize(t, { documents: { trust: 'any', ca: host.ca }, ...options })
  openDesk(testApp)
  const url = host.host('/client.json', { grant_types: ['authorization_code', 'refresh_token'], ...members })
  const address: DocumentApp['address'] = (more = {}) => {
    const fields = {
      ...{ client_id: url, redirect_uri: webCallback, response_type: 'code', resource: otherResource, state: 's' },
      ...{ scope: 'desk.read offline_access', code_challenge: pair.challenge, code_challenge_method: 'S256' },
      ...more,
    }
    const present = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined)
    return `${authorizePath}?${new URLSearchParams(present)}`
  }
  const post = async (path: string, form: Record<string, string>) => {
    const answer = await testApp.post(path, { client_id: url, ...form })
    return { status: answer.statusCode, body: answer.json() as Record<string, unknown> }
  }
  return {
    ...{ testApp, host, url, address },
    async codeFor(path, userId) {
      const browser = await testApp.signedIn(userId)
      const page = await browser.open(path)
      const done = await browser.submit(page, 'consent', { decision: 'accept' })
      return { code: String(answerOf(done)['code']), location: String(done.location) }
    },
    redeem: (code, more = {}) =>
      post(tokenPath, {
        ...{ grant_type: 'authorization_code', code, redirect_uri: webCallback, code_verifier: pair.verifier },
        ...more,
      }),
    refresh: (token) => post(tokenPath, { grant_type: 'refresh_token', refresh_token: String(token) }),
    rows: async () => (await testApp.store.reader.selectFrom('client_documents').selectAll().execute()).length,
  }
}

export const eventsOf = ({ store }: AuthorizeApp) =>
  store.reader.selectFrom('ledger').select(['event', 'details']).execute()
