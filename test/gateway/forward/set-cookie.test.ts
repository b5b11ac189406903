// U6 What services say in Set-Cookie: for this host and below their own paths only, so that no cookie of theirs stands in the
// head of a request for a page or an endpoint of this server.

import t from 'tap'
import { atOnce } from '../../../src/config/reload/steps.js'
import { confinedCookie } from '../../../src/gateway/forward/headers/set-cookie.js'
import { cookiePaths } from '../../../src/gateway/routes/cookie-paths.js'
import { openGate, recordingUpstream, viaProxy } from '../../support/rooms/http-gate.js'
import { rawRequest } from '../../support/traffic/http-raw.js'

t.test('U6 a cookie is for the paths of its service, in whatever way it is said', async (t) => {
  const table: [said: string, crosses: string | undefined][] = [
    ['a=b', 'a=b; Path=/shop'],
    ['a=b; Path=/', 'a=b; Path=/shop'],
    ['a=b; path = / ; Secure', 'a=b; Secure; Path=/shop'],
    ['a=b; Path=/sign-in; HttpOnly', 'a=b; HttpOnly; Path=/shop'],
    ['a=b; Path=/shop', 'a=b; Path=/shop'],
    ['a=b; Path=/shop/cart; SameSite=Lax', 'a=b; SameSite=Lax; Path=/shop/cart'],
    ['a=b; Path=/shopping', 'a=b; Path=/shop'],
    ['a=b; Path=/shop/x=1/y', 'a=b; Path=/shop/x=1/y'],
    [`a=b; Path=/shop/${'x'.repeat(1018)}`, `a=b; Path=/shop/${'x'.repeat(1018)}`],
    [`a=b; Path=/shop/${'x'.repeat(1019)}`, 'a=b; Path=/shop'],
    ['a=b; Path=/shop/cart; Path=/', 'a=b; Path=/shop'],
    ['a=b; Path=/; Path=/shop/cart', 'a=b; Path=/shop/cart'],
    ['a=b; Path="/shop"', 'a=b; Path=/shop'],
    ['a=b; Path', 'a=b; Path=/shop'],
    ['a=b; Path=', 'a=b; Path=/shop'],
    ['a=b; Domain=example.com; Max-Age=9', 'a=b; Max-Age=9; Path=/shop'],
    ['a=b;DOMAIN=.example.com;PATH=/', 'a=b; Path=/shop'],
    ['a="x; Path=/shop"', 'a="x; Path=/shop'],
    ['a=b=c; Expires=Wed, 01 Jan 2031 00:00:00 GMT', 'a=b=c; Expires=Wed, 01 Jan 2031 00:00:00 GMT; Path=/shop'],
    ['a=b; Path=/shop/../sign-in', 'a=b; Path=/shop/../sign-in'],
    ['__Secure-a=b; Secure', '__Secure-a=b; Secure; Path=/shop'],
    ['__Host-a=b; Secure; Path=/', undefined],
    [' __HOST-a=b', undefined],
    ['=__Host-a=b', undefined],
    ['', '; Path=/shop'],
  ]
  for (const [said, crosses] of table) t.equal(confinedCookie(said, '/shop'), crosses, said)
  t.equal(confinedCookie('a=b; Path=/', ''), undefined, 'it would be for every page')
})

t.test('U6 the paths of a service are what its routes begin with, and never hold a page of ours', async (t) => {
  const of = (...paths: string[]) => {
    const routes = paths.map((path) => ({ path, upstream: 'one' }))
    const others = ['/elsewhere', '/svc/b/**'].map((path) => ({ path, upstream: 'other' }))
    return routes.map(atOnce(cookiePaths([...routes, ...others])))
  }
  t.same(of('/shop/**'), ['/shop'])
  t.same(of('/shop'), ['/shop'])
  t.same(of('/shop/{id}/items'), ['/shop'])
  t.same(of('/shop/cart/**', '/shop/items/{id}'), ['/shop', '/shop'])
  t.same(of('/shop/**', '/shopping/**'), ['/shop', '/shopping'])
  t.same(of('/shop/**', '/news/**'), ['/shop', '/news'])
  t.same(of('/api/v2/orders/**', '/api/v2/things'), ['/api/v2/orders', '/api/v2/things'], 'endpoints are below /api/v2')
  t.same(of('/svc/a/**', '/svc/c/**'), ['/svc/a', '/svc/c'], 'between them is another service')
  t.same(of('/', '/shop/**'), ['', '/shop'])
  t.same(of('/a/b;c/d/**'), ['/a'])
  t.same(of('/a/'), ['/a'])
})

t.test('U6 through the gate', async (t) => {
  const upstream = await recordingUpstream(t, (_request, response) => {
    response.setHeader('set-cookie', ['a=1; Path=/', 'b=2; Path=/shop/cart', `c=${'x'.repeat(3_900)}; Path=/portal`])
    response.end()
  })
  const gate = await openGate(t, {
    upstreams: { shop: { target: upstream.target } as never },
    routes: [
      { path: '/shop/cart/{id}', methods: { GET: 'public' } },
      { path: '/shop/items/**', methods: { GET: 'public' } },
    ],
  })
  const { headers } = await rawRequest(gate, `GET /shop/items/7 HTTP/1.1\r\n${viaProxy}\r\n`)
  t.same(
    headers.get('set-cookie')?.map((one) => one.replace(/x+/, 'x')),
    ['a=1; Path=/shop', 'b=2; Path=/shop/cart', 'c=x; Path=/shop'],
  )
})
