// Clients that nobody registered, on PostgreSQL: the same stories, from the first request to what their changes end.
// full: the flow of clients that nobody registered on PostgreSQL
// run: apart

import t from 'tap'
import { changeDocument } from '../../../src/directory/documents/document-applications.js'
import { documentRegistration } from '../../../src/directory/documents/document-registration.js'
import { renewDocumentKeys } from '../../../src/directory/documents/renewed-keys.js'
import { deleteUnusedDocuments } from '../../../src/directory/documents/unused-documents.js'
import { documentApplicationId } from '../../../src/oauth/secrets/document-application-id.js'
import { startPostgres } from '../../support/databases/postgresql.js'
import { openPostgresTestStore } from '../../support/databases/postgresql-store.js'
import { loopbackCallback, webCallback } from '../../support/providers/document-host.js'
import { eventsOf, openDocuments } from '../../support/rooms/documents.js'
import { readToken, tokenPath } from '../../support/rooms/identity.js'
import { registerPath } from '../../support/rooms/registering.js'

t.setTimeout(120_000)
const server = await startPostgres(t)
const dayMs = 86_400_000

async function open(t: Parameters<typeof openDocuments>[0]) {
  const { store } = await openPostgresTestStore(t, server)
  const clock = { ms: 0 }
  const app = await openDocuments(t, {
    ...{ openStore: async () => store, open: { enabled: true }, monotonic: () => clock.ms },
  })
  const pass = (ms: number) => {
    clock.ms += ms
    app.testApp.clock.nowMs += ms
  }
  return { ...app, pass, applicationId: documentApplicationId(app.url, app.testApp.tenantId) }
}

t.test(
  'identity: on PostgreSQL, a client with a document goes the whole way, changes and is prompted again',
  async (t) => {
    const { testApp, host, url, address, codeFor, redeem, refresh, pass, rows, applicationId } = await open(t)
    t.equal(await rows(), 0)
    const first = await redeem((await codeFor(address())).code)
    t.equal(first.status, 200, JSON.stringify(first.body))
    t.equal(readToken(first.body['access_token']).claims['client_id'], url)
    const second = await refresh(first.body['refresh_token'])
    t.equal(second.status, 200)
    host.host('/client.json', {
      redirect_uris: [webCallback, loopbackCallback, 'https://new.test/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
    })
    pass(10 * 60_000)
    const browser = await testApp.signedIn()
    t.match((await browser.open(address())).body, 'id="consent"')
    t.match(await refresh(second.body['refresh_token']), { status: 400, body: { error: 'invalid_grant' } })
    t.equal(await rows(), 1)
    t.ok((await eventsOf(testApp)).some(({ event }) => event === 'client.document-changed'))
    pass(40 * dayMs)
    await testApp.store.transaction((tx) => tx.deleteFrom('grants').execute())
    t.equal(await deleteUnusedDocuments(testApp.writes, testApp.store), 1)
    t.equal(await testApp.directory.findRegistration(applicationId), undefined)
  },
)

t.test(
  'identity: on PostgreSQL, a client registers itself, and is one application however many allow it at once',
  async (t) => {
    const { testApp, address, codeFor, redeem, rows } = await open(t)
    const registered = await testApp.ask({
      ...{ method: 'POST', url: registerPath, headers: { 'content-type': 'application/json' } },
      payload: JSON.stringify({
        redirect_uris: [loopbackCallback],
        grant_types: ['authorization_code', 'refresh_token'],
      }),
    })
    t.equal(registered.statusCode, 201)
    const { client_id } = registered.json()
    const own = { client_id, redirect_uri: loopbackCallback }
    const people = [testApp.user, await testApp.person(), await testApp.person()]
    const codes = await Promise.all(people.map(({ userId }) => codeFor(address(own), userId)))
    t.equal(await rows(), 1)
    for (const { code } of codes) {
      const got = await redeem(code, own)
      t.equal(got.status, 200, JSON.stringify(got.body))
      const form = { grant_type: 'refresh_token', refresh_token: String(got.body['refresh_token']), client_id }
      t.equal((await testApp.post(tokenPath, form)).statusCode, 200)
    }
  },
)

t.test(
  'identity: on PostgreSQL, of copies that two instances fetched the later one counts, in either order',
  async (t) => {
    const { testApp, url, address, codeFor, applicationId } = await open(t)
    await codeFor(address())
    const { directory, writes, tenantId, now } = testApp
    const said = await testApp.deps.documents.find(url, '192.0.2.1')
    const copy = (later: number, redirectUri: string) =>
      documentRegistration(
        { ...said, redirectUris: [redirectUri], fetchedAt: now() + later },
        { tenantId, configured: [] },
      )
    const [older, newer] = [copy(1_000, 'https://older.test/'), copy(2_000, 'https://newer.test/')]
    t.same(
      await Promise.all([changeDocument(writes, newer), changeDocument(writes, newer)]).then((all) => all.sort()),
      [false, true],
    )
    for (let turn = 0; turn < 3; turn += 1) {
      t.equal(await changeDocument(writes, older), false, 'an older copy changes nothing')
      t.equal(await changeDocument(writes, newer), false, 'and the newer one has been')
    }
    t.match(await directory.findRegistration(applicationId), { redirectUris: ['https://newer.test/'] })
    t.equal(
      await renewDocumentKeys(writes, { ...newer, jwks: { keys: [] } }),
      false,
      'nor keys of a copy that is no newer',
    )
    t.equal((await eventsOf(testApp)).filter(({ event }) => event === 'client.document-changed').length, 1)
  },
)
