// Which path is decided on, and which one arrives: over raw sockets, with the upstream's own record as the judge.

import fc from 'fast-check'
import t from 'tap'
import { canonicalTarget } from '../../../src/http/requests/canonical-target.js'
import { openGate, recordingUpstream, type Test, viaProxy } from '../../support/rooms/http-gate.js'
import { rawConnection, rawRequest } from '../../support/traffic/http-raw.js'

async function guardedGate(t: Test) {
  const upstream = await recordingUpstream(t)
  const gate = await openGate(t, {
    routes: [
      { path: '/api/v2/admin', methods: { GET: ['User.ReadWrite.All'] } },
      { path: '/api/v2/me', methods: { GET: ['User.Read.All'], PATCH: ['User.ReadWrite.All'] } },
      { path: '/api/v2/users/{id}', methods: { GET: ['User.Read.All'] } },
      { path: '/api/v2/users/me', methods: { GET: ['User.ReadWrite.All'] } },
      { path: '/api/v2/**', methods: { GET: ['User.Read.All'] } },
    ],
    upstreams: { things: { target: upstream.target } },
  })
  const token = await gate.token(['User.Read.All'])
  const get = (target: string, more = '') =>
    rawRequest(gate, `GET ${target} HTTP/1.1\r\n${viaProxy}Authorization: Bearer ${token}\r\n${more}\r\n`)
  return { upstream, gate, token, get }
}

t.test('P1 P16 no spelling of a guarded path goes around its guard', async (t) => {
  const { upstream, get } = await guardedGate(t)
  const table: [target: string, status: number, forwarded?: string][] = [
    ['/api/v2/admin', 403],
    ['/api/v2/./admin', 403],
    ['/api/v2/%2e/admin', 403],
    ['/api/v2//admin', 403],
    ['//api/v2/admin', 403],
    ['/%61pi/v2/%61dmin', 403],
    ['/api/v2/ADMIN', 404],
    ['/api/v2/Admin', 404],
    ['/api/v2/users/ME', 404],
    ['/api/v2/admin.', 404],
    ['/api/v2/Admin%20./', 404],
    ['/api/v2/users/me..', 404],
    ['/api/v2/users/m.e.', 200, '/api/v2/users/m.e.'],
    ['/api/v2/admin;x', 400],
    ['/api/v2/admin%2f', 400],
    ['/api/v2/x\\..\\..\\..\\admin', 400],
    ['/api/v2/%2e%2e/admin', 400],
    ['/api/v2/..;/admin', 400],
    ['/api/v2/..%5cadmin', 400],
    ['/api/v2/x%5c..%5cadmin', 400],
    ['/api/v2/x\\.\\admin', 400],
    ['/api/v2/\\\\evil/x', 400],
    ['/api/v2/me?a=1#f', 400],
    ['/api/v2/%252e%252e/admin', 400],
    ['/api/v2/a%2fb', 400],
    ['/api/v2/%00', 400],
    ['http://evil/api/v2/me', 421],
    ['/api/v2', 404],
    ['/other', 404],
    ['/%61pi/v2/me', 200, '/api/v2/me'],
    ['/api/v2/./a//b', 200, '/api/v2/a/b'],
    ['https://portcullis.test/api/v2/me', 200, '/api/v2/me'],
    ['/api/v2/me?a=1&a=%2F&b', 200, '/api/v2/me?a=1&a=%2F&b'],
    ['/api/v2/me?', 200, '/api/v2/me?'],
    ['/api/v2/users/7', 200, '/api/v2/users/7'],
    ['/api/v2/caf%c3%a9', 200, '/api/v2/caf%C3%A9'],
    [`/api/v2/${'x'.repeat(3_000)}`, 200, `/api/v2/${'x'.repeat(3_000)}`],
  ]
  for (const [target, status, forwarded] of table) {
    upstream.requests.length = 0
    t.equal((await get(target)).status, status, target.slice(0, 60))
    t.same(
      upstream.requests.map((request) => request.url),
      forwarded === undefined ? [] : [forwarded],
      target.slice(0, 60),
    )
  }
})

t.test('P1 a slash at the end, which many services do not see, walks around no guard', async (t) => {
  const upstream = await recordingUpstream(t)
  const gate = await openGate(t, {
    routes: [
      { path: '/open/**', methods: { GET: 'public' } },
      { path: '/open/admin', methods: { GET: ['User.Read.All'] } },
      { path: '/open/inner/**', methods: { GET: ['User.Read.All'] } },
      { path: '/open/said', methods: { GET: ['User.Read.All'] } },
      { path: '/open/said/', methods: { GET: 'public' } },
      { path: '/items/{id}', methods: { GET: 'public' } },
      { path: '/items/{id}/**', methods: { GET: 'public' } },
      { path: '/deep/**', methods: { GET: 'public' } },
      { path: '/deep/{a}/{b}/{c}', methods: { GET: ['User.Read.All'] } },
    ],
    upstreams: { things: { target: upstream.target } },
  })
  const table: [target: string, status: number][] = [
    ['/open/admin', 401],
    ['/open/admin/', 404],
    ['/open/ADMIN/', 404],
    ['/open/admin//', 404],
    ['/open/admin/.', 404],
    ['/open/inner./x', 404],
    ['/open/INNER%20%2e', 404],
    ['/open/inner.x/y', 200],
    ['/open/inner', 404],
    ['/open/inner/', 401],
    ['/open/inner/x', 401],
    ['/open/said', 401],
    ['/open/said/', 200],
    ['/open/x', 200],
    ['/open/x/', 200],
    ['/open/admin/x', 200],
    ['/items/7', 200],
    ['/items/7/', 404],
    ['/items/7/x', 200],
    ['/items/7/x/', 200],
    ['/deep/x/y', 200],
    ['/deep/x/y/', 200],
    ['/deep/x/y/z', 401],
    ['/deep/x/y/z/', 404],
  ]
  for (const [target, status] of table) {
    t.equal((await rawRequest(gate, `GET ${target} HTTP/1.1\r\n${viaProxy}\r\n`)).status, status, target)
  }
})

