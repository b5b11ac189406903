// F16: the wall clock of one instance of three is set: an hour forward, an hour back, a day forward, five minutes off.

import { equal, ok } from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { type LedgerToken, whileRevoking } from '../../support/cluster/token-ledger.js'
import { until } from '../../support/traffic/until.js'
import { askToken, managed, newCast, newToken } from '../scene/provision.js'
import { type FaultStory, proxiedCluster } from '../story.js'

const minuteMs = 60_000
const jumps: readonly { name: string; offsetMs: number }[] = [
  { name: '+5 min', offsetMs: 5 * minuteMs },
  { name: '+1 h', offsetMs: 60 * minuteMs },
  { name: '+1 day', offsetMs: 24 * 60 * minuteMs },
  { name: '-5 min', offsetMs: -5 * minuteMs },
  { name: '-1 h', offsetMs: -60 * minuteMs },
]

export const clockJumps: FaultStory = {
  name: 'clock-jumps',
  faults: ['F16'],
  expected:
    'nothing revoked comes to life, before or after; a correct instance accepts no token beyond its time; the set clock itself may refuse good tokens, and metric and readiness report it',
  cluster: proxiedCluster,
  ownCluster: true,
  async run(scene) {
    const { instances } = scene.cluster
    const [first, , skewed] = instances
    const target = scene.direct[2]
    if (first === undefined || skewed === undefined || target === undefined) throw new Error('too few instances')
    const { application } = await newCast(instances)
    const revoked: LedgerToken[] = []
    const revokeOne = async (): Promise<void> => {
      const token = await newToken(first.port, application)
      await whileRevoking([token], () => managed(first, 'POST', '/revocations', { what: 'token', token: token.text }))
      revoked.push(token)
    }
    await revokeOne()
    const lines: string[] = []
    for (const { name, offsetMs } of jumps) {
      skewed.hook({ do: 'clock', offsetMs })
      await wait(scene.full ? 6_000 : 700)
      await revokeOne()
      await wait(1_100)
      for (const token of revoked) {
        for (const one of scene.direct)
          equal((await scene.probe(one, token)).status, 401, `${name}: a revoked token at ${one.via}`)
      }
      const elsewhere = await mintedWhileSkewed(scene, skewed.port, application, offsetMs)
      const noticedMs = await until('the wrong clock is reported', async () =>
        (await skewed.operator('/readyz')).body.includes('clock_skew'),
      )
      ok((await skewed.metric('portcullis_clock_skew_seconds')) > 60, `${name}: the metric tells it`)
      lines.push(`${name}: its tokens elsewhere ${elsewhere}, reported after ${(noticedMs / 1000).toFixed(1)} s more`)
    }
    skewed.hook({ do: 'clock', offsetMs: 0 })
    await wait(500)
    const good = await newToken(first.port, application)
    const recoveryMs = await scene.untilServed(good)
    for (const token of revoked)
      equal((await scene.probe(target, token)).status, 401, 'still revoked with the clock set right')
    return { text: lines.join('; '), recoveryMs }
  },
}

/** What correct instances make of a token from the skewed one: never accepted when its time lies outside the leeway. */
async function mintedWhileSkewed(
  scene: Parameters<FaultStory['run']>[0],
  port: number,
  application: Parameters<typeof askToken>[1],
  offsetMs: number,
): Promise<string> {
  const answer = await askToken(port, application)
  if (answer.status !== 200) return `none (${answer.status})`
  const { access_token: text } = JSON.parse(answer.body) as { access_token: string }
  const claims = JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString()) as {
    nbf: number
    exp: number
  }
  const nowSeconds = Date.now() / 1000
  const never = claims.nbf > nowSeconds + 60 || claims.exp < nowSeconds - 60 ? ('forged' as const) : undefined
  const token: LedgerToken = { ...(await newToken(scene.direct[0]?.port ?? 0, application)), text, never }
  const statuses = await Promise.all(
    scene.direct.slice(0, 2).map(async (one) => (await scene.probe(one, token)).status),
  )
  if (Math.abs(offsetMs) <= minuteMs) ok(statuses.every((status) => status === 200))
  return String([...new Set(statuses)])
}
