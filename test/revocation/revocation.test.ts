// The revocation view: exact, ordered by numbers and not by clocks, never forgetting early, honest about its age.

import t from 'tap'
import { createLedger } from '../../src/ledger/chain.js'
import { createLedgerKeys } from '../../src/ledger/ledger-keys.js'
import { createExpiringMap } from '../../src/revocation/expiring-map.js'
import { createRevocationView } from '../../src/revocation/revocation-view.js'
import { pruneRevocations, revoke } from '../../src/revocation/revoke.js'
import type { RevocableToken } from '../../src/revocation/view.js'
import { createEmbeddedFeed } from '../../src/storage/changes/embedded-feed.js'
import type { ChangeEntry, RevocationKind } from '../../src/storage/changes/feed.js'
import { listRevocations, putRevocation } from '../../src/storage/sql/revocation/revocations.js'
import { type Store, StoreUnavailable } from '../../src/storage/sql/store.js'
import { applicationRow } from '../support/storage/rows.js'
import { openTemporaryStore, type TestScope, tenantRow } from '../support/storage/temporary-store.js'
import { watchStalls } from '../support/traffic/stalls.js'
import { until } from '../support/traffic/until.js'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const startMs = 1_800_000_000_000

const token: RevocableToken = {
  jti: 'jti-1',
  credentialId: 'key-1',
  grantId: 'grant-1',
  applicationId: 'app-1',
  userId: 'user-1',
  tenantId: 'tenant-1',
  seq: 10,
}

/** A view without a feed, on clocks that a test moves; `tell` is the next change. */
function viewOnClocks(options: { staleAfterMs?: number } = {}) {
  const clock = { wall: startMs, monotonic: 1_000, age: 0, seq: 0 }
  const view = createRevocationView({
    feed: {
      // Every token of these tests was issued on a change that is known here.
      get seq() {
        return Math.max(clock.seq, 10_000)
      },
      ageMs: () => clock.age,
    },
    staleAfterMs: options.staleAfterMs ?? 5_000,
    horizonMs: 2 * hourMs,
    now: () => clock.wall,
    monotonic: () => clock.monotonic,
  })
  const tell = (entry: ChangeEntry, seq = clock.seq + 1) => {
    clock.seq = seq
    void view.apply({ seq, at: clock.wall, entry })
  }
  const pass = (ms: number) => {
    clock.wall += ms
    clock.monotonic += ms
  }
  /** Writes and sweeps as a busy instance does. */
  const bustle = (times = 200) => {
    for (let at = 0; at < times; at += 1) {
      tell({ kind: 'revoked', what: 'token', id: `other-${clock.monotonic}-${at}`, expiresAt: clock.wall + hourMs })
    }
  }
  return { clock, view, tell, pass, bustle, ask: (given = token) => view.refusal(given, clock.wall) }
}

/** An instance with a real feed. */
async function startInstance(t: TestScope, store: Store, now: () => number = () => startMs) {
  const feed = createEmbeddedFeed({ store, pollMs: 20, now, monotonic: () => performance.now() })
  const view = createRevocationView({ feed, staleAfterMs: 5_000, horizonMs: 2 * hourMs, now })
  feed.follow(view)
  await feed.start()
  t.teardown(() => feed.stop())
  const ledger = createLedger({ keys: createLedgerKeys([new Uint8Array(32)]), now })
  const actor = { kind: 'operator' } as const
  return { feed, view, deps: { ledger, actor, feed, now, tokenLifetimeMs: hourMs } }
}

const subjects: [RevocationKind, string, string][] = [
  ['credential', 'key-1', 'credential_revoked'],
  ['grant', 'grant-1', 'grant_revoked'],
  ['application', 'app-1', 'application_revoked'],
  ['user', 'user-1', 'user_revoked'],
  ['tenant', 'tenant-1', 'tenant_revoked'],
]

