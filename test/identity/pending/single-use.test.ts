// What proves somebody only once (decision 0081): who cannot sign uses up nothing, and who can only what is their own.

import { randomUUID } from 'node:crypto'
import t from 'tap'
import { useOnce } from '../../../src/identity/client/single-use.js'
import { sweepDead } from '../../../src/instance/sweep.js'
import { createInProcessCounters } from '../../../src/storage/counters/in-process.js'
import { openSqliteStore } from '../../../src/storage/sql/sqlite/sqlite.js'
import type { Shown } from '../../support/browser/scripted-browser.js'
import { openSignIn } from '../../support/people/sign-in.js'
import { createSoftAuthenticator } from '../../support/people/webauthn.js'
import { baseUrl } from '../../support/rooms/directory.js'
import { openTemporaryStore } from '../../support/storage/temporary-store.js'

function options(page: Shown): { challenge: string } {
  const text = /data-passkey-(?:get|create)="([^"]*)"/.exec(page.body)?.[1] ?? ''
  return JSON.parse(text.replaceAll('&quot;', '"').replaceAll('&#34;', '"').replaceAll('&amp;', '&'))
}

t.test('identity M6: a challenge is used up by a good signature only, and others fill no memory', async (t) => {
  // What is remembered in the process has room for a hundred of each kind.
  const testApp = await openSignIn(t, { replace: () => ({ counters: createInProcessCounters({ maxEntries: 100 }) }) })
  const ada = await testApp.person('Ada')
  const authenticator = await createSoftAuthenticator(baseUrl)
  const own = await testApp.signedIn(ada)
  const keys = await own.open('/account/passkeys')
  await own.submit(keys, 'passkey-form', { passkey: authenticator.create(options(keys)), name: 'Phone' })
  const spoiled = (answer: string) => {
    const parsed = JSON.parse(answer)
    parsed.response.signature = parsed.response.signature.replace(/^..../, 'AAAA')
    return JSON.stringify(parsed)
  }
  const before = await countUses(testApp)
  for (let n = 0; n < 150; n += 1) {
    const untrusted = testApp.browser(`198.51.100.${n}`)
    const page = await untrusted.open('/sign-in')
    const answer = spoiled(authenticator.get(options(page), { counter: 1 }))
    const refused = await untrusted.submit(page, 'passkey-form', { passkey: answer })
    if (refused.status !== 400) t.fail(`a spoiled signature: ${refused.status}`)
  }
  t.equal(await countUses(testApp), before, 'nothing was written')
  const browser = testApp.browser('203.0.113.1')
  const page = await browser.open('/sign-in')
  const good = authenticator.get(options(page), { counter: 2 })
  t.equal((await browser.submit(page, 'passkey-form', { passkey: spoiled(good) })).status, 400)
  t.equal((await browser.submit(page, 'passkey-form', { passkey: good })).path, '/account', 'the same challenge')
  t.equal(await countUses(testApp), before + 1)
})

async function countUses({ store }: { store: Awaited<ReturnType<typeof openSqliteStore>> }): Promise<number> {
  return (await store.reader.selectFrom('single_uses').select('id_hash').execute()).length
}

t.test('identity M6: who has used many must wait, alone, and never reads that it was used before', async (t) => {
  const { store } = await openTemporaryStore(t)
  const deps = { store, counters: createInProcessCounters(), monotonic: () => 0 }
  const use = (subject: string, purpose: 'passkey' | 'client-assertion' = 'passkey', id: string = randomUUID()) =>
    useOnce(deps, { purpose, subject, id, expiresAt: Date.now() + 600_000 })
  for (let n = 0; n < 200; n += 1) await use('eve')
  await t.rejects(use('eve'), { code: 'temporarily_unavailable', status: 503, message: /Try again later/ })
  t.equal(await use('ada'), true, 'another person')
  t.equal(await use('eve', 'client-assertion'), true, 'another purpose')
  t.equal(await use('ada', 'passkey', 'one'), true)
  t.equal(await use('ada', 'passkey', 'one'), false)
  t.equal(await use('bob', 'passkey', 'one'), true, 'an identifier is its subject’s own')
})

t.test('gateway H4: a use is remembered over a restart until the proof has expired, and then swept away', async (t) => {
  const { store, file } = await openTemporaryStore(t)
  const use = (at: typeof store) =>
    useOnce(
      { store: at, counters: createInProcessCounters(), monotonic: () => 0 },
      { purpose: 'client-assertion', subject: 'a', id: 'j', expiresAt: 1_000_000 },
    )
  t.equal(await use(store), true)
  await store.close()
  const again = await openSqliteStore({ file, busyTimeoutMs: 30_000 })
  t.teardown(() => again.close())
  t.equal(await use(again), false)
  const sweepAt = (nowMs: number) => sweepDead({ store: again, now: () => nowMs, sessionIdleMs: 1 })
  await sweepAt(1_500_000)
  t.equal(await countUses({ store: again }), 1, 'clocks differ')
  await sweepAt(1_700_000)
  t.equal(await countUses({ store: again }), 0)
})

t.test('gateway H4: of many at once exactly one is the first', async (t) => {
  const { store, another } = await openTemporaryStore(t)
  const deps = { counters: createInProcessCounters(), monotonic: () => 0 }
  const stores = [store, await another()]
  const uses = Array.from({ length: 40 }, (_, n) =>
    useOnce(
      { ...deps, store: stores[n % 2] as typeof store },
      { purpose: 'client-assertion', subject: 'a', id: 'j', expiresAt: Date.now() + 60_000 },
    ),
  )
  t.equal((await Promise.all(uses)).filter(Boolean).length, 1)
})
