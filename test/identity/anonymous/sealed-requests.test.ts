// Untrusted parties who begin sign-ins: nothing of theirs is written, and nobody's waiting sign-in is lost for it
// (contract §8).

import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { Secret, TOTP } from 'otpauth'
import t from 'tap'
import { isUsed } from '../../../src/identity/client/single-use.js'
import { addSecondFactor } from '../../../src/users/credentials/second-factor.js'
import { createSeed } from '../../../src/users/credentials/totp.js'
import { openSignIn, password, signInWith } from '../../support/people/sign-in.js'
import { answerOf, authorizePath, callback, openAuthorize } from '../../support/rooms/authorize.js'

t.setTimeout(180_000)

/** Counts what is written through `deps`. */
function counting() {
  const counted = { writes: 0 }
  const replace: Parameters<typeof openAuthorize>[1] = {
    replace: ({ store, feed }) => ({
      store: {
        ...store,
        transaction(work, separation) {
          counted.writes += 1
          return store.transaction(work, separation)
        },
      },
      feed: {
        ...feed,
        commit(work) {
          counted.writes += 1
          return feed.commit(work)
        },
      },
    }),
  }
  return { counted, replace }
}

t.test(
  'identity M7: 2,000 anonymous requests write nothing, and a person who waited before them signs in',
  async (t) => {
    const { counted, replace } = counting()
    const testApp = await openAuthorize(t, replace)
    const honest = testApp.browser()
    const waiting = await honest.open(testApp.address({ state: 'honest' }))
    t.match(waiting.path, /^\/sign-in\?request=/)
    const file = join(testApp.folder, 'portcullis.db')
    const size = () => statSync(file).size + statSync(`${file}-wal`).size
    const before = size()
    counted.writes = 0
    const kept = new Set<string>()
    const query = testApp.address({ state: 's'.repeat(1000) }).split('?')[1] ?? ''
    for (let round = 0; round < 500; round += 1) {
      const from = { 'x-forwarded-for': `198.51.${round % 256}.${round % 200}` }
      const [shown, page, posted] = await Promise.all([
        testApp.ask({
          method: 'GET',
          url: testApp.address({ state: `s${round}`, nonce: 'n'.repeat(1000) }),
          headers: from,
        }),
        testApp.ask({ method: 'GET', url: '/account', headers: from }),
        testApp.post(authorizePath, query, from),
      ])
      const resumed = await testApp.ask({ method: 'GET', url: String(posted.headers['location']), headers: from })
      for (const each of [shown, page, resumed]) {
        if (each.statusCode !== 303) t.fail(`${round}: ${each.statusCode} ${each.body}`)
        kept.add(String(each.headers['location']))
      }
    }
    t.equal(kept.size, 1_500, 'each has its own')
    t.equal(counted.writes, 0, 'no transaction was begun')
    t.equal(size(), before, 'the file is as it was')
    t.same(await testApp.store.reader.selectFrom('pending_requests').selectAll().execute(), [])
    t.same(await testApp.store.reader.selectFrom('single_uses').selectAll().execute(), [])
    await testApp.signIn(honest, testApp.user.userId)
    const done = await honest.open(waiting.path.replace('/sign-in?request=', `${authorizePath}/resume/`))
    t.match(answerOf(done), { code: /^pcl_ac_/, state: 'honest' })
  },
)

t.test('identity M7: what is sealed works for its browser alone, whole, in time, and once', async (t) => {
  const testApp = await openAuthorize(t)
  const browser = testApp.browser()
  const { path } = await browser.open(testApp.address({ state: 's' }))
  const resume = path.replace('/sign-in?request=', `${authorizePath}/resume/`)
  const other = testApp.browser()
  await other.open(testApp.address())
  await testApp.signIn(other, testApp.user.userId)
  await testApp.signIn(browser, testApp.user.userId)
  for (const address of [resume, path, path.replace('/sign-in', '/consent')]) {
    t.equal((await other.get(address)).status, 400, 'another browser')
    t.equal((await browser.get(`${address}0`)).status, 400, 'longer')
    t.equal((await browser.get(address.slice(0, -1))).status, 400, 'shorter')
    const last = address.endsWith('0') ? '1' : '0'
    t.equal((await browser.get(address.slice(0, -1) + last)).status, 400, 'changed')
  }
  const stays = testApp.clock.nowMs
  testApp.clock.nowMs += 3_600_000
  t.equal((await browser.get(resume)).status, 400, 'an hour later')
  testApp.clock.nowMs = stays
  const answers = await Promise.all(Array.from({ length: 10 }, () => browser.get(resume)))
  t.equal(answers.filter(({ location }) => location?.startsWith(`${callback}?code=`)).length, 1, 'ten tabs, one code')
  for (const address of [resume, path]) t.equal((await browser.get(address)).status, 400, 'replayed')
  t.equal((await testApp.store.reader.selectFrom('authorization_codes').selectAll().execute()).length, 1)
})