t.test(
  'V9 a revoked subject refuses every token of it that was issued before, by number and never by time',
  async (t) => {
    for (const [what, id, reason] of subjects) {
      const { tell, ask, pass } = viewOnClocks()
      t.equal(ask(), undefined)
      tell({ kind: 'revoked', what, id, expiresAt: startMs + dayMs }, 50)
      t.equal(ask(), reason)
      t.equal(ask({ ...token, jti: 'never seen', seq: 49 }), reason, 'a token that nobody knew of')
      t.equal(ask({ ...token, seq: 50 }), undefined, 'issued by somebody who had heard')
      t.equal(ask({ ...token, seq: 51 }), undefined)
      pass(5 * 60_000)
      t.equal(ask({ ...token, jti: 'later', seq: 49 }), reason, 'issued later by somebody who had not heard')
      const other = { credentialId: 'x', grantId: 'x', applicationId: 'x', userId: 'x', tenantId: 'x' }
      t.equal(ask({ ...token, ...other }), undefined, 'another subject')
    }
  },
)

t.test('V9 clocks decide nothing: skewed by a day either way, the answers are the same', async (t) => {
  for (const skew of [-dayMs, 0, dayMs]) {
    const { clock, tell, ask } = viewOnClocks()
    clock.wall += skew
    for (const [what, id] of subjects) {
      tell({ kind: 'revoked', what, id: `${id}-x`, expiresAt: startMs + dayMs })
      tell({ kind: 'revoked', what, id, expiresAt: startMs + dayMs }, 50 + clock.seq)
    }
    t.equal(ask(), 'credential_revoked')
    t.equal(ask({ ...token, seq: 1_000 }), undefined)
  }
})

t.test('a token is revoked exactly, whatever its number; a kind never stands for another', async (t) => {
  const { tell, ask } = viewOnClocks()
  tell({ kind: 'revoked', what: 'token', id: 'jti-1', expiresAt: startMs + hourMs }, 5)
  t.equal(ask(), 'token_revoked')
  t.equal(ask({ ...token, seq: 99 }), 'token_revoked')
  t.equal(ask({ ...token, jti: 'jti-2' }), undefined)
  t.equal(
    ask({ ...token, jti: 'x', credentialId: 'jti-1', applicationId: 'jti-1', tenantId: 'jti-1', userId: 'jti-1' }),
    undefined,
  )
  for (const id of ['__proto__', 'constructor', 'toString'])
    t.equal(ask({ ...token, jti: id, applicationId: id }), undefined)
})

t.test('an app token has no grant and no user to be revoked by', async (t) => {
  const { tell, ask } = viewOnClocks()
  const { grantId, userId, ...app } = token
  tell({ kind: 'revoked', what: 'grant', id: 'undefined', expiresAt: startMs + hourMs }, 50)
  tell({ kind: 'revoked', what: 'user', id: app.applicationId, expiresAt: startMs + hourMs }, 51)
  t.equal(ask(app), undefined)
})

t.test('disabled is a state: it holds for every number, and enabling ends it', async (t) => {
  const { tell, ask } = viewOnClocks()
  const late = { ...token, seq: 1_000 }
  tell({ kind: 'application', applicationId: 'app-1', state: 'disabled' })
  t.equal(ask(late), 'application_disabled')
  tell({ kind: 'application', applicationId: 'app-1', state: 'enabled' })
  t.equal(ask(late), undefined)
  tell({ kind: 'tenant', tenantId: 'tenant-1', state: 'disabled' })
  t.equal(ask(late), 'tenant_disabled')
  t.equal(ask({ ...late, tenantId: 'tenant-2' }), undefined)
  tell({ kind: 'tenant', tenantId: 'tenant-1', state: 'enabled' })
  t.equal(ask(late), undefined)
})

t.test('the end of a credential ends its tokens to the millisecond, and can be moved', async (t) => {
  const { clock, tell, view } = viewOnClocks()
  tell({ kind: 'credential-end', keyId: 'key-1', endsAt: startMs + 1_000 })
  t.equal(view.refusal(token, startMs + 999), undefined)
  t.equal(view.refusal(token, startMs + 1_000), 'credential_expired')
  t.equal(view.refusal({ ...token, credentialId: 'key-2' }, startMs + 1_000), undefined)
  tell({ kind: 'credential-end', keyId: 'key-1', endsAt: startMs + 5_000 })
  t.equal(view.refusal(token, startMs + 4_999), undefined)
  t.equal(clock.seq, 2)
})

