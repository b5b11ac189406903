// C14 What ends a person's access ends what they were about to change: each form of the account is looked at again in the
// transaction that writes.

import { Secret, TOTP } from 'otpauth'
import t from 'tap'
import { setUserState } from '../../../src/users/accounts/user-state.js'
import { signOutEverywhere } from '../../../src/users/sessions/end-access.js'
import { type Shown, textOf } from '../../support/browser/scripted-browser.js'
import { openSignIn, password, type SignInApp } from '../../support/people/sign-in.js'
import { createSoftAuthenticator } from '../../support/people/webauthn.js'
import { baseUrl } from '../../support/rooms/directory.js'
import { withMeanwhile } from '../../support/storage/meanwhile.js'

interface Form {
  path: string
  form: string
  fields(page: Shown, testApp: SignInApp): Promise<Record<string, string>> | Record<string, string>
}

const forms: Form[] = [
  { path: '/account/details', form: 'details-form', fields: () => ({ name: 'Ada', email: 'evil@evil.test' }) },
  { path: '/account/details', form: 'details-form', fields: () => ({ name: 'Eve', email: 'ada@example.test' }) },
  {
    path: '/account/password',
    form: 'password-form',
    fields: () => ({ current: password, password: 'seven loud orange kettles' }),
  },
  {
    path: '/account/second-factor',
    form: 'second-factor-form',
    fields(page, { clock }) {
      const secret = Secret.fromBase32(textOf(page, 'seed').replaceAll(' ', ''))
      return { code: new TOTP({ secret }).generate({ timestamp: clock.nowMs }) }
    },
  },
  {
    path: '/account/passkeys',
    form: 'passkey-form',
    async fields(page) {
      const said = /data-passkey-create="([^"]*)"/.exec(page.body)?.[1] ?? ''
      const options = JSON.parse(said.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&'))
      return { passkey: (await createSoftAuthenticator(baseUrl)).create(options), name: 'Phone' }
    },
  },
  { path: '/account/delete', form: 'delete-form', fields: () => ({ confirm: 'ada@example.test' }) },
]

const endings: Record<string, (testApp: SignInApp, userId: string) => Promise<unknown>> = {
  'signed out everywhere': ({ deps }, userId) => signOutEverywhere(deps.users, userId),
  disabled: ({ deps }, userId) => setUserState(deps.users, userId, 'disabled'),
}

/** Everything of a person that a form of theirs could change. */
async function kept({ store }: SignInApp, userId: string) {
  const of = (table: 'passkeys' | 'recovery_codes' | 'email_changes') =>
    store.reader.selectFrom(table).selectAll().where('user_id', '=', userId).execute()
  const user = await store.reader
    .selectFrom('users')
    .select(['name', 'email', 'password_hash', 'totp_secret'])
    .where('id', '=', userId)
    .executeTakeFirst()
  return { user, passkeys: await of('passkeys'), codes: await of('recovery_codes'), emails: await of('email_changes') }
}

t.test('C14 a form of somebody whose access ends before it is written changes nothing', async (t) => {
  for (const { path, form, fields } of forms) {
    for (const [name, end] of Object.entries(endings)) {
      const testApp = await openSignIn(t)
      const user = await testApp.person('Ada')
      const { userId } = user
      const browser = await testApp.signedIn(user)
      const page = await browser.open(path)
      const given = await fields(page, testApp)
      const before = await kept(testApp, userId)
      const answer = await withMeanwhile(
        testApp,
        () => browser.submit(page, form, given),
        () => end(testApp, userId),
      )
      t.equal(answer.status, 403, `${form}: ${name}`)
      t.match(answer.body, /Your session ended before this form was sent/)
      t.same(await kept(testApp, userId), before, `${form}: ${name}`)
    }
  }
})

t.test('C14 a form of somebody who is still who they were is taken', async (t) => {
  for (const { path, form, fields } of forms) {
    const testApp = await openSignIn(t)
    const user = await testApp.person('Ada')
    const { userId } = user
    const browser = await testApp.signedIn(user)
    const page = await browser.open(path)
    const given = await fields(page, testApp)
    const before = await kept(testApp, userId)
    await withMeanwhile(
      testApp,
      () => browser.submit(page, form, given),
      async () => undefined,
    )
    t.notSame(await kept(testApp, userId), before, form)
  }
})
