// identity L8: an address of a provider counts with the word on it that came beside it, from the same place.

import t from 'tap'
import { openSignIn } from '../../support/people/sign-in.js'
import { startFakeProvider } from '../../support/providers/fake-provider.js'

const email = 'ceo@contoso.test'
const cases: readonly [string, { idToken: object; userinfo: object; email: string }][] = [
  [
    'the word of the ID token, the address of userinfo',
    { idToken: { email_verified: true }, userinfo: { email }, email: '' },
  ],
  [
    'the word of userinfo, the address of the ID token',
    { idToken: { email }, userinfo: { email_verified: true }, email: '' },
  ],
  [
    'two addresses, the word on the other one',
    { idToken: { email: 'mallory@evil.test', email_verified: true }, userinfo: { email }, email: '' },
  ],
  [
    'two addresses, each with its word',
    {
      ...{ idToken: { email, email_verified: true }, userinfo: { email: 'mallory@evil.test', email_verified: false } },
      email: '',
    },
  ],
  ['both in the ID token', { idToken: { email, email_verified: true }, userinfo: {}, email }],
  ['both in userinfo', { idToken: {}, userinfo: { email, email_verified: true }, email }],
]

t.test('identity L8: the address of one source never stands beside the word of another', async (t) => {
  const provider = await startFakeProvider(t, {})
  const testApp = await openSignIn(t, { signIn: { providers: new Map([['fake', provider.settings]]) } })
  testApp.clock.nowMs = Date.now()
  Object.assign(provider.settings, { createUsers: true, tenantId: testApp.tenantId })
  const made = new Set<string>()
  for (const [title, { idToken, userinfo, email: expected }] of cases) {
    provider.next.claims = { sub: title, ...idToken }
    // The name is at userinfo alone, so that userinfo is fetched.
    provider.next.userinfo = { sub: title, name: 'New', ...userinfo }
    const browser = testApp.browser()
    const sent = await browser.open('/sign-in/external/fake')
    t.equal((await browser.open(provider.answer(sent.location ?? ''))).path, '/account', title)
    const users = await testApp.store.reader.selectFrom('users').selectAll().where('id_provider', '=', 'fake').execute()
    const [user] = users.filter(({ id }) => !made.has(id))
    t.match(user, { email: expected, email_verified: expected === '' ? 0 : 1 }, title)
    made.add(user?.id ?? '')
    await testApp.store.transaction((tx) => tx.updateTable('users').set({ email: '', email_key: null }).execute())
  }
})