t.test('V8 an entry is kept until its own end and leeway, then forgotten', async (t) => {
  const { view, tell, ask, pass, bustle } = viewOnClocks()
  tell({ kind: 'revoked', what: 'token', id: 'jti-1', expiresAt: startMs + 30 * hourMs })
  tell({ kind: 'revoked', what: 'application', id: 'app-1', expiresAt: startMs + dayMs }, 50)
  for (let hour = 0; hour < 31; hour += 1) {
    bustle()
    t.equal(ask(), 'token_revoked', `hour ${hour}`)
    pass(hourMs)
  }
  pass(2)
  bustle(20_000)
  t.equal(view.holds('token', 'jti-1'), false)
  t.equal(view.holds('application', 'app-1'), false)
  t.equal(ask(), undefined, 'no token of them is alive')
})

t.test('V8 a clock step cannot end an entry early: set forward and back, the token stays refused (F16)', async (t) => {
  for (const step of [hourMs, dayMs, 400 * dayMs]) {
    const { clock, tell, ask, bustle, pass } = viewOnClocks()
    tell({ kind: 'revoked', what: 'token', id: 'jti-1', expiresAt: startMs + hourMs })
    tell({ kind: 'revoked', what: 'credential', id: 'key-1', expiresAt: startMs + hourMs }, 50)
    clock.wall += step
    bustle(2_000)
    t.equal(ask(), 'token_revoked', 'while the clock is wrong')
    clock.wall -= step
    bustle(2_000)
    pass(60_000)
    t.equal(ask(), 'token_revoked', 'when it is right again')
    t.equal(ask({ ...token, jti: 'x' }), 'credential_revoked')
  }
})

t.test('V8 nor can a clock that was wrong when the token was made: both clocks must agree', async (t) => {
  const { clock, tell, ask, bustle } = viewOnClocks()
  tell({ kind: 'revoked', what: 'token', id: 'jti-1', expiresAt: startMs + 48 * hourMs })
  clock.wall -= dayMs
  clock.monotonic += 30 * hourMs
  bustle(2_000)
  t.equal(ask(), 'token_revoked')
})

t.test('forgetting keeps up with writing and never costs much at once', async (t) => {
  const clock = { wall: startMs, monotonic: 0 }
  const map = createExpiringMap(1_000, { now: () => clock.wall, monotonic: () => clock.monotonic })
  for (let at = 0; at < 50_000; at += 1) {
    clock.wall += 1
    clock.monotonic += 1
    map.set(`id-${at}`, at, clock.wall + 500)
  }
  t.ok(map.size < 2_500, `${map.size} of at most a thousand live ones and a round of sweeping`)
  t.equal(map.get('id-49999'), 49_999)
  t.equal(map.get('id-0'), undefined)
})

t.test('the view is stale until it is loaded, and when the feed knew nothing new for too long', async (t) => {
  const { view, clock } = viewOnClocks()
  t.equal(view.isStale(), true, 'before the load')
  const { store } = await openTemporaryStore(t)
  await store.snapshot((snapshot) => view.load(snapshot))
  t.equal(view.isStale(), false)
  clock.age = 5_000
  t.equal(view.isStale(), false)
  clock.age = 5_001
  t.equal(view.isStale(), true)
  clock.age = Number.POSITIVE_INFINITY
  t.equal(view.isStale(), true)
})

