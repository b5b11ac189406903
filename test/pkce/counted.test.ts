// identity M8: which sign-ins came with PKCE is counted, kept for thirty days, and written with the other usage.
// run: apart

import t from 'tap'
import { createUsage, type Usage } from '../../src/access/usage.js'
import { sweepDead } from '../../src/instance/sweep.js'
import { readPkceUsage } from '../../src/storage/sql/registrations/pkce/pkce-uses.js'
import type { Store } from '../../src/storage/sql/store.js'
import { startPostgres } from '../support/databases/postgresql.js'
import { openPostgresTestStore } from '../support/databases/postgresql-store.js'
import { openAuthorize, pair } from '../support/rooms/authorize.js'
import { shakyStore } from '../support/storage/shaky-store.js'
import { openTemporaryStore } from '../support/storage/temporary-store.js'

t.setTimeout(120_000)
const server = await startPostgres(t)
const dayMs = 86_400_000
const challenge = { code_challenge: pair.challenge, code_challenge_method: 'S256' }

const usageOf = (store: Pick<Store, 'transaction'>, clock: { nowMs: number }, instanceId = 'i') =>
  createUsage({ store, instanceId, now: () => clock.nowMs, onDropped: () => t.fail() })
const daysOf = async (store: Store, applicationId = 'a1') =>
  (await readPkceUsage(store.reader, applicationId, 0)).map((use) => Object.values(use))

t.test('identity M8: a request that gets a code is counted, with PKCE or without; others write nothing', async (t) => {
  const testApp = await openAuthorize(t)
  const { registration, clock, store } = testApp
  const usage = testApp.deps.usage as Usage
  const day = Math.floor(clock.nowMs / dayMs)
  const rows = async () => {
    await usage.flush()
    return daysOf(store, registration.applicationId)
  }
  const nobody = testApp.browser()
  for (const more of [{}, challenge]) await nobody.get(testApp.address(more))
  const browser = await testApp.signedIn()
  await browser.get(testApp.address({ ...challenge, code_challenge_method: 'plain' }))
  t.same(await rows(), [], 'neither untrusted parties nor refused requests')
  for (const more of [challenge, challenge, {}])
    t.match((await browser.get(testApp.address(more))).location, 'code=pcl_ac')
  t.same(await rows(), [[day, 2, 1, clock.nowMs]])
  await browser.get(testApp.address(challenge))
  t.same(await rows(), [[day, 3, 1, clock.nowMs]])
})

t.test('identity M8: counts wait for the batch of usage; what the Store did not take is sent once more', async (t) => {
  const { store } = await openTemporaryStore(t)
  const shaky = shakyStore(store)
  const clock = { nowMs: 5 * dayMs }
  const usage = usageOf(shaky, clock)
  usage.code('a1', true)
  t.same(await daysOf(store), [], 'no write a request')
  for (const failing of ['before', 'after'] as const) {
    shaky.fails = failing
    await t.rejects(usage.flush(), { code: 'store_unavailable' })
    usage.code('a1', false)
  }
  shaky.fails = 'never'
  await usage.flush()
  t.same(await daysOf(store), [[5, 1, 2, clock.nowMs]])
})

t.test('identity M8: what is too much for the memory is dropped, and said', async (t) => {
  const { store } = await openTemporaryStore(t)
  let dropped = 0
  const onDropped = (calls: number) => {
    dropped += calls
  }
  const usage = createUsage({ store, instanceId: 'i', now: () => dayMs, onDropped, mostRows: 3 })
  for (let i = 0; i < 5; i += 1) for (let n = 0; n < 2; n += 1) usage.code(`a${i}`, true)
  await usage.flush()
  t.same(await daysOf(store, 'a2'), [[1, 2, 0, 0]])
  t.same(await daysOf(store, 'a3'), [])
  t.equal(dropped, 4)
})

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  t.test(`identity M8: on ${engine} instances add up, the last time is the latest, and a month is kept`, async (t) => {
    const opened = engine === 'SQLite' ? undefined : await openPostgresTestStore(t, server)
    const store = opened?.store ?? (await openTemporaryStore(t)).store
    const other = (await opened?.another()) ?? store
    const clock = { nowMs: 100 * dayMs }
    const [one, two] = [usageOf(store, clock, 'one'), usageOf(other, clock, 'two')]
    one.code('a1', false)
    clock.nowMs += 1_000
    two.code('a1', false)
    two.code('a1', true)
    two.code('a2', true)
    await two.flush()
    await Promise.all([one.flush(), two.flush()])
    t.same(await daysOf(store), [[100, 1, 2, clock.nowMs]], 'the older time came later')
    t.same(await daysOf(store, 'a2'), [[100, 1, 0, 0]])
    clock.nowMs = 130 * dayMs
    one.code('a1', true)
    await one.flush()
    const sweep = () => sweepDead({ store, now: () => clock.nowMs, sessionIdleMs: 1 })
    await sweep()
    t.equal((await daysOf(store)).length, 2, 'the thirtieth day before today is there')
    clock.nowMs = 131 * dayMs
    await sweep()
    t.same(await daysOf(store), [[130, 1, 0, 0]])
    t.same(await daysOf(store, 'a2'), [])
  })
}
