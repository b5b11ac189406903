// Client secrets: made here, shown once, several at a time, ended for good. The revocation view hears of each end.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { addSecret, endSecret, rotateSecret } from '../../src/directory/credentials/secrets.js'
import { hashClientSecret, parseClientSecret, pepperId } from '../../src/oauth/secrets/client-secret.js'
import { createRevocationView, type RevocationFollower } from '../../src/revocation/revocation-view.js'
import { type DirectoryApp, openDirectory } from '../support/rooms/directory.js'

const dayMs = 86_400_000
const input = { label: 'test', lifetimeMs: 90 * dayMs }
const nobody = '00000000-0000-4000-8000-000000000000'

t.test('K1 a secret has 256 random bits, is shown once and stored as a keyed hash', async (t) => {
  const { registerDemo, writes, directory, peppers } = await openWithView(t)
  const demo = await registerDemo()
  const distinct = new Set<string>()
  for (let i = 0; i < 5; i += 1) {
    const added = await addSecret(writes, demo.registration.applicationId, input)
    t.match(added.secret, /^pcl_sk_[0-9A-Za-z]{13}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/)
    t.same(parseClientSecret(added.secret), { keyId: added.keyId })
    distinct.add(added.secret)
    const registration = await directory.findRegistration(demo.registration.applicationId)
    const stored = registration?.secrets.find((each) => each.keyId === added.keyId)
    const pepper = peppers[0] ?? new Uint8Array()
    t.equal(stored?.hash, hashClientSecret(added.secret, pepper))
    t.equal(stored?.pepperId, pepperId(pepper))
    t.equal(stored?.hint, added.secret.split('_')[3]?.slice(0, 3))
  }
  t.equal(distinct.size, 5)
})

t.test('K8 no file of the Store contains a secret', async (t) => {
  const { registerDemo, writes, folder } = await openWithView(t)
  const demo = await registerDemo()
  const added = await addSecret(writes, demo.registration.applicationId, input)
  for (const file of readdirSync(folder)) {
    const bytes = readFileSync(join(folder, file))
    for (const secret of [demo.secret, added.secret]) {
      t.equal(bytes.indexOf(secret), -1)
      t.equal(bytes.indexOf(secret.split('_')[3] ?? secret), -1)
    }
  }
})

t.test('K3 two secrets live at once, each with its own end', async (t) => {
  const { registerDemo, writes, directory, clock } = await openWithView(t)
  const { registration, keyId } = await registerDemo({ secret: { lifetimeMs: 10 * dayMs } })
  const startsAt = clock.nowMs
  clock.nowMs += 1_000
  const second = await addSecret(writes, registration.applicationId, { label: 'second', lifetimeMs: 20 * dayMs })
  const now = await directory.findRegistration(registration.applicationId)
  t.match(now?.secrets, [
    { keyId, label: 'first', startsAt, endsAt: startsAt + 10 * dayMs },
    { keyId: second.keyId, label: 'second', startsAt: clock.nowMs, endsAt: clock.nowMs + 20 * dayMs },
  ])
})

t.test(
  'K3 a rotation with overlap ends the older secrets later, but none later than it would have ended',
  async (t) => {
    const { registerDemo, writes, clock, ends, view } = await openWithView(t)
    const { registration, keyId } = await registerDemo()
    const { applicationId, tenantId } = registration
    const short = await addSecret(writes, applicationId, { label: 'short', lifetimeMs: 60_000 })
    const overlapMs = 3_600_000
    const next = await rotateSecret(writes, applicationId, { ...input, overlapMs })
    t.same(await ends(applicationId), {
      [keyId]: clock.nowMs + overlapMs,
      [short.keyId]: clock.nowMs + 60_000,
      [next.keyId]: clock.nowMs + input.lifetimeMs,
    })
    const token = { jti: 'j', credentialId: keyId, applicationId, tenantId, seq: view.seq }
    t.equal(view.refusal(token, clock.nowMs + overlapMs - 1), undefined, 'its tokens are good until then')
    t.equal(view.refusal(token, clock.nowMs + overlapMs), 'credential_expired')
  },
)

t.test('K3 V9 a rotation without overlap ends the older secrets and their tokens at once', async (t) => {
  const { registerDemo, writes, clock, ends, view } = await openWithView(t)
  const { registration, keyId } = await registerDemo()
  const { applicationId, tenantId } = registration
  const token = { jti: 'j', credentialId: keyId, applicationId, tenantId, seq: view.seq }
  t.equal(view.refusal(token, clock.nowMs), undefined)
  const next = await rotateSecret(writes, applicationId, { ...input, overlapMs: 0 })
  t.equal((await ends(applicationId))[keyId], clock.nowMs)
  t.equal(view.refusal(token, clock.nowMs), 'credential_revoked')
  t.equal(view.refusal(token, clock.nowMs - 3_600_000), 'credential_revoked', 'no clock takes part')
  t.equal(view.refusal({ ...token, credentialId: next.keyId, seq: view.seq }, clock.nowMs), undefined)
})

t.test('a secret is ended at once or later, never moved away, and twice is once', async (t) => {
  const { registerDemo, writes, clock, ends, view } = await openWithView(t)
  const { registration, keyId } = await registerDemo()
  const { applicationId, tenantId } = registration
  const token = { jti: 'j', credentialId: keyId, applicationId, tenantId, seq: view.seq }
  await endSecret(writes, { applicationId, keyId }, clock.nowMs + 60_000)
  t.equal((await ends(applicationId))[keyId], clock.nowMs + 60_000)
  t.equal(view.refusal(token, clock.nowMs), undefined)
  await endSecret(writes, { applicationId, keyId }, clock.nowMs + 120_000)
  t.equal((await ends(applicationId))[keyId], clock.nowMs + 60_000, 'an end does not move away')
  await endSecret(writes, { applicationId, keyId })
  const endedAt = clock.nowMs
  t.equal(view.refusal(token, clock.nowMs), 'credential_revoked')
  clock.nowMs += 1_000
  await endSecret(writes, { applicationId, keyId })
  t.equal((await ends(applicationId))[keyId], endedAt)
})

