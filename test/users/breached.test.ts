// Passwords that have leaked, and those that are made of what everybody knows (identity L10, decision 0102).

import { createHash } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { breachFileProblem, isBreached } from '../../src/config/process/breach-file.js'
import { createTenant } from '../../src/directory/tenants/tenants.js'
import { acceptInvitation } from '../../src/users/accounts/accept-link.js'
import { createLink } from '../../src/users/accounts/one-time-links.js'
import { createUser } from '../../src/users/accounts/users.js'
import { changePassword } from '../../src/users/credentials/change-password.js'
import { checkNewPassword } from '../../src/users/credentials/password-rules.js'
import { openUsers } from '../support/rooms/users.js'
import { mistakesOf } from '../support/settings/config-file.js'

const sha1 = (text: string) => createHash('sha1').update(text).digest('hex').toUpperCase()
const leaked = (count: number) => Array.from({ length: count }, (_, n) => `leaked password number ${n}`)
const fileOf = (passwords: readonly string[], end = '\r\n') =>
  passwords
    .map((each, n) => `${sha1(each)}:${n + 1}${end}`)
    .sort()
    .join('')

t.test('identity L10: a password is found in a sorted file, wherever it stands', async (t) => {
  const file = join(t.testdir(), 'pwned.txt')
  for (const [count, end] of [
    [1, '\r\n'],
    [2, '\n'],
    [3, '\r\n'],
    [1000, '\r\n'],
    [1001, '\n'],
  ] as const) {
    writeFileSync(file, fileOf(leaked(count), end))
    t.equal(breachFileProblem(file), undefined, `${count} lines`)
    const found = await Promise.all(leaked(count).map((each) => isBreached(file, each)))
    t.equal(found.filter(Boolean).length, count, `all of ${count} are found`)
    for (const each of leaked(200)) t.equal(await isBreached(file, `${each}!`), false)
  }
  writeFileSync(file, fileOf(leaked(50)).trimEnd())
  t.same(
    await Promise.all(leaked(50).map((each) => isBreached(file, each))),
    leaked(50).map(() => true),
    'no line end at the end',
  )
  writeFileSync(file, fileOf(leaked(50)).toLowerCase())
  t.equal(await isBreached(file, 'leaked password number 7'), true, 'small letters')
  const beginnings = leaked(50).map((each) => sha1(each).slice(0, 12))
  writeFileSync(file, `${beginnings.sort().join('\n')}\n`)
  t.equal(await isBreached(file, 'leaked password number 7'), true, 'beginnings of hashes')
  t.equal(await isBreached(file, 'another one that is not there'), false)
})

t.test(
  'identity L10: a file that is away, empty, unsorted or of something else is a mistake at the start',
  async (t) => {
    const file = join(t.testdir(), 'pwned.txt')
    const problem = (text: string) => {
      writeFileSync(file, text)
      return breachFileProblem(file)
    }
    t.match(breachFileProblem(join(t.testdir(), 'nothing')), /cannot be read \(ENOENT\)/)
    t.match(breachFileProblem(t.testdir()), /is no file/)
    t.match(problem(''), /is no file with anything in it/)
    t.match(problem('password\n123456\n'), /line that is no SHA-1/)
    t.match(problem(`${fileOf(leaked(20)).split('\r\n').reverse().join('\r\n')}\r\n`), /SHA-1|not sorted/)
    t.match(problem(`${leaked(20).map(sha1).sort().reverse().join('\n')}\n`), /is not sorted/)
    t.match(problem(`${leaked(5000).map(sha1).join('\n')}\n`), /is not sorted/)
    const text = `permissions: { P.Read: { describe: Read } }\nsignIn: { breachedPasswords: nowhere.txt }\n`
    t.match(mistakesOf(t, text), [/^2:\d+ signIn\.breachedPasswords: cannot be read/])
  },
)

t.test(
  'identity L10: a leaked password is refused wherever one is set; a file that is replaced counts at once',
  async (t) => {
    const testApp = await openUsers(t)
    const file = join(t.testdir(), 'pwned.txt')
    const bad = 'seven purple lanterns sway'
    writeFileSync(file, fileOf([bad, ...leaked(100)]))
    const users = { ...testApp.users, settings: { ...testApp.users.settings, breachedPasswords: file } }
    const refused = { code: 'PasswordRefused', message: /leaked/ }
    await t.rejects(createUser(users, { email: 'ada@x.test', name: 'Ada', password: bad }), refused)
    const good = 'nine quiet herons wander'
    const { userId } = await createUser(users, { email: 'ada@x.test', name: 'Ada', password: good })
    await t.rejects(changePassword(users, { userId, current: good, next: bad, address: '192.0.2.1' }), refused)
    const { tenantId } = await createTenant(testApp.writes, { name: 'Contoso' })
    const { url } = await createLink(users, { purpose: 'invitation', tenantId, email: 'eve@x.test', role: 'member' })
    const secret = url.split('/').at(-1) ?? ''
    await t.rejects(acceptInvitation(users, secret, { name: 'Eve', password: bad }), refused)
    const named = { code: 'PasswordRefused', message: /organisation/ }
    await t.rejects(acceptInvitation(users, secret, { name: 'Eve', password: 'herons of Contoso 77' }), named)
    writeFileSync(file, fileOf(leaked(100)))
    t.ok(await acceptInvitation(users, secret, { name: 'Eve', password: bad }))
    rmSync(file)
    await t.rejects(
      createUser(users, { email: 'bob@x.test', name: 'Bob', password: good }),
      { code: 'ENOENT' },
      'never unasked',
    )
  },
)

t.test('identity L10: names of the organisation and of its domain are no part of a password', async (t) => {
  const person = { email: 'ada@mail.fabrikam.co.uk', name: 'Ada', tenants: ['Contoso Nord GmbH', ''] }
  for (const password of [
    'my-contoso-herons-9',
    'ContosoNordGmbH',
    'herons at contoso nord gmbh',
    'fabrikam herons 12',
    'mail.fabrikam.co.uk1',
  ]) {
    t.throws(
      () => checkNewPassword(password, person, 8),
      { code: 'PasswordRefused', message: /organisation/ },
      password,
    )
  }
  for (const password of ['nine quiet herons wander', 'nordic herons wander', 'company of nine herons']) {
    t.ok(checkNewPassword(password, { ...person, tenants: ['Contoso Nord Company'] }, 8), password)
  }
})
