// Who waits for whose import: one of a tenant and of a caller at a time, a share of each minute, and no long pauses.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import t from 'tap'
import { planImport } from '../../../src/management/imports/import-plan.js'
import { oneAtATime } from '../../../src/management/imports/one-at-a-time.js'
import { readExport } from '../../../src/management/imports/read-export.js'
import { convert, convertInTurns, type Source, sources } from '../../../src/management/imports/sources/sources.js'

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

/** How often the event loop turns during `work`, and the longest pause, in milliseconds. */
async function turnsOf<T>(work: () => Promise<T>): Promise<{ result: T; turns: number; pauseMs: number }> {
  let turns = 0
  let isOver = false
  const count = () => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const result = await work()
  isOver = true
  delay.disable()
  return { result, turns, pauseMs: delay.max / 1e6 }
}

t.test('planning lets others in between applications', async (t) => {
  const uris = (of: number) => Array.from({ length: 60 }, (_, at) => `https://a.example/${of}/${at}`)
  const clients = Array.from({ length: 300 }, (_, at) => ({ client_id: `c${at}`, redirect_uris: uris(at) }))
  const read = await readExport({ content: JSON.stringify(clients) })
  const { turns, pauseMs } = await turnsOf(() =>
    planImport(read, {
      catalogue: { require: () => ({ kind: 'delegated', resource: 'r', id: 'i' }), withId: () => [] },
      find: async () => undefined,
      ...{ map: new Map(), tenantId: 't', update: false, planOf: () => undefined, refusalOf: () => undefined },
    }),
  )
  t.comment(`longest pause ${pauseMs.toFixed(1)} ms`)
  t.ok(turns > 1, `${turns} turns of the event loop`)
})

t.test('converting stops after every application of every source, and says the same as in one go', async (t) => {
  const documents: Readonly<Record<Source, readonly Record<string, unknown>[]>> = {
    hydra: ['a', 'b', 'c'].map((id) => ({ client_id: id })),
    keycloak: ['a', 'b', 'c'].map((id) => ({ clientId: id })),
    entra: ['a', 'b', 'c'].map((id) => ({ appId: id, displayName: `App ${id}` })),
    auth0: ['a', 'b', 'c'].map((id) => ({ client_id: id, name: `App ${id}`, app_type: 'spa' })),
  }
  for (const source of sources) {
    let stops = 0
    const converted = await convertInTurns(source, documents[source], async () => {
      stops += 1
    })
    t.equal(stops, 3, source)
    t.equal(converted.imported.length, 3)
    t.same(converted, convert(source, documents[source]))
  }
})

t.test('a long export is read in more than one turn', async (t) => {
  const clients = Array.from({ length: 300 }, (_, at) => ({ client_id: `c${at}`, name: `App ${at}`, app_type: 'spa' }))
  const grant = (at: number) => ({ client_id: `c${at % 300}`, audience: 'https://a.example', scope: ['a', 'b'] })
  const clientGrants = Array.from({ length: 2_400 }, (_, at) => grant(at))
  const content = JSON.stringify({ clients, clientGrants })
  const { turns, pauseMs } = await turnsOf(() => readExport({ content }))
  t.comment(`longest pause ${pauseMs.toFixed(1)} ms, ${turns} turns`)
  t.ok(turns > 1, `${turns} turns of the event loop`)
})