t.test('U2 a secret is ended only by its own application', async (t) => {
  const { registerDemo, writes, clock, ends } = await openWithView(t)
  const [one, two] = [await registerDemo(), await registerDemo()]
  const { applicationId } = one.registration
  await t.rejects(endSecret(writes, { applicationId, keyId: two.keyId }), { code: 'SecretNotFound' })
  await t.rejects(endSecret(writes, { applicationId, keyId: 'x\0' }), { code: 'SecretNotFound' })
  await t.rejects(endSecret(writes, { applicationId: nobody, keyId: one.keyId }), { code: 'ApplicationNotFound' })
  t.ok(((await ends(two.registration.applicationId))[two.keyId] ?? 0) > clock.nowMs)
})

t.test('T16 a native application is given no secret', async (t) => {
  const { registerDemo, writes } = await openWithView(t)
  const { registration } = await registerDemo({ type: 'native' })
  await t.rejects(addSecret(writes, registration.applicationId, input), { code: 'NativeApplication' })
  await t.rejects(rotateSecret(writes, registration.applicationId, { ...input, overlapMs: 0 }), {
    code: 'NativeApplication',
  })
})

t.test('a secret lives at most 24 months', async (t) => {
  const { registerDemo, writes } = await openWithView(t)
  const { applicationId } = (await registerDemo()).registration
  t.ok(await addSecret(writes, applicationId, { label: 'x', lifetimeMs: 730 * dayMs }))
  for (const lifetimeMs of [730 * dayMs + 1, 0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1.5]) {
    await t.rejects(addSecret(writes, applicationId, { label: 'x', lifetimeMs }), { code: 'InvalidLifetime' })
    await t.rejects(registerDemo({ secret: { lifetimeMs } }), { code: 'InvalidLifetime' })
  }
})

t.test('an application has at most ten live secrets; ended ones make room and are forgotten in time', async (t) => {
  const { registerDemo, writes, directory, clock } = await openWithView(t)
  const { registration, keyId } = await registerDemo()
  const { applicationId } = registration
  for (let i = 0; i < 9; i += 1) await addSecret(writes, applicationId, input)
  await t.rejects(addSecret(writes, applicationId, input), { code: 'TooManySecrets' })
  await t.rejects(rotateSecret(writes, applicationId, { ...input, overlapMs: 60_000 }), { code: 'TooManySecrets' })
  t.equal((await directory.findRegistration(applicationId))?.secrets.length, 10, 'the refused rotation ended nothing')
  await endSecret(writes, { applicationId, keyId })
  t.ok(await addSecret(writes, applicationId, input))
  clock.nowMs += 91 * dayMs
  await addSecret(writes, applicationId, input)
  t.notOk((await directory.findRegistration(applicationId))?.secrets.some((each) => each.keyId === keyId))
})

t.test('20 rotations in parallel: every one answers, and exactly one secret is left alive', async (t) => {
  const { registerDemo, writes, clock, ends } = await openWithView(t)
  const { applicationId } = (await registerDemo()).registration
  const made = await Promise.all(
    Array.from({ length: 20 }, () => rotateSecret(writes, applicationId, { ...input, overlapMs: 0 })),
  )
  const alive = Object.entries(await ends(applicationId)).filter(([, endsAt]) => endsAt > clock.nowMs)
  t.equal(alive.length, 1)
  t.ok(
    made.some(({ keyId }) => keyId === alive[0]?.[0]),
    'it is one that was answered',
  )
  t.equal(new Set(made.map(({ keyId }) => keyId)).size, 20)
})

t.test('20 rotations in parallel with overlap: what was answered lives, what was refused left no trace', async (t) => {
  const { registerDemo, writes, clock, ends } = await openWithView(t)
  const { applicationId } = (await registerDemo()).registration
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, () => rotateSecret(writes, applicationId, { ...input, overlapMs: 60_000 })),
  )
  const answered = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value.keyId] : []))
  const refused = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []))
  t.equal(answered.length, 9)
  t.same(new Set(refused), new Set(['TooManySecrets']))
  const now = await ends(applicationId)
  t.equal(Object.keys(now).length, 10)
  t.ok(answered.every((keyId) => (now[keyId] ?? 0) > clock.nowMs))
  const long = Object.values(now).filter((endsAt) => endsAt > clock.nowMs + 60_000)
  t.equal(long.length, 1, 'all but the newest end with the overlap')
})

/** The directory with a revocation view behind it, as an instance has it. */
async function openWithView(t: Parameters<typeof openDirectory>[0]) {
  let view: RevocationFollower | undefined
  const testApp = await openDirectory(t, {
    followers: ({ feed }) => {
      view = createRevocationView({ feed, staleAfterMs: 60_000, horizonMs: dayMs })
      return [view]
    },
  })
  if (view === undefined) throw new Error('the view was not made')
  return { ...testApp, view, ends: endsOf(testApp) }
}

/** Key id to end, of every secret of an application. */
function endsOf({ directory }: DirectoryApp) {
  return async (applicationId: string) => {
    const secrets = (await directory.findRegistration(applicationId))?.secrets ?? []
    return Object.fromEntries(secrets.map(({ keyId, endsAt }) => [keyId, endsAt]))
  }
}
