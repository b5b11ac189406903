// What a browser is in the middle of: bound to it, kept only as hashes, finished once.

import t, { type Test } from 'tap'
import { consentPath, resumePath, signInPath, tenantPath } from '../../src/identity/pending/paths.js'
import {
  changePending,
  createPending,
  findPending,
  type PendingRequest,
  takePending,
} from '../../src/identity/pending/pending-request.js'
import { openDirectory } from '../support/directory.js'

async function open(t: Test) {
  const house = await openDirectory(t)
  const browser = { key: 'one' }
  const begin = (more = {}) => createPending(house, browser, { kind: 'authorize', body: { a: 1 }, ...more })
  return { ...house, browser, begin }
}

t.test('R17 a pending request is found by the browser that began it, as it was', async (t) => {
  const house = await open(t)
  const pending = await house.begin({ applicationId: 'a1', body: { text: 'ä😀', list: [1, { b: null }] } })
  t.same(await findPending(house, house.browser, pending.id), pending)
  t.match(pending.id, /^pcl_rq_[0-9A-Za-z]{43}$/, '256 random bits')
  t.not((await house.begin()).id, pending.id)
})

t.test('R17 another browser, another id, a finished and an old one are all nothing', async (t) => {
  const house = await open(t)
  const pending = await house.begin()
  t.equal(await findPending(house, { key: 'two' }, pending.id), undefined, "another browser's")
  t.equal(await findPending(house, house.browser, undefined), undefined)
  for (const id of [
    '',
    'x',
    `${pending.id}x`,
    pending.id.slice(0, -1),
    pending.id.toUpperCase(),
    `pcl_rq_${'0'.repeat(43)}`,
  ]) {
    t.equal(await findPending(house, house.browser, id), undefined, id)
  }
  house.clock.nowMs += 3_600_000 - 1
  t.ok(await findPending(house, house.browser, pending.id), 'an hour')
  house.clock.nowMs += 1
  t.equal(await findPending(house, house.browser, pending.id), undefined, 'and no longer')
  const short = await house.begin({ lifetimeMs: 1000 })
  house.clock.nowMs += 1000
  t.equal(await findPending(house, house.browser, short.id), undefined, 'or as long as it was begun for')
})

t.test('R17 of many who finish one pending request at the same time, one does', async (t) => {
  const house = await open(t)
  const pending = await house.begin()
  const take = () => house.store.transaction((tx) => takePending(tx, pending.id))
  const taken = await Promise.all(Array.from({ length: 20 }, take))
  t.equal(taken.filter((each) => each).length, 1)
  t.equal(await findPending(house, house.browser, pending.id), undefined)
  await changePending(house, pending.id, { a: 2 })
  t.equal(await findPending(house, house.browser, pending.id), undefined, 'a change does not bring it back')
})

t.test('R17 a transaction that fails has not finished its request', async (t) => {
  const house = await open(t)
  const pending = await house.begin()
  await t.rejects(
    house.store.transaction(async (tx) => {
      t.ok(await takePending(tx, pending.id))
      throw new Error('later')
    }),
  )
  t.ok(await findPending(house, house.browser, pending.id))
})

t.test('a change replaces the body', async (t) => {
  const house = await open(t)
  const pending = await house.begin()
  await changePending(house, pending.id, { b: 2 })
  t.same((await findPending(house, house.browser, pending.id))?.body, { b: 2 })
})

t.test('the Store has neither the id of a pending request nor the key of its browser', async (t) => {
  const house = await open(t)
  const browser = { key: 'pcl_bk_0123456789abcdefghijABCDEFGHIJ0123456789abc' }
  const pending = await createPending(house, browser, { kind: 'page', body: {} })
  const rows = JSON.stringify(await house.store.reader.selectFrom('pending_requests').selectAll().execute())
  t.notMatch(rows, pending.id)
  t.notMatch(rows, browser.key)
})

t.test('a pending request of a kind that this program does not know is nothing', async (t) => {
  const house = await open(t)
  const pending = await house.begin()
  await house.store.transaction((tx) => tx.updateTable('pending_requests').set({ kind: 'later' }).execute())
  t.equal(await findPending(house, house.browser, pending.id), undefined)
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