t.test('identity M7: one posted request is one code, no matter who takes it up and how often', async (t) => {
  const testApp = await openAuthorize(t)
  const [one, two] = [await testApp.signedIn(), await testApp.signedIn()]
  const query = testApp.address({ state: 's' }).split('?')[1] ?? ''
  const posted = String((await testApp.browser().post(authorizePath, query)).location)
  const answers = await Promise.all([one, two, one, two].map((browser) => browser.get(posted)))
  t.equal(answers.filter(({ location }) => location?.includes('code=')).length, 1)
  const late = String((await testApp.browser().post(authorizePath, query)).location)
  testApp.clock.nowMs += 5 * 60_000
  t.equal((await one.get(late)).status, 400, 'five minutes later')
})

t.test('identity M7: a request that is too long for an address is refused with a page', async (t) => {
  const testApp = await openAuthorize(t)
  const noise = (size: number) => {
    const parts = Array.from({ length: size / 32 }, (_, at) => createHash('sha256').update(`${at}`).digest('base64url'))
    return parts.join('').slice(0, 1_024 * 5)
  }
  const params = new URLSearchParams({ client_id: testApp.registration.applicationId, state: noise(4_000) })
  const refused = await testApp.browser().get(`/api/v2/oauth2/v2.0/adminconsent?${params}`)
  t.equal(refused.status, 400)
  t.match(refused.body, /too large/)
  const long = { state: noise(760).slice(0, 1_020), nonce: noise(760).slice(2, 1_020) }
  const shown = await testApp.browser().open(testApp.address(long))
  t.match(shown.path, /^\/sign-in\?request=/)
  t.ok(shown.path.length < 4_096, `${shown.path.length} characters`)
})

t.test('identity M7: ids of requests are in no line of the log', async (t) => {
  const testApp = await openAuthorize(t)
  const browser = testApp.browser()
  const { path } = await browser.open(testApp.address())
  await browser.get(path.replace('/sign-in?request=', `${authorizePath}/resume/`))
  t.match(testApp.logged.join(''), /resume/)
  t.notMatch(testApp.logged.join(''), /pcl_rq_/)
})

t.test(
  'identity M7: who says no, or is refused, finishes the request too, and only when somebody is signed in',
  async (t) => {
    const testApp = await openAuthorize(t, { consented: false })
    const browser = await testApp.signedIn()
    const page = await browser.open(testApp.address({ state: 's' }))
    t.match(answerOf(await browser.submit(page, 'consent', { decision: 'cancel' })), { error: 'access_denied' })
    t.equal((await browser.get(page.path)).status, 400)
    const uses = await testApp.store.reader.selectFrom('single_uses').selectAll().execute()
    t.match(uses, [{ purpose: 'request' }])
    t.equal(await isUsed(testApp.store.reader, { purpose: 'request', subject: '', id: 'x' }), false)
    const silent = await testApp.browser().get(testApp.address({ prompt: 'none', scope: 'nothing' }))
    t.match(answerOf(silent), { error: 'invalid_scope' })
    t.equal((await testApp.store.reader.selectFrom('single_uses').selectAll().execute()).length, 1)
  },
)

t.test('identity M7: a person finishes so many requests, and others go on', async (t) => {
  const testApp = await openAuthorize(t)
  const buckets = [...Array(5_000)].map(() => ({
    ...{ key: `once-request;s${testApp.user.userId.length}:${testApp.user.userId}`, cost: 1 },
    algorithm: { kind: 'quota', limit: 5_000, periodMs: 70 * 60_000 } as const,
  }))
  await testApp.deps.counters.take(buckets, testApp.deps.monotonic())
  const refused = await (await testApp.signedIn()).get(testApp.address())
  t.equal(refused.status, 503)
  t.ok(Number(refused.headers['retry-after']) > 0)
  const other = await testApp.person()
  await testApp.consent({ userId: other.userId })
  t.match(answerOf(await (await testApp.signedIn(other.userId)).get(testApp.address())), { code: /^pcl_ac_/ })
})

t.test('identity M7: half sign-ins are bounded for a person and network, and shut nobody else out', async (t) => {
  const testApp = await openSignIn(t)
  const user = await testApp.person('Ada')
  const { seed, sealed } = createSeed(testApp.deps.users, user)
  const code = new TOTP({ secret: Secret.fromBase32(seed) }).generate({ timestamp: testApp.clock.nowMs })
  await addSecondFactor(testApp.deps.users, { userId: user.userId, sealed, code })
  const paths: string[] = []
  for (let n = 0; n < 32; n += 1)
    paths.push((await signInWith(testApp.browser('198.51.100.1'), user.email, password)).path)
  t.equal(paths.filter((path) => path.startsWith('/sign-in/second-factor')).length, 30)
  t.equal((await testApp.store.reader.selectFrom('pending_requests').selectAll().execute()).length, 30)
  const elsewhere = await signInWith(testApp.browser('203.0.113.9'), user.email, password)
  t.match(elsewhere.path, /^\/sign-in\/second-factor\?step=/, 'from elsewhere, such as the owner at home')
})
