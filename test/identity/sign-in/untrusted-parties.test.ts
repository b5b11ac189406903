// What untrusted parties can use up (contract §8): anyone who has proved nothing is counted by address and by what they
// name, so that nobody shuts an application, or a page, for everybody.

import t from 'tap'
import { loadSettings } from '../../../src/config/read/load.js'
import { defaultConfigFile } from '../../../src/config/read/package-root.js'
import type { LimitPolicy } from '../../../src/config/settings/limit-settings.js'
import { countTry } from '../../../src/identity/device/user-codes.js'
import { createInProcessCounters } from '../../../src/storage/counters/in-process.js'
import {
  allOpenidScopes,
  consentTo,
  delegate,
  makeCode,
  makePerson,
  redemption,
} from '../../support/rooms/delegation.js'
import { introspectPath, openIdentity, revokePath, tokenPath } from '../../support/rooms/identity.js'

const devicePath = '/api/v2/oauth2/v2.0/devicecode'
const env = { PORTCULLIS_DATA: '/tmp/portcullis-never-made' }
const shipped = (): Record<string, LimitPolicy> => {
  const { limits, tokenLimits } = loadSettings({ file: defaultConfigFile(), env })
  return Object.fromEntries([...limits].filter(([name]) => tokenLimits.includes(name)))
}
const from = (address: string) => ({ 'x-forwarded-for': address })

t.test('identity M1: who only names a public client uses up nothing of its tokens’ holders', async (t) => {
  const testApp = await openIdentity(t, { limits: shipped(), monotonic: () => 0 })
  const person = await delegate(testApp, { registration: { type: 'native' } })
  const { client_id = '' } = person.client
  const startDevice = (address: string) => testApp.post(devicePath, { client_id, scope: 'User.Read' }, from(address))
  const flood = async (address: string): Promise<number[]> => {
    const statuses: number[] = []
    for (let n = 0; n < 150; n += 1) {
      const answers = await Promise.all([
        testApp.post(tokenPath, { grant_type: 'refresh_token', refresh_token: 'x', client_id }, from(address)),
        testApp.post(tokenPath, { grant_type: 'authorization_code', code: 'x', client_id }, from(address)),
        testApp.post(revokePath, { token: 'x', client_id }, from(address)),
        testApp.post(introspectPath, { token: 'x', client_id }, from(address)),
        startDevice(address),
      ])
      statuses.push(...answers.map(({ statusCode }) => statusCode))
    }
    return statuses
  }
  const statuses = [...(await flood('198.51.100.1')), ...(await flood('198.51.100.2'))]
  t.ok(statuses.filter((status) => status === 429).length > 1000, 'the untrusted parties are slowed down')
  const code = redemption(await person.code({ openidScopes: ['openid', 'offline_access'] }), person.client)
  const redeemed = await testApp.post(tokenPath, code, from('203.0.113.1'))
  t.equal(redeemed.statusCode, 200)
  let token = redeemed.json().refresh_token
  for (let n = 0; n < 20; n += 1) {
    const form = { grant_type: 'refresh_token', refresh_token: token, client_id }
    const answer = await testApp.post(tokenPath, form, from('203.0.113.1'))
    if (answer.statusCode !== 200) t.fail(`refresh ${n}: ${answer.statusCode} ${answer.body}`)
    token = answer.json().refresh_token
  }
  for (let n = 0; n < 20; n += 1) {
    const answer = await startDevice('203.0.113.1')
    if (answer.statusCode !== 200) t.fail(`device ${n}: ${answer.statusCode} ${answer.body}`)
  }
  t.equal((await testApp.post(revokePath, { token, client_id }, from('203.0.113.1'))).statusCode, 200)
})

t.test('identity M1: one person of a public client uses up nothing of another', async (t) => {
  const testApp = await openIdentity(t, { limits: shipped(), monotonic: () => 0 })
  const ada = await delegate(testApp, { registration: { type: 'native' } })
  const hostile = async (n: number) => {
    const refused = { grant_type: 'refresh_token', refresh_token: token, ...ada.client, scope: 'Nothing.Read' }
    return (await testApp.post(tokenPath, refused, from(`198.51.100.${n % 50}`))).statusCode
  }
  const { refresh_token: token } = await ada.tokens()
  const statuses: number[] = []
  for (let n = 0; n < 300; n += 1) statuses.push(await hostile(n))
  t.ok(statuses.includes(429), 'slowed down from wherever')
  const { userId } = await makePerson(testApp.deps, ada.tenantId)
  const whose = { userId, applicationId: ada.registration.applicationId, tenantId: ada.tenantId }
  await consentTo(testApp.deps, { ...whose, permissions: ['User.Read', ...allOpenidScopes] })
  const code = await makeCode(testApp.deps, { ...whose, permissions: ['User.Read'] })
  t.equal((await testApp.post(tokenPath, redemption(code, ada.client), from('203.0.113.1'))).statusCode, 200)
})

t.test('identity M1: a web application that proves itself is counted by itself, wherever it asks from', async (t) => {
  const testApp = await openIdentity(t, { limits: shipped(), monotonic: () => 0 })
  const { registration, secret } = await testApp.registerDemo()
  const client_id = registration.applicationId
  const ask = (client_secret: string, address: string) =>
    testApp.post(
      tokenPath,
      { grant_type: 'client_credentials', scope: 'default', client_id, client_secret },
      from(address),
    )
  for (let n = 0; n < 100; n += 1) await ask('wrong', `198.51.100.${n}`)
  const statuses: number[] = []
  for (let n = 0; n < 70; n += 1) statuses.push((await ask(secret, `203.0.113.${n}`)).statusCode)
  t.same(statuses.slice(0, 60), Array(60).fill(200), 'all of the burst')
  t.ok(statuses.includes(429), 'and no more')
})

t.test('identity M5: untrusted parties cannot shut the device page for those who have a code', async (t) => {
  const deps = { counters: createInProcessCounters(), monotonic: () => 0 }
  const tryOnce = (key: string, address: string, userId?: string) =>
    countTry(deps, { key, session: userId === undefined ? undefined : ({ userId } as never) }, address).then(
      () => 200,
      (error: { status: number }) => error.status,
    )
  // As many /64 as there are in a /48, which one untrusted party can have.
  let refused = 0
  for (let net = 0; net < 2_000; net += 1) {
    for (let n = 0; n < 12; n += 1) {
      const status = await tryOnce(`${net}:${n}`, `2001:db8:1:${net.toString(16)}::1`)
      if (status === 429) refused += 1
    }
  }
  t.ok(refused > 1000, 'the untrusted parties are refused')
  t.equal(await tryOnce('honest', '203.0.113.1'), 200, 'who has a code and comes from elsewhere')
  t.equal(await tryOnce('honest', '203.0.113.1'), 200, 'and mistyped it')
  t.equal(await tryOnce('office', '2001:db8:2:7::1'), 200)
  for (let n = 0; n < 40; n += 1) await tryOnce(`busy ${n}`, '203.0.113.2')
  t.equal(await tryOnce('another', '2001:db8:1:fffe::1', 'ada'), 200, 'among the untrusted parties, but signed in')
})
