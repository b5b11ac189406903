// P20 Beyond ASCII there are letters, widths and marks that some servers take for others. A path that one of them would
// read as that of a guarded neighbour is nobody's.

import fc from 'fast-check'
import t from 'tap'
import { atOnce } from '../../../src/config/reload/steps.js'
import { compileMatcher, routerPattern } from '../../../src/gateway/routes/matcher.js'
import { canonicalTarget } from '../../../src/http/requests/canonical-target.js'

const matcher = (...paths: string[]) =>
  atOnce(
    compileMatcher(
      paths.map((path) => ({
        shape: routerPattern(encodeURI(path).replaceAll('%7B', '{').replaceAll('%7D', '}')),
        exact: !/[{*]/.test(path),
        path,
      })),
    ),
  )

/** Which route the gate takes a request target for; undefined is a 404. */
function reading(paths: string[], target: string): string | undefined {
  const canonical = canonicalTarget(target)
  return canonical.ok ? matcher(...paths).find(canonical.path)?.path : undefined
}

const routes = ['/t/**', '/t/admin/**', '/t/secret/{id}', '/t/käse']

t.test('P20 a path that somebody could read as the neighbour’s is nobody’s', async (t) => {
  const targets = {
    'a letter without a dot': '/t/adm%C4%B1n/x',
    'the same as capital': '/t/ADM%C4%B0N/x',
    'the long s': '/t/%C5%BFecret/1',
    'the sign of a kelvin, in a name': '/t/%E2%84%AA%C3%A4se',
    'full width': '/t/%EF%BD%81dmin/x',
    'nothing that is seen': '/t/%E2%80%8Badmin/x',
    'a soft hyphen within': '/t/ad%C2%ADmin/x',
    'a byte order mark': '/t/%EF%BB%BFadmin/x',
    'a slash of another width': '/t/admin%EF%BC%8Fx',
    'a backslash of another width': '/t/admin%EF%BC%BCx',
    'taken apart': '/t/ka%CC%88se',
    'without its accent': '/t/kase',
    'with an accent': '/t/%C3%A2dmin/x',
    'capitals beyond ASCII': '/t/K%C3%84SE',
    'dots of another width': '/t/x/%EF%BC%8E%EF%BC%8E/admin/x',
    'one dot, and a leader of two': '/t/x/%E2%80%A5/admin',
    'a blank of another width at the end': '/t/admin%C2%A0/x',
    'nothing seen between two slashes': '/t/%E2%80%8B/admin',
  }
  for (const [name, target] of Object.entries(targets)) t.equal(reading(routes, target), undefined, name)
})

t.test('P20 what nobody could read as another one is what it is', async (t) => {
  t.equal(reading(routes, '/t/k%C3%A4se'), '/t/käse')
  t.equal(reading(routes, '/t/%E3%83%86%E3%82%B9%E3%83%88'), '/t/**')
  t.equal(reading(routes, '/t/secret/%E2%84%AA'), '/t/secret/{id}')
  t.equal(reading(routes, '/t/A%EF%BC%8FB.pdf'), '/t/**', 'a slash of another width in a name')
  t.equal(reading(routes, '/t/100%EF%BC%85'), '/t/**', 'a per cent sign of another width')
  t.equal(reading(routes, '/t/a%EF%BC%9Fb%EF%BC%83c%EF%BC%8A'), '/t/**')
  t.equal(
    reading(['/files/{name}', '/**'], '/files/A%EF%BC%8FB.pdf'),
    undefined,
    'this one could be of the other route',
  )
})

t.test('P20 routes beyond ASCII have neighbours as others have', async (t) => {
  const own = ['/{any}', '/straße', '/ſ/**', '/s/x', '/a：b']
  t.equal(reading(own, '/stra%C3%9Fe'), '/straße')
  t.equal(reading(own, '/STRASSE'), undefined)
  t.equal(reading(own, '/strasse'), undefined)
  t.equal(reading(own, '/s/x'), '/s/x')
  t.equal(reading(own, '/%C5%BF/y'), '/ſ/**')
  t.equal(reading(own, '/%C5%BF/x'), undefined)
  t.equal(reading(own, '/a%EF%BC%9Ab'), '/a：b')
})

t.test('P20 whatever a target is made of, a fold of it finds no guarded route that it did not', async (t) => {
  const table = matcher(...routes)
  const letter = fc.constantFrom(
    ...'adminsecrt./\\ ',
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
  const property = fc.property(fc.array(letter, { maxLength: 12 }), (letters) => {
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
