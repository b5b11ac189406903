// identity H3: a mail to the administrators of a tenant when its applications send people to new origins (decision 84).

import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { SMTPServer } from 'smtp-server'
import t, { type Test } from 'tap'
import { secretValue } from '../../../src/config/read/secret-value.js'
import { changeApplication } from '../../../src/directory/applications/application-changes.js'
import { registerApplication } from '../../../src/directory/applications/registration.js'
import { createTenant } from '../../../src/directory/tenants/tenants.js'
import { setUserState } from '../../../src/users/accounts/user-state.js'
import { notifyOfNewOrigins } from '../../../src/users/memberships/new-origin-notice.js'
import { mailRates } from '../../support/people/mail-server.js'
import { openUsers, type UsersApp } from '../../support/rooms/users.js'

const hourMs = 3_600_000

async function open(t: Test) {
  const mails: { to: string; text: string }[] = []
  const state = { refusing: new Set<string>() }
  const server = new SMTPServer({
    ...{ authOptional: true, hideSTARTTLS: true, logger: false },
    onRcptTo: ({ address }, _session, done) =>
      state.refusing.has(address) || state.refusing.has('*') ? done(new Error('not now')) : done(),
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const text = Buffer.concat(chunks).toString().replace(/=\r\n/g, '').replaceAll('=3D', '=')
        for (const { address } of session.envelope.rcptTo) mails.push({ to: address, text })
        done()
      })
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  t.teardown(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const { port } = server.server.address() as { port: number }
  const from = 'Portcullis <no-reply@example.test>'
  const url = secretValue(`smtp://127.0.0.1:${port}`)
  const testApp = await openUsers(t, { mail: { url, from, ...mailRates } })
  const failed: unknown[] = []
  const users = { ...testApp.users, onMailError: (error: unknown) => void failed.push(error) }
  return { ...testApp, users, mails, state, failed }
}

const redirectUris = ['https://app.test/back']
const add = (testApp: UsersApp, id: string, origins: readonly string[], userId?: string) =>
  changeApplication({ ...testApp.writes, ...(userId === undefined ? {} : { actor: { kind: 'user', userId } }) }, id, {
    redirectUris: [...redirectUris, ...origins.map((origin) => `${origin}/steal`)],
  })
const register = async ({ writes }: UsersApp, tenantId: string, name = `app ${randomUUID()}`) =>
  (await registerApplication(writes, { name, type: 'web', tenantId, redirectUris })).registration.applicationId

t.test(
  'identity H3: administrators get one mail of all that is new, without anything that somebody else chose',
  async (t) => {
    const testApp = await open(t)
    const { users, mails, tenantId, person, store } = testApp
    const [ada, ben] = [await person('Ada', 'owner'), await person('Ben', 'administrator')]
    const dora = await person('Dora', 'developer')
    await setUserState(users, (await person('Gone', 'administrator')).userId, 'disabled')
    const [one, two] = [await register(testApp, tenantId), await register(testApp, tenantId)]
    await notifyOfNewOrigins(users)
    t.same(mails, [], 'nothing is new')
    await add(testApp, one, ['https://dora.example', 'https://two.example'], dora.userId)
    await add(testApp, two, ['https://dora.example'], dora.userId)
    await notifyOfNewOrigins(users)
    t.same(mails.map(({ to }) => to).sort(), ['ada@example.test', 'ben@example.test'], 'owners and administrators')
    for (const { text } of mails) {
      t.match(text, /gave 2 applications of the organisation .*Contoso.* redirect addresses on 3 new sites/)
      t.match(text, `https://portcullis.test/portal/redirect-origins?tenant=${tenantId}`)
      t.notMatch(text, /dora|two\.example|app [0-9a-f]/i, 'no origin, and no name of an application')
    }
    await notifyOfNewOrigins(users)
    t.equal(mails.length, 2, 'once')
    t.same(testApp.failed, [])
    // As a name of before there were rules for them.
    const named = { name: 'Locked: go to https://evil.example/unlock' }
    await store.transaction((tx) => tx.updateTable('tenants').set(named).where('id', '=', tenantId).execute())
    testApp.clock.nowMs += hourMs
    await add(testApp, two, ['https://dora.example', 'https://mine.example'], ada.userId)
    mails.length = 0
    await notifyOfNewOrigins(users)
    t.same(
      mails.map(({ to }) => to),
      [ben.email],
      'nobody gets a message about what they did themselves',
    )
    t.match(
      mails[0]?.text,
      /one application of your organisation at portcullis\.test redirect addresses on one new site/,
    )
    t.notMatch(mails[0]?.text, /evil/)
  },
)

t.test('identity H3: such mails come hourly at most for a tenant, and none is lost', async (t) => {
  const testApp = await open(t)
  const { users, mails, tenantId, person, clock, writes, state, failed } = testApp
  const ada = await person('Ada', 'owner')
  const id = await register(testApp, tenantId)
  const round = async (origins: string[]) => {
    await add(testApp, id, origins)
    await notifyOfNewOrigins(users)
  }
  await round(['https://a.example'])
  for (let n = 0; n < 20; n += 1) await round([`https://b${n}.example`])
  t.equal(mails.length, 1, 'however often somebody adds and removes')
  const other = await createTenant(writes, { name: 'Fabrikam' })
  const theirs = await register(testApp, other.tenantId)
  await add(testApp, theirs, ['https://c.example'])
  await notifyOfNewOrigins(users)
  t.equal(mails.length, 1, 'a tenant without administrators has nobody to tell')
  clock.nowMs += hourMs
  await notifyOfNewOrigins(users)
  t.equal(mails.length, 2)
  t.match(mails[1]?.text, /on 20 new sites/, 'what came in between is in the next one')
  clock.nowMs += hourMs
  state.refusing.add(ada.email)
  await round(['https://d.example'])
  t.equal(failed.length, 1)
  t.notMatch(String(failed[0]), /ada@/)
  state.refusing.clear()
  clock.nowMs += hourMs
  await notifyOfNewOrigins(users)
  t.equal(mails.length, 3, 'a mail that was not taken is tried again')
})

t.test('identity H3: without a mail server nothing is sent, and nothing counts as sent', async (t) => {
  const testApp = await openUsers(t)
  await testApp.person('Ada', 'owner')
  await add(testApp, await register(testApp, testApp.tenantId), ['https://a.example'])
  await notifyOfNewOrigins(testApp.users)
  const rows = await testApp.store.reader.selectFrom('new_redirect_origins').select('told_at').execute()
  t.same(rows, [{ told_at: null }])
})
