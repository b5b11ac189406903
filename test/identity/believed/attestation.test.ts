// identity L6: a new passkey comes without attestation, as was requested; no other format is read.

import t from 'tap'
import { listPasskeys } from '../../../src/users/credentials/passkeys.js'
import { textOf } from '../../support/browser/scripted-browser.js'
import { openSignIn } from '../../support/people/sign-in.js'
import { createSoftAuthenticator } from '../../support/people/webauthn.js'
import { baseUrl } from '../../support/rooms/directory.js'

t.test('identity L6: a passkey with an attestation is refused, also with a right one of its own', async (t) => {
  const testApp = await openSignIn(t)
  const user = await testApp.person('Ann')
  const browser = await testApp.signedIn(user)
  const authenticator = await createSoftAuthenticator(baseUrl)
  const add = async (fmt: string) => {
    const page = await browser.open('/account/passkeys')
    const text = /data-passkey-create="([^"]*)"/.exec(page.body)?.[1] ?? ''
    const passkey = authenticator.create(JSON.parse(text.replaceAll('&quot;', '"')), { fmt })
    return browser.submit(page, 'passkey-form', { passkey, name: fmt })
  }
  for (const fmt of [
    'packed',
    'fido-u2f',
    'tpm',
    'android-key',
    'android-safetynet',
    'apple',
    'compound',
    'None',
    '',
  ]) {
    t.equal((await add(fmt)).status, 400, fmt)
    t.same(await listPasskeys(testApp.store.reader, user.userId), [], fmt)
  }
  t.match(textOf(await add('none'), 'done'), /saved/)
  t.equal((await listPasskeys(testApp.store.reader, user.userId)).length, 1)
})
