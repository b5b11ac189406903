// Scope lists: how they are written, what they mean, and what is answered.

import t from 'tap'
import { parseScopeList, readScopeList } from '../../src/oauth/requests/scope.js'
import { readScopeRequest, responseScope } from '../../src/oauth/requests/scope-request.js'

const known = new Set(['a', 'b', 'c', 'odd/id'])
const read = (text: string) => readScopeRequest(parseScopeList(text), (id) => known.has(id))

t.test('T20 commas, spaces and mixed separators give the same list, without empties and repetitions', async (t) => {
  for (const text of ['a,b,c', 'a b c', 'a, b ,c', ',a,,b;c'.replace(';', '\t'), ' a\r\nb\u00a0c ', 'a,b,a,c,b']) {
    t.same(parseScopeList(text), ['a', 'b', 'c'], JSON.stringify(text))
  }
  for (const text of ['', ' ', ',', ' , ,\t']) t.same(parseScopeList(text), [], JSON.stringify(text))
})

t.test('T20 scope and requested_scopes are one parameter; different sets are invalid_request', async (t) => {
  t.same(readScopeList('a,b', undefined), ['a', 'b'])
  t.same(readScopeList(undefined, 'b a'), ['b', 'a'])
  t.same(readScopeList('a b', 'b,a,a'), ['a', 'b'], 'the order does not count')
  t.same(readScopeList(',', 'a'), ['a'], 'a list of nothing is absent')
  t.same(readScopeList(undefined, undefined), [])
  for (const [one, two] of [
    ['a', 'b'],
    ['a', 'a b'],
    ['a b', 'a'],
    ['a', 'A'],
  ]) {
    t.throws(() => readScopeList(one, two), { code: 'invalid_request', number: 90100 }, `${one} against ${two}`)
  }
})

t.test('default, .default and {resource}/.default stand for everything', async (t) => {
  t.same(read('default'), { kind: 'default', written: 'default', resource: undefined })
  t.same(read('.default'), { kind: 'default', written: '.default', resource: undefined })
  t.same(read('https://api.example/v1/.default'), {
    kind: 'default',
    written: 'https://api.example/v1/.default',
    resource: 'https://api.example/v1',
  })
  t.same(read('openid offline_access .default'), { kind: 'default', written: '.default', resource: undefined })
})

t.test('default mixed with anything but reserved words is invalid_scope', async (t) => {
  for (const text of ['default a', 'a .default', 'default .default', 'default https://api.example/.default']) {
    t.throws(() => read(text), { code: 'invalid_scope', number: 70011 }, text)
  }
})

t.test('single permissions, plain or behind their resource', async (t) => {
  t.same(read('a https://api.example/v1/b odd/id'), {
    kind: 'permissions',
    permissions: [
      { id: 'a', resource: undefined },
      { id: 'b', resource: 'https://api.example/v1' },
      { id: 'odd/id', resource: undefined },
    ],
  })
  t.same(
    read('Default'),
    { kind: 'permissions', permissions: [{ id: 'Default', resource: undefined }] },
    'ids have letter case',
  )
})

t.test('OpenID Connect words are dropped, and alone ask for nothing', async (t) => {
  t.same(read('openid a profile'), { kind: 'permissions', permissions: [{ id: 'a', resource: undefined }] })
  t.same(read('openid profile email offline_access address phone'), { kind: 'nothing' })
  t.same(read(''), { kind: 'nothing' })
})

t.test(
  'T18 the response names the scope only where it differs from the requested one, as sets of strings',
  async (t) => {
    const answer = (text: string, granted: string[]) => responseScope(parseScopeList(text), read(text), granted)
    t.equal(answer('a,b', ['b', 'a']), undefined, 'separators and order do not count')
    t.equal(answer('https://api.example/a b', ['a', 'b']), undefined, '{resource}/id counts as its id')
    t.equal(answer('openid a', ['a']), 'a', 'what was dropped makes a difference')
    t.equal(answer('a b', ['a']), 'a')
    t.equal(answer('default', ['a', 'b']), 'default a b', 'a default is echoed first, as it was written')
    t.equal(answer('openid https://api.example/.default', ['a']), 'https://api.example/.default a')
  },
)
