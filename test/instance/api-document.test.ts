// The document of the API for thousands of routes: written in slices between requests, once for all who wait for it,
// and anew when other rules are in effect.

import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import Fastify from 'fastify'
import t from 'tap'
import type { Settings } from '../../src/config/settings/settings.js'
import { createApiDocument } from '../../src/instance/api-document.js'
import { createPublishedDocument } from '../../src/instance/rooms/published-document.js'
import { servedDocument } from '../support/settings/served-document.js'

const routes = 1_000
const rules = `
upstreams: { things: { target: "http://127.0.0.1:1" } }
routes:
${Array.from({ length: routes }, (_, at) => `  GET /of-${at}/{id}: { to: things, require: User.Read.All }`).join('\n')}
`

async function describing(settings: Settings) {
  const api = createPublishedDocument()
  const app = Fastify()
  api.describe(app, 'rooms')
  await t.rejects(api.text(), /when every room is on its listener/)
  app.get('/api/v2/me', async () => ({}))
  await app.ready()
  api.writtenBy((routes) => createApiDocument({ routes, settings, version: '1' }))
  return api
}

t.test('others have their turns while it is written, and all who wait get one writing', async (t) => {
  const { settings } = servedDocument(t, rules, {})
  const live = Object.assign(Object.create(null), settings) as Settings
  const api = await describing(live)
  let turns = 0
  let longest = 0
  let isWritten = false
  const reading = Promise.all([api.text(), api.text(), api.document('anybody')]).finally(() => {
    isWritten = true
  })
  for (let last = process.cpuUsage(); !isWritten; turns += 1) {
    await nextTurn()
    const { user, system } = process.cpuUsage(last)
    last = process.cpuUsage()
    longest = Math.max(longest, (user + system) / 1000)
  }
  const [one, other, document] = await reading
  t.equal(one, other, 'the same bytes')
  t.equal(await api.document('anybody'), document)
  t.ok(turns >= 10, `${turns} turns`)
  t.comment(`${turns} turns, the longest ${longest.toFixed(1)} ms of processor, ${one.body.length} bytes`)
  t.equal(one.body.toString(), JSON.stringify(document), 'as it would be in one go')
  t.equal(one.etag, `"${createHash('sha256').update(one.body).digest('base64url')}"`)
  t.equal(Object.keys(document.paths).length, routes + 1)
  t.not(await api.document('members'), document, 'members have one of their own')

  Object.assign(live, { routes: settings.routes.slice(0, 5) })
  t.equal(Object.keys((await api.document('anybody')).paths).length, 6, 'other rules, another document')
  t.not((await api.text()).etag, one.etag)
})

t.test('a writing that fails is tried again by the next reader', async (t) => {
  const { settings } = servedDocument(t, rules, {})
  let isBroken = true
  const live = Object.create(settings, {
    upstreams: {
      get: () => {
        if (isBroken) throw new Error('not now')
        return settings.upstreams
      },
    },
  }) as Settings
  const api = await describing(live)
  await t.rejects(api.text(), /not now/)
  isBroken = false
  t.ok((await api.text()).body.length > 0)
})