t.test('P15 the query is not parsed, merged or written anew', async (t) => {
  const { upstream, get } = await guardedGate(t)
  const query = 'b=2&a=1&b=3&&c=%7e+%20&d[]=x&e=/?'
  await get(`/api/v2/me?${query}`)
  t.equal(upstream.requests[0]?.url, `/api/v2/me?${query}`)
})

t.test(
  'property over 10,000 targets: what is forwarded is what was decided on, under the route that was decided',
  async (t) => {
    const upstream = await recordingUpstream(t)
    const gate = await openGate(t, {
      routes: [
        { path: '/api/v2/open/**', methods: { GET: 'public' } },
        { path: '/api/v2/open/admin', methods: { GET: ['User.ReadWrite.All'] } },
        { path: '/api/v2/closed/**', methods: { GET: ['User.Read.All'] } },
      ],
      upstreams: { things: { target: upstream.target, connections: 200 } },
      server: { accessLog: false },
    })
    const byId = new Map<string, string>()
    upstream.server.prependListener('request', (request) =>
      byId.set(String(request.headers['request-id']), String(request.url)),
    )
    const strange = fc.constantFrom(
      ...[
        '//',
        '/.',
        '/..',
        '.',
        '..',
        '%2e',
        '%2E%2e',
        '%2f',
        '%5c',
        '\\',
        ';',
        '%3b',
        '#',
        '%',
        '%25',
        '%252e',
        '%00',
        '%c0%ae',
      ],
    )
    const plain = fc.constantFrom(
      ...[
        '/',
        '/',
        'a',
        'b.c',
        '~',
        '%61',
        '%c3%a9',
        '@',
        "'",
        '(1)',
        '?',
        '&',
        '=',
        'admin',
        'ADMIN',
        'open',
        '/api/v2/open/admin',
        '/api/v2/closed/',
      ],
    )
    const printable = fc.string({
      unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
      maxLength: 3,
    })
    const pieces = fc.oneof(
      { weight: 2, arbitrary: strange },
      { weight: 9, arbitrary: plain },
      { weight: 1, arbitrary: printable },
    )
    const start = fc.constantFrom('/api/v2/open/', '/api/v2/open/', '/api/v2/open', '/api/v2/', '/', '/api/v2/closed/')
    const targets = fc.tuple(start, fc.array(pieces, { maxLength: 6 }))
    const sample = fc.sample(targets, { numRuns: 10_000, seed: 20261121 }).map(([first, rest]) => first + rest.join(''))
    const wrong: string[] = []
    const counts = { forwarded: 0, refused: 0 }
    // Sixteen clients, each of which sends twenty-five requests at a time and reads the answers in order.
    const lanes = Array.from({ length: 16 }, async (_, lane) => {
      const connection = await rawConnection(gate)
      const own = sample.filter((_, i) => i % 16 === lane)
      for (let i = 0; i < own.length; i += 25) {
        const batch = own.slice(i, i + 25)
        connection.send(batch.map((target) => `GET ${target} HTTP/1.1\r\n${viaProxy}\r\n`).join(''))
        for (const target of batch) {
          const answer = await connection.answer()
          const arrived = byId.get(answer.headers.get('request-id')?.[0] ?? '')
          const problem = judge(target, answer.status, arrived)
          if (problem !== undefined) wrong.push(`${JSON.stringify(target)}: ${problem}`)
          if (arrived === undefined) counts.refused++
          else counts.forwarded++
        }
      }
      connection.end()
    })
    await Promise.all(lanes)
    t.same(wrong, [])
    t.equal(upstream.requests.length, counts.forwarded, 'nothing else arrived')
    t.ok(counts.forwarded > 2_000 && counts.refused > 2_000, `${counts.forwarded} forwarded, ${counts.refused} refused`)
  },
)

/** Without a token only the open route may be passed, and only below its prefix, and never to its guarded neighbour. */
function judge(target: string, status: number, arrived: string | undefined): string | undefined {
  const read = canonicalTarget(target)
  // No route here takes an encoded slash.
  const decided = read.ok && read.encodedSlash === true ? { ok: false as const } : read
  const expected = decided.ok ? decided.path + (decided.query === undefined ? '' : `?${decided.query}`) : undefined
  if (arrived === undefined) {
    if (status < 400) return `answered ${status} without the upstream`
    const open = decided.ok && decided.path.startsWith('/api/v2/open/') && !isAdmin(decided.path)
    return open ? `refused with ${status}` : undefined
  }
  if (status !== 200) return `forwarded and answered ${status}`
  if (arrived !== expected) return `arrived as ${arrived}`
  const path = new URL(`http://upstream${arrived}`).pathname
  if (path !== arrived.split('?')[0]) return `reads as ${path} for others`
  if (!path.startsWith('/api/v2/open/')) return `left its route: ${path}`
  return isAdmin(path) ? 'went around the guard' : undefined
}

/** To anyone who sees neither letters' case nor a slash at the end. */
function isAdmin(path: string): boolean {
  return path.toLowerCase().replace(/\/$/, '') === '/api/v2/open/admin'
}
