import fc from 'fast-check'
import Router from 'find-my-way'
import t from 'tap'
import { createAddressBeginnings } from '../../src/http/requests/address-beginnings.js'
import { exactRouting } from '../../src/http/requests/addresses.js'
import { canonicalTarget } from '../../src/http/requests/canonical-target.js'

const patterns = [
  '/',
  '/login',
  '/a/:b',
  '/a/:b/c',
  '/api/v2/keys/:id/rotate',
  '/api/v2/keys',
  '/docs/*',
  '/:api(^[Aa][Pp][Ii]$)/:v2(^[Vv]2$)/:token(^[Tt]oken$)',
  '/:author(^[Aa]uthor$):ize(^[Ii]ze$)/x',
  '/x/:one-:two/y',
  '/.well-known/openid-configuration',
]
const words = [
  'a',
  'A',
  'api',
  'API',
  'v2',
  'V2',
  'keys',
  'token',
  'Token',
  'docs',
  'login',
  'x',
  '1-2',
  'y',
  'c',
  '',
  '%20',
  'a%2Fb',
]
const more = ['rotate', 'authorize', 'AuthorIze', '.well-known', 'openid-configuration', 'a%3Ab', 'é']

t.test('no address that a router finds is ruled out by the beginning of its path', async (t) => {
  const beginnings = createAddressBeginnings()
  const router = Router(exactRouting)
  const add = (pattern: string) => {
    router.on('GET', pattern, () => undefined)
    beginnings.add(pattern)
  }
  for (const pattern of patterns.slice(0, 4)) add(pattern)
  t.equal(beginnings.mayHave('/docs/1'), false)
  for (const pattern of patterns.slice(4)) add(pattern)
  t.equal(beginnings.mayHave('/docs/1'), true)
  const segment = fc.constantFrom(...words, ...more)
  const path = fc.array(segment, { maxLength: 6 }).map((all) => `/${all.join('/')}`)
  fc.assert(
    fc.property(path, (raw) => {
      const target = canonicalTarget(raw)
      if (!target.ok) return true
      return router.find('GET', target.path) === null || beginnings.mayHave(target.path)
    }),
    { numRuns: 20_000 },
  )
})

t.test('what begins otherwise is ruled out', async (t) => {
  const beginnings = createAddressBeginnings()
  for (const pattern of [
    '/login',
    '/api/v2/keys/:id',
    '/:api(^[Aa][Pp][Ii]$)/:v2(^[Vv]2$)/:oauth(^[Oo]auth$)/:token(^[Tt]oken$)',
  ]) {
    beginnings.add(pattern)
  }
  for (const path of ['/api/v2/bench/1', '/api/v2/key', '/Login', '/log', '/api/v3/keys/1']) {
    t.equal(beginnings.mayHave(path), false, path)
  }
  for (const path of ['/login', '/api/v2/keys/1', '/API/V2/Oauth/x', '/api/v2'])
    t.equal(beginnings.mayHave(path), true, path)
})

t.test('neither many patterns nor invented paths make it slower', async (t) => {
  const few = createAddressBeginnings()
  const many = createAddressBeginnings()
  few.add('/api/v2/keys')
  for (let n = 0; n < 20_000; n += 1) many.add(`/api/v2/room-${n}`)
  const time = (beginnings: typeof few) => {
    const before = process.cpuUsage()
    for (let n = 0; n < 20_000; n += 1) beginnings.mayHave(`/api/v2/path-${n}/x`)
    return process.cpuUsage(before).user / 1000
  }
  time(few)
  const [small, large] = [time(few), time(many)]
  t.ok(large < 20 * small + 100, `${large.toFixed(1)} ms of processor, few ${small.toFixed(1)} ms`)
})
