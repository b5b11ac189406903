// What a browser is in the middle of: sealed for it in an address, stored nowhere, finished once.

import { randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import { consentPath, resumePath, signInPath, tenantPath } from '../../../src/identity/pending/paths.js'
import {
  beginPending,
  changedPending,
  findPending,
  type PendingRequest,
  takePending,
} from '../../../src/identity/pending/pending-request.js'
import { deriveKey } from '../../../src/oauth/secrets/derived-key.js'
import { openDirectory } from '../../support/rooms/directory.js'

async function open(t: Test) {
  const directory = await openDirectory(t)
  const masters = [randomBytes(32)]
  const derive = (purpose: string) => masters.map((master) => deriveKey(master, purpose))
  const testApp = { ...directory, derive, masters }
  const browser = { key: 'one' }
  const begin = (more = {}) => beginPending(testApp, browser, { kind: 'authorize', body: { a: 1 }, ...more })
  return { ...testApp, browser, begin }
}

t.test('R17 a pending request is found by the browser that began it, as it was', async (t) => {
  const testApp = await open(t)
  const pending = testApp.begin({ applicationId: 'a1', body: { text: 'ä😀', list: [1, { b: null }] } })
  t.same(await findPending(testApp, testApp.browser, pending.id), pending)
  t.match(pending.id, /^pcl_rq_[0-9A-Za-z]+$/, 'what the log masks whole')
  t.not(testApp.begin().id, pending.id)
})

t.test('R17 another browser, another id, a finished and an old one are all nothing', async (t) => {
  const testApp = await open(t)
  const pending = testApp.begin()
  t.equal(await findPending(testApp, { key: 'two' }, pending.id), undefined, "another browser's")
  t.equal(await findPending(testApp, testApp.browser, undefined), undefined)
  const changed = [...pending.id.slice('pcl_rq_'.length)].map((character, at) => {
    const text = pending.id.slice('pcl_rq_'.length)
    return `pcl_rq_${text.slice(0, at)}${character === '0' ? '1' : '0'}${text.slice(at + 1)}`
  })
  const others = ['', 'x', 'pcl_rq_', `${pending.id}x`, pending.id.slice(0, -1), pending.id.toUpperCase()]
  for (const id of [...others, `pcl_rq_${'0'.repeat(43)}`, ` ${pending.id}`, 'pcl_rq_-', ...changed]) {
    t.equal(await findPending(testApp, testApp.browser, id), undefined, id)
  }
  testApp.clock.nowMs += 3_600_000 - 1
  t.ok(await findPending(testApp, testApp.browser, pending.id), 'an hour')
  testApp.clock.nowMs += 1
  t.equal(await findPending(testApp, testApp.browser, pending.id), undefined, 'and no longer')
  const short = testApp.begin({ lifetimeMs: 1000 })
  testApp.clock.nowMs += 1000
  t.equal(await findPending(testApp, testApp.browser, short.id), undefined, 'or as long as it was begun for')
})

t.test('R17 of many who finish one pending request at the same time, one does', async (t) => {
  const testApp = await open(t)
  const pending = testApp.begin()
  const changed = changedPending(testApp, testApp.browser, pending, { body: { a: 2 } })
  const take = (_: unknown, at: number) =>
    testApp.store.transaction((tx) => takePending(tx, at % 2 === 0 ? pending : changed))
  const taken = await Promise.all(Array.from({ length: 20 }, take))
  t.equal(taken.filter((each) => each).length, 1)
  t.equal(await findPending(testApp, testApp.browser, pending.id), undefined)
  t.equal(await findPending(testApp, testApp.browser, changed.id), undefined, 'under whichever id')
  const later = changedPending(testApp, testApp.browser, pending, { body: { a: 3 } })
  t.equal(await findPending(testApp, testApp.browser, later.id), undefined, 'a change does not bring it back')
})

t.test('R17 a transaction that fails has not finished its request', async (t) => {
  const testApp = await open(t)
  const pending = testApp.begin()
  await t.rejects(
    testApp.store.transaction(async (tx) => {
      t.ok(await takePending(tx, pending))
      throw new Error('later')
    }),
  )
  t.ok(await findPending(testApp, testApp.browser, pending.id))
})

t.test('a change replaces the body, and nothing else', async (t) => {
  const testApp = await open(t)
  const pending = testApp.begin({ applicationId: 'a1' })
  testApp.clock.nowMs += 1000
  const changed = changedPending(testApp, testApp.browser, pending, { body: { b: 2 } })
  t.same(await findPending(testApp, testApp.browser, changed.id), { ...pending, id: changed.id, body: { b: 2 } })
  t.equal(await findPending(testApp, { key: 'two' }, changed.id), undefined)
})

t.test('identity M7: the Store has nothing of a pending request, finished or not', async (t) => {
  const testApp = await open(t)
  const browser = { key: 'pcl_bk_0123456789abcdefghijABCDEFGHIJ0123456789abc' }
  const pending = beginPending(testApp, browser, { kind: 'page', body: { path: '/account/known-text' } })
  t.same(await testApp.store.reader.selectFrom('pending_requests').selectAll().execute(), [])
  t.same(await testApp.store.reader.selectFrom('single_uses').selectAll().execute(), [])
  await testApp.store.transaction((tx) => takePending(tx, pending))
  const rows = await testApp.store.reader.selectFrom('single_uses').selectAll().execute()
  t.match(rows, [{ purpose: 'request', expires_at: pending.expiresAt }])
  for (const text of [pending.id, pending.ticket, browser.key]) t.notMatch(JSON.stringify(rows), text)
})

t.test('identity M7: nobody reads what is sealed, and two of the same are different', async (t) => {
  const testApp = await open(t)
  const body = { redirectUri: 'https://app.test/cb', state: 'known-text' }
  const [one, two] = [testApp.begin({ body }), testApp.begin({ body })]
  t.notMatch(Buffer.from(one.id, 'base64').toString('latin1'), 'known-text')
  const alike = [...one.id].filter((character, at) => character === two.id[at]).length
  t.ok(alike < one.id.length / 4, `${alike} of ${one.id.length} characters`)
})

t.test('identity M7: a new master key goes on with what was begun under the old one, until that is gone', async (t) => {
  const testApp = await open(t)
  const pending = testApp.begin()
  testApp.masters.unshift(randomBytes(32))
  t.same(await findPending(testApp, testApp.browser, pending.id), pending)
  const changed = changedPending(testApp, testApp.browser, pending, { body: { b: 2 } })
  testApp.masters.pop()
  t.equal(await findPending(testApp, testApp.browser, pending.id), undefined)
  t.same(
    (await findPending(testApp, testApp.browser, changed.id))?.body,
    { b: 2 },
    'what is written is under the new one',
  )
  testApp.masters.pop()
  t.throws(() => testApp.begin(), /no key/)
})

t.test('identity M7: what cannot stand in an address is refused, and what repeats itself is short', async (t) => {
  const testApp = await open(t)
  const text = randomBytes(8_000).toString('base64url')
  t.match(
    thrownBy(() => testApp.begin({ body: { text } })),
    { status: 400, code: 'invalid_request' },
  )
  t.ok(testApp.begin({ body: { text: 'x'.repeat(8_000) } }).id.length < 300)
  const usual = testApp.begin({ body: { text: randomBytes(2_048).toString('base64url') } })
  t.ok(
    usual.id.length < 5_000 && (await findPending(testApp, testApp.browser, usual.id)),
    'state and nonce at their longest',
  )
})

function thrownBy(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

t.test('a pending request of a kind that this program does not know is nothing', async (t) => {
  const testApp = await open(t)
  const pending = testApp.begin({ kind: 'later' as 'page' })
  t.equal(await findPending(testApp, testApp.browser, pending.id), undefined)
})

t.test('R5 paths lead to pages of this server and nowhere else', async (t) => {
  const of = (kind: PendingRequest['kind'], body: unknown = {}) => ({ id: 'pcl_rq_x', kind, body })
  t.equal(resumePath(of('authorize')), '/api/v2/oauth2/v2.0/authorize/resume/pcl_rq_x')
  t.equal(resumePath(of('admin-consent')), '/api/v2/oauth2/v2.0/adminconsent/resume/pcl_rq_x')
  t.equal(resumePath(of('device')), '/device?request=pcl_rq_x')
  t.equal(resumePath(of('external')), '/account')
  const known = ['/account', '/account/apps', '/consent-requests', '/consent-requests/1a-b', '/device']
  const portal = ['/portal', '/portal/applications/1a-b/secrets/2c/end', '/portal/audit?tenant=1a-b&event=x.y&from=']
  for (const path of [...known, ...portal]) {
    t.equal(resumePath(of('page', { path })), path)
  }
  const elsewhere = [
    'https://evil.test/',
    '//evil.test',
    '/\\evil.test',
    '/account/../x',
    '/account//x',
    '/account?x',
    '/account\n',
    '/portal?to=//evil.test',
    '/portal//evil.test',
    '/portal/../x',
    '/portals',
    '/portal?x#y',
    '/portal\\evil.test',
    '',
    5,
    null,
  ]
  for (const path of elsewhere) t.equal(resumePath(of('page', { path })), '/account', JSON.stringify(path))
  for (const body of [null, 'x', [], undefined]) t.equal(resumePath(of('page', body)), '/account')
  t.same(
    [signInPath, consentPath, tenantPath].map((path) => path({ id: 'x' })),
    ['/sign-in?request=x', '/consent?request=x', '/choose-tenant?request=x'],
  )
})
