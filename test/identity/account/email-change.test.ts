// A changed address counts when the person who requested it used its link, or when somebody who may says so; nobody
// learns it before.

import t from 'tap'
import { secretValue } from '../../../src/config/read/secret-value.js'
import { findUser, findUserByEmail } from '../../../src/users/accounts/users.js'
import { askForEmail, vouchForEmail } from '../../../src/users/mail/email-change.js'
import { pendingEmails } from '../../../src/users/mail/pending-emails.js'
import { mailNotices } from '../../../src/users/notices/notices.js'
import { textOf } from '../../support/browser/scripted-browser.js'
import { mailRates, startMailServer } from '../../support/people/mail-server.js'
import { openSignIn } from '../../support/people/sign-in.js'
import { delegate, makePerson } from '../../support/rooms/delegation.js'
import { openIdentity, readToken } from '../../support/rooms/identity.js'
import { until } from '../../support/traffic/until.js'

const userinfo = '/api/v2/oauth2/v2.0/userinfo'
const wanted = 'ceo@contoso.example'

t.test('identity M10: no application learns an address that nobody confirmed', async (t) => {
  const testApp = await openIdentity(t)
  const { tokens, user, tenantId } = await delegate(testApp)
  const claims = async () => {
    const { access_token, id_token } = await tokens()
    const answer = await testApp.ask({ url: userinfo, headers: { authorization: `Bearer ${access_token}` } })
    return [readToken(id_token).claims, answer.json()]
  }
  const profile = async () =>
    (await testApp.store.reader.selectFrom('profiles').select('email').where('user_id', '=', user.userId).execute())[0]
  await askForEmail(testApp.deps.users, user.userId, wanted)
  for (const each of await claims()) t.match(each, { email: user.email, preferred_username: user.email })
  t.match(await profile(), { email: user.email })
  t.equal(await findUserByEmail(testApp.store.reader, wanted), undefined, 'nobody has it')
  const other = await makePerson(testApp.deps, tenantId, { email: wanted })
  t.equal(other.email, wanted, 'and its owner is not kept from it')
  const link = vouchForEmail(testApp.deps.users, user.userId, wanted, { by: 'operator' })
  await t.rejects(link, { code: 'EmailTaken' })
  await testApp.store.transaction((tx) => tx.updateTable('users').set({ email_verified: 0 }).execute())
  for (const each of await claims()) {
    for (const name of ['email', 'email_verified', 'preferred_username']) t.notOk(name in each, name)
  }
})

t.test('identity M10: what an administrator confirms is for the applications of their tenant', async (t) => {
  const testApp = await openIdentity(t)
  const { tokens, user, tenantId } = await delegate(testApp)
  const own = (address: string) => ({ email: address, preferred_username: address, email_verified: true })
  const claims = async () => readToken((await tokens()).id_token).claims
  const { tenantId: elsewhere } = await testApp.registerDemo({ name: 'another' })
  const word = (by: string, email: string) =>
    vouchForEmail(testApp.deps.users, user.userId, email, { by: 'administrator', tenantId: by })
  await word(tenantId, wanted)
  t.match(await claims(), own(wanted))
  t.match(await findUser(testApp.store.reader, user.userId), { email: wanted, emailVerified: false })
  await word(elsewhere, 'chief@contoso.example')
  t.notOk('email' in (await claims()), 'another tenant’s word is nothing here')
  await vouchForEmail(testApp.deps.users, user.userId, 'boss@contoso.example', { by: 'operator' })
  t.match(await claims(), own('boss@contoso.example'))
})

t.test(
  'identity M10: the mailed link counts for the person who requested it and is signed in, and for nobody else',
  async (t) => {
    const mail = await startMailServer(t)
    const settings = { url: secretValue(mail.url), from: 'x@example.test', ...mailRates }
    const testApp = await openSignIn(t, {
      replace: (deps) => ({
        settings: { ...deps.settings, mail: settings },
        users: { ...deps.users, mail: settings },
      }),
    })
    const [ada, bob] = [await testApp.person('Ada'), await testApp.person('Bob')]
    const [hers, his] = [await testApp.signedIn(ada), await testApp.signedIn(bob)]
    const ask = async (email: string) =>
      hers.submit(await hers.open('/account/details'), 'details-form', { name: 'Ada', email })
    const done = textOf(await ask(wanted), 'done')
    t.match(done, /until then the present one stays/)
    const text = await mail.mailTo(wanted, 'confirm-email')
    const path = /https:\/\/[^/]+(\/account\/confirm-email\/pcl_oe_\w{43})/.exec(text)?.[1] ?? ''
    t.equal((await his.open(path)).status, 404, 'somebody else who opens it gives nobody anything')
    t.match((await findUser(testApp.store.reader, ada.userId))?.email, ada.email, 'looking changes nothing')
    t.equal(
      textOf(await ask(bob.email), 'done'),
      done,
      'identity L5: an address that somebody has gets the same answer',
    )
    t.match(await mail.mailTo(bob.email, 'belongs to an account already'), /nothing was changed/)
    t.equal((await hers.open(path)).status, 404, 'a later wish takes the place of the one before')
    await ask(wanted)
    let fresh = path
    await until('the second link', async () => {
      const found = await mail.mailTo(wanted, 'confirm-email')
      fresh = /(\/account\/confirm-email\/pcl_oe_\w{43})/.exec(found)?.[1] ?? ''
      return fresh !== path
    })
    const confirmed = await hers.submit(await hers.open(fresh), 'confirm-email-form')
    t.match(textOf(confirmed, 'done'), /confirmed/)
    t.match(await findUser(testApp.store.reader, ada.userId), { email: wanted, emailVerified: true })
    t.equal((await hers.open(fresh)).status, 404, 'it works once')
    await mailNotices({ ...testApp.deps.users, mail: settings })
    t.match(await mail.mailTo(ada.email, 'no longer signs in'), /administrator/)
  },
)

t.test('identity M10: a requested change ends, and two who ask for one address get it once', async (t) => {
  const testApp = await openIdentity(t)
  const { deps, clock } = testApp
  const { tenantId } = await testApp.registerDemo({})
  const [ada, ben] = [await makePerson(deps, tenantId), await makePerson(deps, tenantId)]
  const waiting = async () => [...(await pendingEmails(deps.users, [ada.userId, ben.userId])).values()]
  await askForEmail(deps.users, ada.userId, wanted)
  await askForEmail(deps.users, ben.userId, wanted)
  t.same(await waiting(), [wanted, wanted], 'asking keeps nobody from asking')
  const both = [ada, ben].map(({ userId }) => vouchForEmail(deps.users, userId, wanted, { by: 'operator' }))
  const ended = await Promise.allSettled(both)
  t.equal(ended.filter(({ status }) => status === 'fulfilled').length, 1)
  t.equal((await waiting()).length, 1, 'who lost may still wait')
  clock.nowMs += 31 * 86_400_000
  t.same(await waiting(), [])
})
