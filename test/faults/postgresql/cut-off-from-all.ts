// F4: one instance of three loses Redis and the Store, and goes on minting. What it mints after a
// revocation that it has not heard of is refused by the others, because the token says how much its issuer knew.

import { equal, ok } from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { cutOffMs, type LedgerToken, whileRevoking } from '../../support/cluster/token-ledger.js'
import { until } from '../../support/traffic/until.js'
import { statuses } from '../scene/measure.js'
import { managed, newApplication, newCast, newToken } from '../scene/provision.js'
import { type FaultStory, proxiedCluster } from '../story.js'

export const cutOffFromAll: FaultStory = {
  name: 'cut-off-from-all',
  faults: ['F4'],
  expected:
    'tokens that it mints after a revocation it has not heard of are refused elsewhere; after 5 s it answers 503 and is not ready; the others serve; it recovers within 3 s',
  cluster: proxiedCluster,
  async run(scene) {
    const { instances, balancer } = scene.cluster
    const [first, , last] = instances
    const cutOff = scene.direct[2]
    const others = scene.direct.slice(0, 2)
    if (first === undefined || last?.redis === undefined || last.store === undefined) throw new Error('not proxied')
    if (cutOff === undefined) throw new Error('too few instances')
    const { tenantId, tokens, next } = await newCast(instances)
    const application = await newApplication(first, tenantId)
    // A change that comes while the registration is read would have it read again, after the cut.
    await until('the last has heard of everything', async () => {
      const [known, heard] = await Promise.all([first, last].map(({ port }) => newToken(port, application)))
      return heard !== undefined && known !== undefined && heard.seq >= known.seq
    })
    const minted: LedgerToken[] = [await newToken(last.port, application)]
    for (const target of scene.direct) equal((await scene.probe(target, minted[0] as LedgerToken)).status, 200)

    const traffic = scene.traffic({ targets: [...scene.direct, scene.balancer], perSecond: 80, next })
    for (const target of [cutOff, scene.balancer]) scene.mayHearLate(target, cutOffMs)
    const cutMs = performance.now()
    await Promise.all([last.redis.blackhole(), last.store.blackhole()])
    const stale = scene.allow({ via: cutOff.via, statuses: [503] })
    // Until HAProxy has checked again, some of its requests still go there.
    const leaving = scene.allow({ via: scene.balancer.via, statuses: [503], most: 40 })
    // It mints until it knows that its Store is away, which takes it two seconds; the others revoke meanwhile.
    const minting = mintUntilRefused(last.port, application)
    await whileRevoking(minted, () =>
      managed(first, 'POST', '/revocations', { what: 'application', id: application.applicationId }),
    )
    const revokedAt = performance.now()
    const mintedMeanwhile = await minting
    ok(mintedMeanwhile.length > 0, 'it goes on minting')
    const afterwards = mintedMeanwhile.filter(({ issuedMs }) => issuedMs > revokedAt).length
    for (const { token } of mintedMeanwhile) {
      token.revokingMs = performance.now()
      token.revokedMs = performance.now()
      minted.push(token)
    }
    await Promise.all(
      others.flatMap((target) =>
        minted.map(async (token) => {
          // Whatever is let through later than a second after the answer is a violation (I1, I4).
          await until(`${target.via} refuses`, async () => (await scene.probe(target, token)).status === 401)
        }),
      ),
    )
    const good = tokens[0] as LedgerToken
    const staleMs =
      (await until('it refuses everything', async () => (await scene.probe(cutOff, good)).status === 503)) + 0
    const sinceCutMs = performance.now() - cutMs
    const readiness = await last.operator('/readyz')
    equal(readiness.status, 503)
    await until('HAProxy leaves it out', async () => !(await balancer.up()).includes(last.name))
    leaving.toMs = performance.now()

    await Promise.all([last.redis.heal(), last.store.heal()])
    const recoveryMs = await scene.untilServed(good)
    stale.toMs = performance.now()
    ok(recoveryMs < 9_000, `it took ${recoveryMs.toFixed(0)} ms to recover`)
    for (const token of minted) equal((await scene.probe(cutOff, token)).status, 401, 'it has heard of the revocation')
    await until('HAProxy takes it back', async () => (await balancer.up()).includes(last.name))
    await traffic.stop()
    const text = `${minted.length} tokens, ${afterwards} of them minted after the revocation was answered, refused elsewhere; stale ${(sinceCutMs / 1000).toFixed(1)} s after the cut; ${statuses(traffic.exchanges)}`
    return { text: staleMs >= 0 ? text : '', recoveryMs }
  },
}

/** Tokens of an instance that is cut off, ten a second, until it gives none; when each was requested. */
async function mintUntilRefused(port: number, application: Parameters<typeof newToken>[1]) {
  const minted: { token: LedgerToken; issuedMs: number }[] = []
  for (let turn = 0; turn < 100; turn += 1) {
    const issuedMs = performance.now()
    const token = await newToken(port, application).catch(() => undefined)
    if (token === undefined) return minted
    minted.push({ token, issuedMs })
    await wait(100)
  }
  throw new Error('it gives tokens for ever')
}
