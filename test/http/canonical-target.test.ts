import fc from 'fast-check'
import t from 'tap'
import { canonicalTarget } from '../../src/http/requests/canonical-target.js'

const path = (raw: string) => {
  const target = canonicalTarget(raw)
  return target.ok ? target.path : `refused: ${target.reason}`
}

t.test('P1 a target has one spelling after canonicalisation (RFC 3986 §6.2.2)', async (t) => {
  const table: [string, string][] = [
    ['/', '/'],
    ['/api/v2/me', '/api/v2/me'],
    ['/api/v2/me/', '/api/v2/me/'],
    ['/%61pi/v2/me', '/api/v2/me'],
    ['/api/v2/./admin', '/api/v2/admin'],
    ['/api/v2/%2e/admin', '/api/v2/admin'],
    ['/api/v2//admin', '/api/v2/admin'],
    ['//admin', '/admin'],
    ['/api/v2/./a//b', '/api/v2/a/b'],
    ['/a/.', '/a/'],
    ['/./', '/'],
    ['/a/%c3%a9%7Eb', '/a/%C3%A9~b'],
    ['/a/b%20c', '/a/b%20c'],
    ['/a/100%25', '/a/100%25'],
    ['/a/%3Bx', '/a/%3Bx'],
    ['/.well-known/x', '/.well-known/x'],
    ["/a/Items(1)/it's", "/a/Items(1)/it's"],
    ['/a/%28%29%27%2A%21', "/a/()'*!"],
    ['/a/...b', '/a/...b'],
  ]
  for (const [raw, expected] of table) t.equal(path(raw), expected, raw)
})

t.test('P1 targets that two readers could read differently are refused', async (t) => {
  const table: [string, string][] = [
    ['/api/v2/x\\..\\..\\admin', 'backslash'],
    ['/api/v2/x\\.\\admin', 'backslash'],
    ['/api/v2/\\\\evil/x', 'backslash'],
    ['/api/v2/x%5c..%5cadmin', 'encoded_separator'],
    ['/api/v2/a%2f..%2fb', 'encoded_separator'],
    ['/api/v2/..%2fb', 'encoded_separator'],
    ['/api/v2/%2e%2fb', 'encoded_separator'],
    ['/api/v2/a%2f%2Fb', 'encoded_separator'],
    ['/api/v2/%2fb', 'encoded_separator'],
    ['/api/v2/a%2f', 'encoded_separator'],
    ['/api/v2/a%2f/b', 'encoded_separator'],
    ['/api/v2/a%2f.', 'encoded_separator'],
    ['/api/v2/a%252fb', 'double_encoding'],
    ['/api/v2/a%5cb', 'encoded_separator'],
    ['/api/v2/%2e%2e/admin', 'dot_segment'],
    ['/api/v2/../admin', 'dot_segment'],
    ['/api/v2/.%2e/admin', 'dot_segment'],
    ['/api/v2/..%20/admin', 'dot_segment'],
    ['/api/v2/.../admin', 'dot_segment'],
    ['/api/v2/..;/admin', 'path_parameter'],
    ['/api/v2/admin;x', 'path_parameter'],
    ['/api/v2/%00', 'encoded_control'],
    ['/api/v2/%0d%0ax', 'encoded_control'],
    ['/api/v2/%7f', 'encoded_control'],
    ['/api/v2/%252e%252e/admin', 'double_encoding'],
    ['/api/v2/%25%32%65/admin', 'double_encoding'],
    ['/api/v2/%2/x', 'bad_escape'],
    ['/api/v2/%zz', 'bad_escape'],
    ['/api/v2/%', 'bad_escape'],
    ['/api/v2/%c0%ae%c0%ae/admin', 'bad_utf8'],
    ['/api/v2/%ff', 'bad_utf8'],
    ['/api/v2/me#f', 'fragment'],
    ['/api/v2/me?a=1#f', 'fragment'],
    ['/api/v2/me?a=\\', 'backslash'],
    ['/api/v2/me?a=%00', 'encoded_control'],
    ['/api/v2/me?a=%f', 'bad_escape'],
    ['/api/v2/me?a="', 'illegal_character'],
    ['/api/v2/a b', 'illegal_character'],
    ['/api/v2/a\u00e9', 'illegal_character'],
    ['/api/v2/{id}', 'illegal_character'],
    ['*', 'target_form'],
    ['', 'target_form'],
    ['me', 'target_form'],
    ['ftp://host/x', 'target_form'],
    ['http://user@host/x', 'target_form'],
    ['http://host?x', 'target_form'],
    ['http:/x', 'target_form'],
  ]
  for (const [raw, reason] of table) t.equal(path(raw), `refused: ${reason}`, raw)
})

t.test(
  'the query is kept as it was sent, and the authority of an absolute target is reported (RFC 9112 §3.2.2)',
  async (t) => {
    t.same(canonicalTarget('/a?b=%2F&c=[1]&c'), { ok: true, path: '/a', query: 'b=%2F&c=[1]&c' })
    t.same(canonicalTarget('/a?'), { ok: true, path: '/a', query: '' })
    t.same(canonicalTarget('http://Evil:80/a/./b'), { ok: true, path: '/a/b', query: undefined, authority: 'Evil:80' })
    t.same(canonicalTarget('https://h'), { ok: true, path: '/', query: undefined, authority: 'h' })
  },
)

t.test('gateway L5: an encoded slash is marked, so that only a route that says so takes it', async (t) => {
  const expected = { ok: true, path: '/npm/@scope%2Fname', query: undefined, encodedSlash: true }
  t.same(canonicalTarget('/npm/@scope%2fname'), expected)
  t.same(canonicalTarget('/npm//./%40scope%2Fname').ok, true)
  t.equal('encodedSlash' in canonicalTarget('/a?b=%2F'), false)
})

t.test('P1 the canonical form is a fixed point and has no way up', async (t) => {
  const piece = fc.constantFrom(
    ...'/./..//%2e%2E%2f%5c%25%252e\\;#?aA~%61%41%7e!()*'.match(/%[0-9a-fA-F]{2}|./g)!,
    '..',
    '%c3%a9',
    ' ',
  )
  const check = () =>
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const target = canonicalTarget(`/${pieces.join('')}`)
        if (!target.ok) return true
        const again = canonicalTarget(target.path)
        const decoded = decodeURIComponent(target.path)
        return (
          again.ok &&
          again.path === target.path &&
          !/(?:^|\/)\.{1,2}(?:\/|$)/.test(decoded) &&
          !/[\\\u0000#;]/.test(target.path) &&
          new URL(`http://h${target.path}`).pathname === target.path
        )
      }),
      { numRuns: 20_000 },
    )
  t.equal(check(), undefined)
})
