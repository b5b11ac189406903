// Who waits for whose import: one of a tenant and of a caller at a time, a share of each minute, and no long pauses.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import t from 'tap'
import { planImport } from '../../../src/management/imports/import-plan.js'
import { oneAtATime } from '../../../src/management/imports/one-at-a-time.js'
import { readExport } from '../../../src/management/imports/read-export.js'

t.test('a caller has one import at a time, whichever tenants they choose, and a tenant its share', async (t) => {
  const instance = {}
  let nowMs = 1_000_000
  const turn = (tenantId: string, callerId?: string) => ({ instance, tenantId, callerId, now: () => nowMs })
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const first = oneAtATime(turn('a', 'ada'), () => ended)
  await t.rejects(
    oneAtATime(turn('a', 'bob'), async () => 1),
    { code: 'ImportUnderWay' },
  )
  await t.rejects(
    oneAtATime(turn('b', 'ada'), async () => 1),
    { code: 'ImportUnderWay' },
  )
  t.equal(await oneAtATime(turn('b', 'bob'), async () => 1), 1)
  nowMs += 31_000
  end()
  await first
  await t.rejects(
    oneAtATime(turn('a', 'bob'), async () => 1),
    { status: 429, code: 'TooManyRequests' },
  )
  t.equal(await oneAtATime(turn('b', 'bob'), async () => 1), 1, 'others are not kept waiting')
  nowMs += 60_000
  t.equal(await oneAtATime(turn('a', 'bob'), async () => 1), 1, 'the next minute')
})

t.test('planning lets others in between applications', async (t) => {
  const uris = (of: number) => Array.from({ length: 60 }, (_, at) => `https://a.example/${of}/${at}`)
  const clients = Array.from({ length: 300 }, (_, at) => ({ client_id: `c${at}`, redirect_uris: uris(at) }))
  const read = readExport({ content: JSON.stringify(clients) })
  let turns = 0
  let isOver = false
  const count = () => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  await planImport(read, {
    catalogue: { require: () => ({ kind: 'delegated', resource: 'r', id: 'i' }), withId: () => [] },
    find: async () => undefined,
    ...{ map: new Map(), tenantId: 't', update: false, planOf: () => undefined, refusalOf: () => undefined },
  })
  isOver = true
  delay.disable()
  t.comment(`longest pause ${(delay.max / 1e6).toFixed(1)} ms`)
  t.ok(turns > 1, `${turns} turns of the event loop`)
})
