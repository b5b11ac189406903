// What a route can say beyond who may call it: watching only, costs, tenants and applications, other paths, times, fields.

import t from 'tap'
import { ownResource } from '../support/directory.js'
import {
  type GateOptions,
  openGate,
  type RouteInput,
  recordingUpstream,
  type Test,
  viaProxy,
} from '../support/http-gate.js'
import { rawRequest } from '../support/http-raw.js'

const needs = { GET: ['User.Read.All'] }

type Handle = Parameters<typeof recordingUpstream>[1]

async function gateOf(t: Test, routes: readonly RouteInput[], more: Partial<GateOptions> = {}, handle?: Handle) {
  const upstream = await recordingUpstream(t, handle)
  const gate = await openGate(t, { routes, upstreams: { things: { target: upstream.target } }, ...more })
  const token = await gate.token()
  const call = (path: string, bearer: string | undefined = token, lines = '', method = 'GET') => {
    const authorization = bearer === '' ? '' : `Authorization: Bearer ${bearer}\r\n`
    return rawRequest(gate, `${method} ${path} HTTP/1.1\r\n${viaProxy}${authorization}${lines}\r\n`)
  }
  return { upstream, gate, token, call }
}

t.test(
  'shadow: what permissions would refuse passes, is counted and logged; a bad token is refused all the same',
  async (t) => {
    const { upstream, gate, token, call } = await gateOf(t, [
      { path: '/watched', methods: needs, shadow: true },
      { path: '/guarded', methods: needs },
    ])
    t.equal((await call('/guarded', '')).status, 401)
    t.equal((await call('/watched', '')).status, 200, 'without a token')
    t.equal(upstream.requests[0]?.headers.authorization, undefined, 'and so without an identity')
    t.equal((await call('/watched', await gate.token(['Subscription.Read.All']))).status, 200, 'without the permission')
    const claims = JSON.parse(
      Buffer.from(upstream.requests[1]?.headers.authorization?.split('.')[1] ?? '', 'base64url').toString(),
    )
    t.match(claims, { aud: 'things', scope: '' }, 'with an identity that opens nothing')
    t.equal((await call('/watched', token)).status, 200)
    const refused = await call('/watched', `${token.slice(0, -4)}AAAA`)
    t.equal(refused.status, 401, 'a forged token')
    const wrongAudience = await gate.token(['User.Read.All'], { aud: `${ownResource}/other` })
    t.equal((await call('/watched', wrongAudience)).status, 401, 'a token for somebody else')
    t.equal(upstream.requests.length, 3)
    const metrics = await gate.metrics.registry.metrics()
    t.match(metrics, 'portcullis_would_deny_total{route="GET /watched",reason="no_token"} 1')
    t.match(metrics, 'portcullis_would_deny_total{route="GET /watched",reason="insufficient_scope"} 1')
    t.match(metrics, 'portcullis_auth_decisions_total{route="GET /watched",decision="allowed",reason="granted"} 1')
    t.match(metrics, 'portcullis_auth_decisions_total{route="GET /watched",decision="allowed",reason="shadow"} 2')
    t.notMatch(metrics, 'would_deny_total{route="GET /guarded"')
    const reasons = gate.logged.map((line) => JSON.parse(line)).filter(({ route }) => route === 'GET /watched')
    t.same(
      reasons.map(({ reason }) => reason),
      ['would_deny_no_token', 'would_deny_insufficient_scope', undefined, 'bad_signature', 'wrong_audience'],
    )
  },
)

t.test('shadow: on a stale view nobody is asked of who sends no token, and a token is not believed', async (t) => {
  const { gate, token, call } = await gateOf(t, [{ path: '/watched', methods: needs, shadow: true }], {
    replace: (deps) => ({ view: { ...deps.view, isStale: () => true, refusal: deps.view.refusal } }),
  })
  t.equal((await call('/watched', '')).status, 200)
  t.equal((await call('/watched', token)).status, 503)
  t.ok(gate)
})

t.test('cost: a request takes so many units of each limit', async (t) => {
  const limits = {
    app: { name: 'app', by: ['application'], algorithm: { kind: 'quota', limit: 10, periodMs: 3_600_000 } },
  } as const
  const routes = [
    { path: '/dear', methods: needs, cost: 4 },
    { path: '/cheap', methods: needs },
  ]
  const { call } = await gateOf(t, routes, { limits })
  t.match((await call('/dear')).headers.get('ratelimit')?.[0], 'r=6')
  t.match((await call('/cheap')).headers.get('ratelimit')?.[0], 'r=5')
  t.equal((await call('/dear')).status, 200)
  t.equal((await call('/dear')).status, 429)
  t.equal((await call('/cheap')).status, 200)
  t.equal((await call('/cheap')).status, 429)
})
