// How a name is shown that somebody else chose: names of every language as they are written, and nothing unseen in them.

import t from 'tap'
import { plainClientName } from '../../src/client-documents/client-name.js'
import { shownName } from '../../src/naming/shown-name.js'
import { goodNames } from '../support/models/names.js'

t.test('names of every language are shown as they are', async (t) => {
  const names = [
    ...goodNames,
    'Trợ lý Hà Nội Việt Nam',
    'सहायक बाज़ों का क्षेत्र',
    'क्\u200dष',
    'مساعد اللّٰهِ',
    'می\u200cخواهم',
    'עוֹזֵר שָׁלוֹם שּׁ',
    'ผู้ช่วยที่รู้จัก ปั๊ม',
    '도우미 한국어',
    'ဗမာ ကျွန်ုပ်',
    'བསྒྲུབས',
    'Agent 👩‍💻 ❤️ 👍🏽 🇫🇷 1️⃣',
    'ステータス・アシスタント',
    "O'Neill & Söhne #1",
  ]
  for (const name of names) t.equal(shownName(name), name.normalize('NFC').trim(), name)
})

t.test('G12 what is not seen is not there', async (t) => {
  const unseen = [
    ...[
      '\u00ad',
      '\u034f',
      '\u061c',
      '\u115f',
      '\u1160',
      '\u17b4',
      '\u180b',
      '\u180e',
      '\u200b',
      '\u200c',
      '\u200d',
      '\u200e',
    ],
    ...[
      '\u200f',
      '\u202a',
      '\u202e',
      '\u2060',
      '\u2064',
      '\u2066',
      '\u2069',
      '\u2800',
      '\u3164',
      '\ufe00',
      '\ufe0e',
      '\ufe0f',
    ],
    ...['\ufeff', '\uffa0', '\ufff9', '\ufffc', '\u{1d159}', '\u{1d173}', '\u{13441}', '\u{13442}', '\u{16fe4}'],
    ...['\u{e0001}', '\u{e0041}', '\u{e007f}', '\u{e0100}', '\u0007', '\u009b', '\ud800', '\ue000', '\uffff'],
  ]
  for (const each of unseen) {
    const code = JSON.stringify(each)
    t.equal(shownName(`Your${each} Ba${each}${each}nk${each}`), 'Your Bank', code)
    t.equal(shownName(each.repeat(3)), '', `${code} alone`)
  }
  t.equal(shownName('\u2028a\u2029\u00a0\u3000b\u2003'), 'a b', 'spaces are one space')
  t.equal(shownName('د\u200cر'), 'در', 'a joiner that changes nothing')
  t.equal(shownName('👍\u200d\u200d👍'), '👍\u200d👍')
  for (const empty of ['', ' ', '\u0301', ' \u0489\u20dd ', '\u0e47\u0e47'])
    t.equal(shownName(empty), '', JSON.stringify(empty))
})

t.test('marks do not pile up', async (t) => {
  const cases: readonly (readonly [string, string])[] = [
    ['Q\u0300\u0301\u0302\u0303\u0304x', 'Q\u0300\u0301x'],
    ['Q\u0301\u0301\u0301', 'Q\u0301'],
    ['Q\u200b\u0300\u200b\u0301\u034f\u0302', 'Q\u0300\u0301'],
    ['\u0301Bank \u0302x', 'Bank x'],
    ['B\u0488\u20ddank', 'Bank'],
    ['\u0e2a\u0e47\u0e47\u0e47\u0e47', '\u0e2a\u0e47'],
    ['\u0e2a\u0e47\u0e49\u0e4a\u0e4b', '\u0e2a\u0e47\u0e49'],
    ['\u05e9\u05b0\u05b1\u05b2\u05b3\u05b4\u05b5', '\u05e9\u05b0\u05b1\u05b2\u05b3'],
  ]
  for (const [name, shown] of cases) t.equal(shownName(name), shown.normalize('NFC'), JSON.stringify(name))
  t.equal(shownName(`Q${'\u0301\u0302'.repeat(200_000)}`), 'Q\u0301\u0302', 'in linear time')
})

t.test('what a client calls itself has at most 64 characters', async (t) => {
  t.equal(plainClientName('x'.repeat(64)), 'x'.repeat(64))
  t.equal(plainClientName('x'.repeat(65)), `${'x'.repeat(63)}…`)
  t.equal(plainClientName(`${'x'.repeat(61)}👩\u200d👩\u200d👩`), `${'x'.repeat(61)}👩…`, 'cut inside an emoji')
  t.equal(plainClientName('\u2800\u3164'), '')
})
