// What a name may be (decision 0101): identity L2, M9.

import t from 'tap'
import { type Named, nameProblem } from '../../src/naming/name-problem.js'
import { hasLookalikes } from '../../src/naming/scripts.js'
import { formsOf, looksLike } from '../../src/naming/skeleton.js'
import { badNames, goodNames } from '../support/models/names.js'
import { mistakesOf } from '../support/settings/config-file.js'

const shown = ['application', 'publisher', 'tenant', 'api'] as const satisfies readonly Named[]

t.test('identity L2: names of every language may be', async (t) => {
  for (const name of goodNames) {
    for (const named of shown) t.equal(nameProblem(name, named)?.message, undefined, `${named} ${name}`)
  }
})

t.test('identity L2: invisible, disguised, mixed and vouching names may not be', async (t) => {
  for (const { name, why, code } of badNames) {
    for (const named of shown) {
      const problem = nameProblem(name, named)
      t.match(problem?.message, why, `${named} ${JSON.stringify(name)}`)
      t.equal(problem?.kind, code === 'NameReserved' ? 'reserved' : 'malformed', name)
      t.notMatch(problem?.message, /[^\x20-\x7e]|["\\]/, 'the answer is plain ASCII (RFC 6749 §5.2)')
    }
  }
})

t.test('identity L2: the offending character is named with its place', async (t) => {
  t.match(nameProblem('Ph\u202eone', 'application')?.message, /U\+202E at place 3 changes the direction/)
  t.match(nameProblem('𝐀pp', 'label')?.message, /U\+1D400 at place 1 .*write A/)
  t.match(nameProblem('Pаy', 'person')?.message, /Latin and Cyrillic/)
})

t.test('identity M9: names do not lead anywhere', async (t) => {
  const addresses = [
    'https://evil.example',
    'Go to evil.com',
    'www.evil.zz',
    'mail me@evil.io',
    'evil。com',
    'pay.ｃｏｍ now',
    '10.0.0.1',
  ]
  for (const name of addresses) {
    for (const named of shown) t.ok(nameProblem(name, named), `${named} ${name}`)
  }
  t.ok(nameProblem('See https://evil.example', 'person'))
  t.equal(nameProblem('contoso.com', 'publisher'), undefined, 'a publisher may be called by its domain')
  t.ok(nameProblem('contoso.com', 'application'))
  for (const name of [
    'Node.js docs',
    'v2.0',
    'ASP.NET samples',
    'A.B.C. Ltd',
    'and/or',
    'main.py',
    'St. Gallen',
    'e.g. this',
  ]) {
    t.equal(nameProblem(name, 'application')?.message, undefined, name)
  }
  for (const name of ['Node.js docs', 'Contoso @ evil', 'St.Gallen']) t.ok(nameProblem(name, 'tenant'), name)
  t.equal(nameProblem('A.B.C. Ltd', 'tenant'), undefined)
  t.equal(nameProblem('build.contoso.com', 'label'), undefined, 'a label is for the person who looks after the thing')
})

t.test('identity L2: an operator who vouches for a name lets it say so', async (t) => {
  t.equal(nameProblem('Official Contoso ✅', 'application', true), undefined)
  t.ok(nameProblem('Offic\u200bial', 'application', true), 'but nothing invisible')
})

t.test('identity L2: names that look alike have a form in common', async (t) => {
  const same: [string, string][] = [
    ['Apple', 'аррӏе'],
    ['Payroll', 'PAYROLL'],
    ['Payroll', '𝐏𝐚𝐲𝐫𝐨𝐥𝐥'],
    ['Payroll', 'Ｐａｙｒｏｌｌ'],
    ['Payroll', 'ᴘᴀʏʀᴏʟʟ'],
    ['Payroll', 'PayroII'],
    ['Payroll', 'Pay-roll'],
    ['Modern', 'Modem'],
    ['Google', 'Goo\u0261le'],
    ['Ⅰnbox', 'lnbox'],
    ['Банк', 'БАНК'],
  ]
  for (const [one, other] of same) t.equal(looksLike(one, other), true, `${one} ${other}`)
  for (const [one, other] of [
    ['Müller', 'Muller'],
    ['C++', 'C#'],
    ['Orders', 'Orders 2'],
    ['🚲', '🚗'],
    ['東京', '京都'],
  ]) {
    t.equal(looksLike(one ?? '', other ?? ''), false, `${one} ${other}`)
  }
})

t.test('identity L2: pages warn of whole words in another alphabet that look Latin', async (t) => {
  for (const name of ['аррӏе', 'Pаypal', 'ΤΟΜΗ', 'Pay рау']) t.equal(hasLookalikes(name), true, name)
  for (const name of ['Москва', 'Ελλάδα', 'Яндекс Docs', 'Apple', '東京 app', 'Caffè'])
    t.equal(hasLookalikes(name), false, name)
})

t.test('identity L2: the configuration names no provider by what cannot be seen', async (t) => {
  const label = (text: string) =>
    `signIn: { providers: { entra: { label: "${text}", issuer: https://login.example } } }\n`
  const said = (text: string) => mistakesOf(t, label(text)).filter((each) => each.includes('.label'))
  t.match(said('En\\u202Etra'), [/U\+202E at place 3/])
  t.same(said('Entra ID'), [])
})

t.test('identity L2: what a name is held against costs no more the longer others’ names are', async (t) => {
  const sentence = '\ufdfa'
  t.match(nameProblem(sentence.repeat(120), 'application'), { kind: 'malformed', message: /write those out/ })
  t.equal(nameProblem(`${sentence} 東京`, 'application'), undefined)
  t.equal(formsOf('Payroll of Contoso'), formsOf('Payroll of Contoso'), 'worked out once, however many names are given')
})
