// What a person's tokens cost the Store: a fixed number of statements, however many permissions they are for. One
// statement a permission would be found here.

import type { KyselyPlugin } from 'kysely'
import t from 'tap'
import type { Store } from '../../../src/storage/sql/store.js'
import { allOpenidScopes, delegate } from '../../support/rooms/delegation.js'
import { openIdentity, tokenPath } from '../../support/rooms/identity.js'

t.test('a code costs thirteen statements at the most and a refresh eleven, however much it is for', async (t) => {
  const statements: string[] = []
  const testApp = await openIdentity(t, { replace: ({ store }) => ({ store: counted(store, statements) }) })
  const delegation = await delegate(testApp)
  const cost = async (work: () => Promise<{ status: number; body: { refresh_token: string } }>) => {
    statements.length = 0
    const { status, body } = await work()
    t.equal(status, 200)
    return { statements: statements.length, token: body.refresh_token }
  }
  for (const openidScopes of [['openid', 'offline_access'], allOpenidScopes]) {
    const made = await delegation.code({ openidScopes })
    const redeemed = await cost(async () => {
      const { code, redirectUri, verifier } = made
      const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier }
      const answer = await testApp.post(tokenPath, { ...form, ...delegation.client })
      return { status: answer.statusCode, body: answer.json() }
    })
    t.ok(redeemed.statements <= 13, `a code: ${redeemed.statements}: ${statements.join(' ')}`)
    const refreshed = await cost(() => delegation.refresh(redeemed.token))
    t.ok(refreshed.statements <= 11, `a refresh: ${refreshed.statements}: ${statements.join(' ')}`)
  }
})

t.test(
  'an application that is known gets its own tokens without a statement, and what is noted of them waits',
  async (t) => {
    const statements: string[] = []
    const testApp = await openIdentity(t, { replace: ({ store }) => ({ store: counted(store, statements) }) })
    const { registration, secret } = await testApp.registerDemo()
    const form = { grant_type: 'client_credentials', scope: 'default', client_id: registration.applicationId }
    const take = async () =>
      t.equal((await testApp.post(tokenPath, { ...form, client_secret: secret })).statusCode, 200)
    await take()
    statements.length = 0
    for (let i = 0; i < 3; i += 1) await take()
    t.same(statements, [])
  },
)

/** The same Store; `statements` grows by the kind of each statement. */
function counted(store: Store, statements: string[]): Store {
  const counting: KyselyPlugin = {
    transformQuery({ node }) {
      statements.push(node.kind)
      return node
    },
    transformResult: async ({ result }) => result,
  }
  return {
    kind: store.kind,
    reader: store.reader.withPlugin(counting),
    transaction: (work, separation) => store.transaction((tx) => work(tx.withPlugin(counting)), separation),
    snapshot: (work) => store.snapshot((tx) => work(tx.withPlugin(counting))),
    check: () => store.check(),
    close: () => store.close(),
  }
}
