// P20 Beyond ASCII there are letters, widths and marks that some servers take for others, and some signs may be escaped or
// not. A path that one of them would read as that of a guarded neighbour is nobody's.

import fc from 'fast-check'
import t from 'tap'
import { atOnce } from '../../../src/config/reload/steps.js'
import { compileMatcher, routerPattern } from '../../../src/gateway/routes/matcher.js'
import { canonicalTarget } from '../../../src/http/requests/canonical-target.js'

const matcher = (...paths: string[]) =>
  atOnce(compileMatcher(paths.map((path) => ({ shape: routerPattern(path), exact: !/[{*]/.test(path), path }))))

/** Which route the gate takes a request target for; undefined is a 404. */
function reading(paths: string[], target: string): string | undefined {
  const canonical = canonicalTarget(target)
  return canonical.ok ? matcher(...paths).find(canonical.path)?.path : undefined
}

const routes = ['/t/**', '/t/admin/**', '/t/secret/{id}', '/t/strasse', '/t/@scope/**', '/t/a&b+c=d', '/t/api-keys/**']

t.test('P20 a path that somebody could read as the neighbour’s is nobody’s', async (t) => {
  const targets = {
    'a letter without a dot': '/t/adm%C4%B1n/x',
    'the same as capital': '/t/ADM%C4%B0N/x',
    'the long s': '/t/%C5%BFecret/1',
    'a letter that is two': '/t/stra%C3%9Fe',
    'the same as capital, which is three': '/t/STRA%E1%BA%9EE',
    'full width': '/t/%EF%BD%81dmin/x',
    'in a circle': '/t/%E2%93%90dmin/x',
    'nothing that is seen': '/t/%E2%80%8Badmin/x',
    'a soft hyphen within': '/t/ad%C2%ADmin/x',
    'a soft hyphen for one that is seen': '/t/api%C2%ADkeys/x',
    'a dash for a hyphen': '/t/api%E2%80%90keys/x',
    'a byte order mark': '/t/%EF%BB%BFadmin/x',
    'a control character of C1': '/t/ad%C2%80min/x',
    'an annotation': '/t/admin%EF%BF%B9/x',
    'a line that only joins': '/t/admin%D9%80/x',
    'a slash of another width': '/t/admin%EF%BC%8Fx',
    'a backslash of another width': '/t/admin%EF%BC%BCx',
    'the slash of fractions': '/t/admin%E2%81%84x',
    'a slash of mathematics': '/t/admin%E2%88%95x',
    'a yen, which is a backslash in Japan': '/t/admin%C2%A5x',
    'two slashes of another width': '/t/%EF%BC%8F%EF%BC%8Fadmin/x',
    'an accent': '/t/%C3%A2dmin/x',
    'an accent of its own': '/t/a%CC%82dmin/x',
    'a stroke': '/t/a%C4%91min/x',
    'dots of another width': '/t/x/%EF%BC%8E%EF%BC%8E/admin/x',
    'one dot, and a leader of two': '/t/x/%E2%80%A5/admin',
    'dots and a blank of another width': '/t/x/..%C2%A0/admin',
    'a blank of another width at the end': '/t/admin%C2%A0/x',
    'nothing seen between two slashes': '/t/%E2%80%8B/admin/x',
    'an escaped sign': '/t/%40scope/x',
    'an escaped sign, and other letters': '/t/%40SCOPE/x',
    'several of them': '/t/a%26b%2Bc%3Dd',
  }
  for (const [name, target] of Object.entries(targets)) t.equal(reading(routes, target), undefined, name)
})

t.test('P20 what nobody could read as another one is what it is', async (t) => {
  const names = [
    'テスト',
    'Ａ／Ｂ.pdf',
    'https：／／x',
    '100％',
    'a？b＃c＊',
    'Straße 7',
    'İstanbul',
    '½ Liter',
    '안녕',
    'สวัสดี',
    'नमस्ते',
    'مرحبا',
    '👩‍💻',
    'mail@x.org',
    'a&b',
    '@other',
    'e\u0301té',
    '\u200b',
    'admin ￥',
  ]
  for (const name of names) {
    const target = `/t/${encodeURIComponent(name)}`
    t.equal(reading(routes, target), '/t/**', name)
    t.equal(reading(['/files/{name}', '/other/**'], `/files/${encodeURIComponent(name)}`), '/files/{name}', name)
  }
  t.equal(reading(routes, '/t/secret/%E2%84%AA'), '/t/secret/{id}')
  t.equal(reading(routes, '/t/@scope/x'), '/t/@scope/**')
  t.equal(reading(routes, '/t/a&b+c=d'), '/t/a&b+c=d')
  t.equal(
    reading(['/**', '/files/{name}'], '/files/A%EF%BC%8FB.pdf'),
    undefined,
    'this one could be of the other route',
  )
})

t.test('P20 whatever a target is made of, a fold of it finds no guarded route that it did not', async (t) => {
  const table = matcher(...routes)
  const signs = [...'adminsecrt./\\ @&+='].concat(
    'ı',
    'İ',
    'ſ',
    'ａ',
    '．',
    '／',
    '\u200b',
    '\u00ad',
    '\u0307',
    'K',
    '%',
  )
  const property = fc.property(fc.array(fc.constantFrom(...signs), { maxLength: 12 }), (letters) => {
    const canonical = canonicalTarget(`/t/${encodeURIComponent(letters.join('')).replaceAll('%2F', '/')}`)
    if (!canonical.ok) return true
    const found = table.find(canonical.path)
    if (found === undefined || found.path !== '/t/**') return true
    const plain = decodeURIComponent(canonical.path)
      .normalize('NFKC')
      .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
      .toUpperCase()
      .toLowerCase()
    return !/^\/t\/(?:admin\/|secret\/[^/]+$)/.test(plain)
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 5_000 }))
})

t.test('P20 what a hostile path costs grows with its length alone', async (t) => {
  const table = matcher(...routes)
  /** The least of several, so that a machine that stands still meanwhile does not count. */
  const costOf = (path: string) => {
    let least = Number.POSITIVE_INFINITY
    for (let count = 0; count < 40; count += 1) {
      const began = performance.now()
      table.find(path)
      least = Math.min(least, performance.now() - began)
    }
    return least
  }
  for (const sign of ['%C2%AD', '%EF%BC%8F', 'a/%C3%A9/', '%EF%B7%BA', '%40']) {
    const long = (times: number) => `/t/${sign.repeat(Math.floor((1_000 * times) / sign.length))}`
    t.ok(costOf(long(8)) < 40 * Math.max(costOf(long(1)), 0.02), sign)
  }
})
