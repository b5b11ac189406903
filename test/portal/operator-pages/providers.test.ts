// The pages about providers: as they are configured, tested step by step against one that answers and others that do
// not, and what failed lately; for operators.

import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { secretValue } from '../../../src/config/read/secret-value.js'
import { plantProvider } from '../../support/browser/planted-provider.js'
import { textOf } from '../../support/browser/scripted-browser.js'
import { startExternalProvider } from '../../support/providers/external-provider.js'
import { openPortal } from '../../support/rooms/portal.js'

const path = '/portal/server/providers'
const redirectUri = 'https://portcullis.test/sign-in/external/corp/callback'

async function open(t: Test) {
  const testApp = await openPortal(t)
  const { userId } = await testApp.person('Ada', 'owner')
  const operator = testApp.browser()
  await testApp.signIn(operator, userId)
  testApp.caller.principal = { kind: 'local' }
  await testApp.manage('PATCH', `/users/${userId}`, { operator: true })
  const check = async () => {
    testApp.caller.principal = { kind: 'local' }
    return (await testApp.manage('POST', '/providers/corp/check')).json()
  }
  return { testApp, operator, check }
}

t.test('a provider is tested as it is configured, and the page says which step fails and what to do', async (t) => {
  const { testApp, operator, check } = await open(t)
  t.match(textOf(await operator.get(path), 'no-providers'), /signIn\.providers/)
  const folder = t.testdir()
  const real = await startExternalProvider(t, { folder, redirectUris: [redirectUri] })
  const right = {
    issuer: real.issuer,
    ca: readFileSync(real.caFile, 'utf8'),
    clientSecret: secretValue(real.clientSecret),
  }
  plantProvider(testApp, right)
  const list = await operator.get(path)
  t.match(textOf(list, 'providers'), /Corp ID.*is not let in/s)
  const page = await operator.get(`${path}/corp`)
  t.match(textOf(page, 'provider'), redirectUri)
  t.match(textOf(page, 'none-failed'), /None/)
  const tested = await operator.submit(page, 'check-form')
  t.match(textOf(tested, 'result'), /People can sign in/)
  t.match(textOf(tested, 'step-client'), /takes the client and its secret/)
  t.match(await check(), { ok: true, redirectUri })

  plantProvider(testApp, { ...right, clientSecret: secretValue('has ended') })
  const wrong = await operator.submit(await operator.get(`${path}/corp`), 'check-form')
  t.match(textOf(wrong, 'result'), /cannot sign in/)
  t.match(textOf(wrong, 'step-client'), /invalid_client.*clientSecret/s)
  t.notMatch(wrong.body, /has ended there\?<.*has ended<|value="has ended"/, 'no secret')

  plantProvider(testApp, { ...right, issuer: `${real.issuer}/elsewhere` })
  const { steps } = await check()
  t.match(steps.at(-1), { step: 'issuer', state: 'fail', message: /another issuer/, advice: /letter by letter/ })
  plantProvider(testApp, { ...right, ca: undefined })
  t.match((await check()).steps, [{ step: 'discovery', state: 'fail', message: /certificate/, advice: /corp\.ca/ }])
  plantProvider(testApp)
  t.match((await check()).steps, [{ step: 'discovery', state: 'fail', message: /ECONNREFUSED/ }])
})

t.test('sign-ins that failed are listed with the reason, those of other providers are not', async (t) => {
  const { testApp, operator } = await open(t)
  plantProvider(testApp)
  for (const provider of ['corp', 'another']) {
    const details = { proof: 'external', provider, reason: 'external_not_proven', why: `of ${provider}` }
    testApp.deps.activity.note({ event: 'user.sign-in-failed', address: '192.0.2.7', details })
  }
  await testApp.deps.activity.flush()
  const failed = textOf(await operator.get(`${path}/corp`), 'failed')
  t.match(failed, /What came back proved nobody.*of corp.*192\.0\.2\.7/s)
  t.notMatch(failed, /of another/)
})

t.test('one that is not configured is not there; nobody but operators sees any', async (t) => {
  const { testApp, operator } = await open(t)
  plantProvider(testApp)
  t.equal((await operator.get(`${path}/nobody`)).status, 404)
  testApp.caller.principal = { kind: 'local' }
  t.equal((await testApp.manage('POST', '/providers/nobody/check')).statusCode, 404)
  const owner = await testApp.as('owner')
  for (const address of [path, `${path}/corp`]) t.equal((await owner.get(address)).status, 403, address)
})