t.test(
  'V4 V5 a revocation is durable and effective in this instance when the promise resolves, elsewhere with the next poll',
  async (t) => {
    const { store, another } = await openTemporaryStore(t)
    const one = await startInstance(t, store)
    const two = await startInstance(t, await another())
    const issued = { ...token, seq: one.view.seq }
    for (const [what, id, reason] of [...subjects, ['token', 'jti-1', 'token_revoked'] as const]) {
      const { seq } = await revoke(one.deps, { what, id })
      t.equal(seq, one.view.seq)
      const [only] = (await listRevocations(await reader(another), 0)).filter((row) => row.what === what)
      t.match(only, { id, seq }, 'another process reads it')
      const single = {
        ...issued,
        jti: 'x',
        credentialId: 'x',
        grantId: 'x',
        applicationId: 'x',
        userId: 'x',
        tenantId: 'x',
      }
      const named = {
        token: 'jti',
        credential: 'credentialId',
        grant: 'grantId',
        application: 'applicationId',
        user: 'userId',
        tenant: 'tenantId',
        holder: 'applicationId',
      }
      const subject = { ...single, [named[what]]: id }
      t.equal(one.view.refusal(subject, startMs), reason, `${what}, here`)
      const stalledMs = watchStalls()
      const heardMs = await until('the other hears', () => two.view.refusal(subject, startMs) !== undefined)
      t.equal(two.view.refusal(subject, startMs), reason, `${what}, elsewhere`)
      t.ok(heardMs - stalledMs() < 1_000, 'within a second')
      if (what !== 'token')
        t.equal(one.view.refusal({ ...subject, seq }, startMs), undefined, 'and a token got afterwards is good')
    }
  },
)

async function reader(another: () => Promise<Store>) {
  return (await another()).reader
}

t.test('V4 when the Store cannot write, revoking fails and no answer says otherwise', async (t) => {
  const { store } = await openTemporaryStore(t)
  const { feed, view, deps } = await startInstance(t, store)
  const broken = { ...deps, feed: { ...feed, commit: () => Promise.reject(new StoreUnavailable('full')) } }
  await t.rejects(revoke(broken, { what: 'token', id: 'jti-1' }), { code: 'store_unavailable' })
  t.equal(view.refusal({ ...token, seq: view.seq }, startMs), undefined)
  t.same(await listRevocations(store.reader, 0), [])
  await t.rejects(revoke(deps, { what: 'application', id: '' }), { name: 'RangeError' })
})

t.test(
  'V5 V8 what was refused is refused by a new process: revocations, disabled subjects, ended credentials',
  async (t) => {
    const { store, another } = await openTemporaryStore(t)
    const one = await startInstance(t, store)
    for (const [what, id] of subjects) await revoke(one.deps, { what, id: `${id}-r` })
    await revoke(one.deps, { what: 'token', id: 'jti-r', tokenExpiresAt: startMs + hourMs })
    await one.feed.commit(async (tx) => {
      await tx
        .insertInto('tenants')
        .values([tenantRow('tenant-ok'), { ...tenantRow('tenant-off'), state: 'disabled' }])
        .execute()
      const ours = { tenant_id: 'tenant-ok', audience: 'home' }
      await tx
        .insertInto('applications')
        .values([applicationRow('app-on', ours), applicationRow('app-off', { ...ours, state: 'disabled' })])
        .execute()
      const secret = {
        application_id: 'app-on',
        label: '',
        hint: '',
        hash: '',
        pepper_id: '',
        starts_at: 1,
        last_used_at: null,
        created_at: 1,
      }
      await tx
        .insertInto('application_secrets')
        .values([
          { key_id: 'ended', ends_at: startMs - 1, ...secret },
          { key_id: 'ending', ends_at: startMs + hourMs, ...secret },
          { key_id: 'long', ends_at: startMs + 365 * dayMs, ...secret },
          { key_id: 'long ago', ends_at: startMs - 30 * dayMs, ...secret },
        ])
        .execute()
    })
    const { view } = await startInstance(t, await another())
    const plain: RevocableToken = { jti: 'x', credentialId: 'x', applicationId: 'x', tenantId: 'x', seq: 0 }
    const expected: [Partial<RevocableToken>, string | undefined][] = [
      [{}, undefined],
      [{ jti: 'jti-r', seq: view.seq }, 'token_revoked'],
      [{ credentialId: 'key-1-r' }, 'credential_revoked'],
      [{ credentialId: 'key-1-r', seq: view.seq }, undefined],
      [{ grantId: 'grant-1-r' }, 'grant_revoked'],
      [{ applicationId: 'app-1-r' }, 'application_revoked'],
      [{ userId: 'user-1-r' }, 'user_revoked'],
      [{ tenantId: 'tenant-1-r' }, 'tenant_revoked'],
      [{ applicationId: 'app-off', seq: view.seq }, 'application_disabled'],
      [{ applicationId: 'app-on' }, undefined],
      [{ tenantId: 'tenant-off', seq: view.seq }, 'tenant_disabled'],
      [{ tenantId: 'tenant-ok' }, undefined],
      [{ credentialId: 'ended' }, 'credential_expired'],
      [{ credentialId: 'ending' }, undefined],
      [{ credentialId: 'long' }, undefined],
    ]
    for (const [changes, reason] of expected)
      t.equal(view.refusal({ ...plain, ...changes }, startMs), reason, JSON.stringify(changes))
    t.equal(view.refusal({ ...plain, credentialId: 'ending' }, startMs + hourMs), 'credential_expired')
    t.equal(view.entries, 6 + 2 + 2, 'what ended long ago or ends far away is not kept')
  },
)

