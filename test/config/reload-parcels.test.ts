// Rules that were read in another thread are those that this one would have read, and putting thousands of them in
// place is cut into pieces of one route each.

import t from 'tap'
import { maskedSettings } from '../../src/config/read/settings-mask.js'
import { packSettings, unpackSettings } from '../../src/config/reload/settings-parcels.js'
import { atOnce, inSlices, type Steps, sliceMs } from '../../src/config/reload/steps.js'
import { isEmpty, ruleChanges } from '../../src/config/report/rule-changes.js'
import type { Settings } from '../../src/config/settings/settings.js'
import { compileGate } from '../../src/gateway/gate.js'
import { createMetrics } from '../../src/observability/metrics.js'
import { settingsFrom } from '../support/settings/config-file.js'

const document = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Things', version: '1' },
  paths: { '/things': { get: { responses: { 200: { description: 'ok' } } } } },
})

function text(routes: number): string {
  const lines = Array.from(
    { length: routes },
    (_, i) => `  GET /of/${i}/{id}: { to: things, require: ${i % 2 === 0 ? 'things_read' : 'things_write'} }`,
  )
  return `permissions: { things_read: { describe: Read }, things_write: { describe: Write, covers: [things_read] } }
resources: { other: { id: https://other.example.com, name: Other, permissions: { other_read: { describe: Read } } } }
secrets: { masterKeys: [AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA] }
issuers: { acme: { issuer: https://id.acme.example, audience: api, acts: user, tenant: 052f5bb1-0d79-444c-a120-84212872beae, permissions: { scp: { read: things_read } } } }
upstreams: { things: { target: "http://127.0.0.1:3001", openapi: '${document}' } }
limits: { slow: { by: [application], rate: 10/min } }
plans: { free: { describe: To try, limits: { daily: { quota: 10/day } } } }
routes:
  GET /things: { to: things, require: things_read, validate: true, limits: [slow] }
  GET /acme: { to: things, require: { any: [things_read, things_write] }, issuers: [own, acme], cors: { origins: ["https://a.example"] } }
  GET /open: { to: things, public: true }
${lines.join('\n')}
`
}

/** As a thread hands it over: nothing but data crosses. */
function sent(settings: Settings): Settings {
  const { rest, routes } = structuredClone(packSettings(settings))
  const waiting = [...routes]
  return atOnce(unpackSettings(rest, () => waiting.shift()))
}

t.test('settings that another thread has read are the same settings', async (t) => {
  const settings = settingsFrom(t, text(250))
  const arrived = sent(settings)
  t.same(maskedSettings(arrived), maskedSettings(settings))
  t.ok(isEmpty(atOnce(ruleChanges(settings, arrived))), 'no rule reads as changed')
  t.equal(arrived.masterKeys[0]?.reveal(), settings.masterKeys[0]?.reveal(), 'a secret is there')
  t.equal(JSON.stringify(arrived.masterKeys), JSON.stringify(settings.masterKeys), 'and hides again')
  t.equal(arrived.routes.length, settings.routes.length)
  t.equal(arrived.routes[0]?.description, arrived.upstreams.get('things')?.description)
  t.equal(arrived.routes[0]?.description, settings.routes[0]?.description, 'a document is read once')
  t.equal(arrived.catalogue.own, arrived.catalogue.resources.get(arrived.catalogue.own.id), 'what is one object is one')
  const own = arrived.catalogue.own.id
  t.same(
    arrived.catalogue.satisfying('application', own, 'things_read'),
    settings.catalogue.satisfying('application', own, 'things_read'),
  )
  const lists = new Set(arrived.routes.slice(3).map(({ limits }) => limits))
  t.equal(lists.size, 1, 'the limiter compiles one list for all routes that say the same')
})

t.test('nobody can change them', async (t) => {
  const arrived = sent(settingsFrom(t, text(3)))
  const thawed: string[] = []
  const look = (value: unknown, path: string) => {
    if (typeof value !== 'object' || value === null) return
    if (!Object.isFrozen(value)) thawed.push(path)
    const inner = value instanceof Map ? [...value] : Object.entries(value)
    for (const [key, item] of inner) look(item, `${path}.${key}`)
  }
  look(arrived, '')
  t.same(thawed, [])
})

t.test('what cannot be sent is refused, not left out', async (t) => {
  const settings = settingsFrom(t, text(1))
  const sneaked = (brand: unknown) => ({ ...settings, brand }) as Settings
  t.throws(() => packSettings(sneaked({ name: () => 'x' })), /function/)
  t.throws(() => packSettings(sneaked({ since: new Date() })), /class/)
})

/** How many steps it takes, and what comes of it. */
function counted<T>(steps: Steps<T>): number {
  for (let count = 0; ; count++) if (steps.next().done === true) return count
}

t.test('each piece of putting rules in place is of one route', async (t) => {
  const pieces = (routes: number) => {
    const settings = settingsFrom(t, text(routes))
    const { rest, routes: packed } = structuredClone(packSettings(settings))
    const parcels = [...packed]
    const metrics = createMetrics()
    const gate = compileGate({ settings, metrics, builtinTargets: new Map() })
    t.teardown(() => gate.close())
    return {
      unpacked: counted(unpackSettings(rest, () => parcels.shift())),
      compiled: counted(gate.replace(settings)),
      compared: counted(ruleChanges(settings, settings)),
    }
  }
  const [few, many] = [pieces(50), pieces(550)]
  t.equal(many.unpacked - few.unpacked, 500)
  t.equal(many.compared - few.compared, 500)
  // Its plan, two routers, and the tree of neighbours, where a path is a few branches.
  t.ok(many.compiled - few.compiled >= 4 * 500, `${many.compiled - few.compiled}`)
})

t.test('between two slices others have their turn, and nothing is swapped before the last', async (t) => {
  const settings = settingsFrom(t, text(300))
  const gate = compileGate({ settings, metrics: createMetrics(), builtinTargets: new Map() })
  t.teardown(() => gate.close())
  const before = gate.routes()
  let turns = 0
  let swappedEarly = false
  let done = false
  const others = () => {
    if (done) return
    turns++
    swappedEarly ||= gate.routes() !== before
    setImmediate(others)
  }
  setImmediate(others)
  // A clock on which each look takes half of a slice: two steps, and others go first.
  let clock = 0
  await inSlices(gate.replace(settings), () => {
    clock += sliceMs / 2
    return clock
  })
  done = true
  t.ok(turns >= 300, `${turns} turns`)
  t.notOk(swappedEarly)
  t.not(gate.routes(), before)
})

t.test('a mistake in a late route leaves the table that was', async (t) => {
  const settings = settingsFrom(t, text(20))
  const gate = compileGate({ settings, metrics: createMetrics(), builtinTargets: new Map() })
  t.teardown(() => gate.close())
  const before = gate.routes()
  const [route] = settings.routes
  if (route === undefined) throw new Error('there are routes')
  const wrong = {
    ...settings,
    routes: [...settings.routes, { ...route, id: 'late', path: '/late', upstream: 'nowhere' }],
  }
  await t.rejects(inSlices(gate.replace(wrong)), /there is no upstream nowhere/)
  t.equal(gate.routes(), before)
})
