// F24, as far as it is there: a thousand tokens that name keys which nobody has. In one process with its authorization
// server there is no key set to fetch; what could be overrun is the look into the Store for keys of other instances.

import { equal, ok } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { exchange, keptAlive } from '../../support/cluster/checking-client.js'
import type { LedgerToken } from '../../support/cluster/token-ledger.js'
import { percentile, statuses } from '../scene/measure.js'
import { newCast } from '../scene/provision.js'
import { type FaultStory, plainCluster } from '../story.js'

export const unknownKeys: FaultStory = {
  name: 'unknown-keys',
  faults: ['F24'],
  expected:
    '1,000 tokens with unknown keys are refused with few looks into the Store, and good requests beside them are not slower than 300 ms (threefold)',
  cluster: plainCluster,
  async run(scene) {
    const { instances, postgres } = scene.cluster
    const { tokens, next } = await newCast(instances)
    const good = tokens[0]
    if (good === undefined) throw new Error('no token')
    const calls = async () =>
      Number(
        (await postgres.admin('select xact_commit as n from pg_stat_database where datname = current_database()'))[0]?.[
          'n'
        ],
      )
    const traffic = scene.traffic({ targets: scene.direct, perSecond: 60, next })
    await wait(1_500)
    const before = await calls()
    const startedMs = performance.now()
    const agents = scene.direct.map(() => keptAlive(8))
    const answers = await Promise.all(
      Array.from({ length: scene.full ? 1_000 : 300 }, async (_, at) => {
        await wait(at * 3)
        const target = scene.direct[at % scene.direct.length]
        if (target === undefined) throw new Error('no instance')
        return exchange({ target, token: unknownKey(good), agent: agents[at % agents.length] })
      }),
    )
    // PostgreSQL's own numbers arrive a second late.
    await wait(1_500)
    const looks = (await calls()) - before
    const seconds = (performance.now() - startedMs) / 1000
    for (const agent of agents) agent.destroy()
    scene.note(answers)
    for (const { status } of answers) equal(status, 401)
    await traffic.stop()
    const p99 = percentile(
      traffic.exchanges.map(({ sentMs, endedMs }) => endedMs - sentMs),
      0.99,
    )
    ok(p99 < 900, `p99 beside it ${p99.toFixed(0)} ms`)
    ok(looks < answers.length, `${looks} transactions for ${answers.length} tokens`)
    return {
      text: `${answers.length} refused; ${looks} transactions of all instances in ${seconds.toFixed(1)} s; beside it ${statuses(traffic.exchanges)} p99 ${p99.toFixed(0)} ms`,
    }
  },
}

function unknownKey(token: LedgerToken): LedgerToken {
  const [head = '', body, signature] = token.text.split('.')
  const header = JSON.parse(Buffer.from(head, 'base64url').toString()) as object
  const kid = randomBytes(32).toString('base64url')
  return {
    ...token,
    text: `${Buffer.from(JSON.stringify({ ...header, kid })).toString('base64url')}.${body}.${signature}`,
    never: 'forged',
  }
}