t.test('a number is the order of commits: of two revocations of one subject the later one counts', async (t) => {
  const { store, another } = await openTemporaryStore(t)
  const { view, deps, feed } = await startInstance(t, store)
  const first = await revoke(deps, { what: 'application', id: 'app-1' })
  const second = await revoke(deps, { what: 'application', id: 'app-1' })
  t.equal(second.seq, first.seq + 1)
  t.equal(view.refusal({ ...token, seq: first.seq }, startMs), 'application_revoked')
  t.equal(view.refusal({ ...token, seq: second.seq }, startMs), undefined)
  const rows = await listRevocations(store.reader, 0)
  t.match(rows, [{ what: 'application', id: 'app-1', seq: second.seq }])
  await feed.commit((tx) => putRevocation(tx, { what: 'application', id: 'app-1', seq: 9, at: 0, expiresAt: 5 }))
  t.match(
    await listRevocations(await reader(another), 0),
    [{ seq: 9, expiresAt: rows[0]?.expiresAt }],
    'an end is never moved nearer',
  )
})

t.test(
  'V8 a revocation is kept for the longest token there may be, however short the configured life is now',
  async (t) => {
    const { store } = await openTemporaryStore(t)
    const { deps } = await startInstance(t, store)
    await revoke({ ...deps, tokenLifetimeMs: 60_000 }, { what: 'application', id: 'app-1' })
    const [row] = await listRevocations(store.reader, 0)
    t.ok((row?.expiresAt ?? 0) >= startMs + dayMs + 60_000)
  },
)

t.test('V8 rows leave when they are over for certain: not by a clock that was set forward', async (t) => {
  const { store, another } = await openTemporaryStore(t)
  const clock = { ms: startMs }
  const { view, deps } = await startInstance(t, store, () => clock.ms)
  await revoke(deps, { what: 'token', id: 'jti-1', tokenExpiresAt: startMs + hourMs })
  clock.ms += 30 * dayMs
  t.equal(await pruneRevocations({ store, view, now: () => clock.ms }), 0, 'this instance still holds it')
  const fresh = await startInstance(t, await another(), () => clock.ms)
  t.equal(fresh.view.holds('token', 'jti-1'), false)
  t.equal(
    await pruneRevocations({ store, view: fresh.view, now: () => clock.ms - 29 * dayMs }),
    0,
    'a day is not enough',
  )
  t.equal(await pruneRevocations({ store, view: fresh.view, now: () => clock.ms }), 1)
  t.same(await listRevocations(store.reader, 0), [])
})

t.test('V8 loading again while the clock is set forward forgets nothing', async (t) => {
  const { store } = await openTemporaryStore(t)
  const { clock, view, pass } = viewOnClocks()
  await store.transaction((tx) =>
    putRevocation(tx, { what: 'token', id: 'jti-1', seq: 1, at: startMs, expiresAt: startMs + hourMs }),
  )
  clock.wall += 400 * dayMs
  await store.snapshot((snapshot) => view.load(snapshot))
  clock.wall -= 400 * dayMs
  pass(60_000)
  t.equal(view.refusal(token, clock.wall), 'token_revoked')
})
