// GET and PATCH /api/v2/me over both sources.

import t from 'tap'
import { maxPictureLength } from '../../src/backend/picture.js'
import type { Profile } from '../../src/backend/source.js'
import { createSqlSource } from '../../src/backend/sql-source.js'
import { putMembership } from '../../src/storage/sql/people/memberships.js'
import { insertUser } from '../../src/storage/sql/people/users.js'
import { insertTenant } from '../../src/storage/sql/registrations/tenants.js'
import { now, openStore, profile, sources, tenantA, tenantB, testBackend } from '../support/rooms/backend-app.js'
import { dataUri, jpegs } from '../support/rooms/backend-pictures.js'

const contentType = 'application/json;odata.metadata=minimal;odata.streaming=true;IEEE754Compatible=false;charset=utf-8'
const ada = '5d3b6a0e-2f0b-4a38-a6b5-9f0a6e0d9c11'
const user = { idtyp: 'user' as const, sub: ada, scope: 'User.Read User.ReadWrite' }

/** The body that a profile becomes. */
function body(stored: Profile) {
  const { currencyExchange, ...rest } = stored
  return { ...rest, currencyISO: stored.currencyID.slice(0, 3), currencyExchange }
}

for (const { name, open } of sources) {
  t.test(`GET /api/v2/me (${name})`, async (t) => {
    const source = await open(t)
    const [own, users, others] = [profile(), profile({ publicName: 'Zoë 😀' }), profile()]
    await source.addProfile({ tenantId: tenantA, userId: null }, own)
    await source.addProfile({ tenantId: tenantA, userId: ada }, users)
    await source.addProfile({ tenantId: tenantB, userId: null }, others)
    const { call } = await testBackend(t, source)

    const answer = await call({ path: '/api/v2/me' })
    t.equal(answer.status, 200)
    t.equal(answer.headers['content-type'], contentType, 'the Content-Type of the specification, to the letter')
    t.equal(answer.headers['content-length'], String(Buffer.byteLength(answer.text)))
    t.equal(answer.headers['transfer-encoding'], undefined)
    t.match(answer.headers['request-id'], /^[0-9a-f-]{36}$/)
    t.same(answer.json, body(own), 'an application as itself sees the profile of its tenant')
    t.same(
      Object.entries(answer.json as object).map(([field, value]) => `${field} ${typeof value}`),
      [
        'id string',
        'publicName string',
        'idProvider string',
        'email string',
        'coverURL string',
        'avatarURL string',
        'followsCount number',
        'followersCount number',
        'enrollmentsCount number',
        'socialProfileID string',
        'cartID string',
        'walletID string',
        'currencyID string',
        'currencyISO string',
        'currencyExchange number',
      ],
      'all fifteen fields, in order, of their types',
    )
    t.same((await call({ path: '/api/v2/me' }, user)).json, body(users), 'an application for a user sees the user')
    t.same(
      (await call({ path: '/api/v2/me' }, { tid: tenantB })).json,
      body(others),
      'T22 the tenant is that of the assertion',
    )

    const head = await call({ path: '/api/v2/me', method: 'HEAD' })
    t.equal(head.status, 200)
    t.equal(head.headers['content-length'], answer.headers['content-length'])
    t.equal(head.text, '')
  })

  t.test(`GET /api/v2/me refuses (${name})`, async (t) => {
    const source = await open(t)
    await source.addProfile({ tenantId: tenantA, userId: ada }, profile())
    const { call } = await testBackend(t, source)
    const own = await call({ path: '/api/v2/me' })
    t.notMatch(own.text, profile().email, 'T22 a user’s profile is not taken for the tenant’s')
    t.equal((await call({ path: '/api/v2/me' }, { ...user, sub: 'bob' })).status, 404)
    t.equal(
      (await call({ path: '/api/v2/me' }, { ...user, tid: tenantB })).status,
      404,
      'U2 the user in another tenant',
    )
    t.match((await call({ path: '/api/v2/me?$select=email' }, user)).json, {
      error: { code: 'UnsupportedQueryOption' },
    })
    t.equal((await call({ path: '/api/v2/me?verbose=1' }, user)).status, 200, 'other names are not ours')
  })

  t.test(`the body of a GET is ignored (${name})`, async (t) => {
    const source = await open(t)
    await source.addProfile({ tenantId: tenantA, userId: null }, profile())
    const { call } = await testBackend(t, source)
    for (const text of ['{"id":1}', 'not json']) {
      t.equal((await call({ path: '/api/v2/me', body: text })).status, 200)
      t.equal(
        (await call({ path: '/api/v2/me', body: text, chunked: true, headers: { 'content-type': 'text/plain' } }))
          .status,
        200,
      )
    }
  })

  t.test(`PATCH /api/v2/me (${name})`, async (t) => {
    const source = await open(t)
    const [own, users] = [profile(), profile()]
    await source.addProfile({ tenantId: tenantA, userId: null }, own)
    await source.addProfile({ tenantId: tenantA, userId: ada }, users)
    const { call } = await testBackend(t, source)
    const change = {
      publicName: 'Ada 😀',
      coverURL: dataUri(jpegs.progressive),
      avatarURL: dataUri(jpegs.restarts),
      currencyID: 'GBP.GB',
    }
    const answer = await call({ path: '/api/v2/me', method: 'PATCH', body: change })
    t.equal(answer.status, 200)
    t.equal(answer.headers['content-type'], contentType)
    t.same(answer.json, { ...body(own), ...change, currencyISO: 'GBP' }, 'currencyID sets currencyISO')
    t.same((await call({ path: '/api/v2/me' })).json, answer.json, 'and it stays')
    t.same((await call({ path: '/api/v2/me' }, user)).json, body(users), 'the user’s profile is another one')

    t.same((await call({ path: '/api/v2/me', method: 'PATCH', body: { publicName: 'U' } }, user)).json, {
      ...body(users),
      publicName: 'U',
    })
    t.same(
      (await call({ path: '/api/v2/me', method: 'PATCH', body: {} }, user)).json,
      { ...body(users), publicName: 'U' },
      'nothing to change',
    )
    t.equal(
      (await call({ path: '/api/v2/me', method: 'PATCH', body: { publicName: '😀'.repeat(256) } })).status,
      200,
      '256 characters',
    )
    t.equal((await call({ path: '/api/v2/me', method: 'PATCH', body: { publicName: '' } })).status, 200)
    t.equal(
      (await call({ path: '/api/v2/me', method: 'PATCH', body: { publicName: 'x' } }, { ...user, tid: tenantB }))
        .status,
      404,
    )
  })

  t.test(`PATCH /api/v2/me refuses (${name})`, async (t) => {
    const source = await open(t)
    const own = profile()
    await source.addProfile({ tenantId: tenantA, userId: null }, own)
    const { call } = await testBackend(t, source)
    const patch = (value: unknown, headers = {}) => call({ path: '/api/v2/me', method: 'PATCH', body: value, headers })

    const readOnly = Object.keys(body(own)).filter(
      (field) => !['publicName', 'coverURL', 'avatarURL', 'currencyID'].includes(field),
    )
    t.equal(readOnly.length, 11)
    for (const field of readOnly) {
      const answer = await patch({ publicName: 'never', [field]: body(own)[field as keyof Profile] })
      t.equal(answer.status, 400, field)
      t.match(
        answer.json,
        { error: { code: 'ReadOnlyProperty', message: new RegExp(field), details: [{ target: field }] } },
        field,
      )
    }
    const several = await patch({ id: 'x', email: 'y', currencyISO: 'z' })
    t.match(several.json, { error: { message: /id, email, currencyISO/ } }, 'all of them are named')

    const wrong: [string, unknown, string][] = [
      ['an unknown field', { nickname: 'x' }, 'UnknownProperty'],
      ['__proto__', JSON.parse('{"__proto__":{"a":1}}'), 'UnknownProperty'],
      ['constructor', { constructor: 1 }, 'UnknownProperty'],
      ['257 characters', { publicName: 'x'.repeat(257) }, 'InvalidProperty'],
      ['one grapheme of 300 code points', { publicName: `e${'\u0301'.repeat(299)}` }, 'InvalidProperty'],
      ['a NUL', { publicName: 'admin\u0000x' }, 'InvalidProperty'],
      ['a line break', { publicName: 'a\r\nb' }, 'InvalidProperty'],
      ['an escape sequence', { publicName: '\u001b[31m' }, 'InvalidProperty'],
      ['half a surrogate pair', { publicName: '\ud83d' }, 'InvalidProperty'],
      ['a number for a name', { publicName: 5 }, 'InvalidProperty'],
      ['null', { publicName: null }, 'InvalidProperty'],
      ['a list', { publicName: ['x'] }, 'InvalidProperty'],
      ['currency without country', { currencyID: 'EUR' }, 'InvalidProperty'],
      ['currency in lower case', { currencyID: 'eur.de' }, 'InvalidProperty'],
      ['currency with more behind it', { currencyID: 'EUR.DE\n' }, 'InvalidProperty'],
      ['a picture that is an address', { avatarURL: 'https://example.com/a.jpg' }, 'InvalidProperty'],
      ['a picture that is a PNG', { avatarURL: `data:image/png;base64,${jpegs.baseline}` }, 'InvalidProperty'],
      ['a picture that is a page', { coverURL: dataUri(Buffer.from('<html>').toString('base64')) }, 'InvalidProperty'],
      ['a picture that is too long', { coverURL: dataUri('A'.repeat(maxPictureLength)) }, 'InvalidProperty'],
      ['a list as the body', [{}], 'InvalidBody'],
      ['a text as the body', '"x"', 'InvalidBody'],
      ['null as the body', 'null', 'InvalidBody'],
      ['no JSON', '{publicName}', 'InvalidJson'],
      ['JSON and more', '{}{}', 'InvalidJson'],
      ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'InvalidJson'],
      ['a byte order mark', Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d]), 'InvalidJson'],
    ]
    for (const [title, value, code] of wrong) {
      const answer = await patch(value)
      t.equal(answer.status, 400, title)
      t.match(answer.json, { error: { code } }, title)
    }
    const mixed = await patch({ id: 'x', publicName: 1, other: 1 })
    t.match(mixed.json, { error: { code: 'InvalidBody', details: [{}, {}, {}] } })

    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonx',
      'application/json; charset=latin1',
      '',
      'multipart/form-data',
    ]) {
      const answer = await patch({ publicName: 'never' }, { 'content-type': type })
      t.equal(answer.status, 415, type)
      t.equal(answer.headers['accept-patch'], 'application/json', 'RFC 5789 §2.2')
    }
    t.equal((await patch('{}', { 'content-encoding': 'gzip' })).status, 415, 'not compressed')
    t.equal((await patch('{}', { 'content-type': 'application/json; charset=UTF-8' })).status, 200)
    t.equal((await patch({ publicName: 'x'.repeat(1_100_000) })).status, 413, 'over 1 MiB')
    t.same((await call({ path: '/api/v2/me' })).json, body(own), 'nothing of all this was written')
  })
}

t.test('changes carry the time at which they were made', async (t) => {
  const times: number[] = []
  const source = await (sources[1] as (typeof sources)[number]).open(t)
  await source.addProfile({ tenantId: tenantA, userId: null }, profile())
  const spying: typeof source = {
    ...source,
    changeProfile: (owner, change, at) => {
      times.push(at)
      return source.changeProfile(owner, change, at)
    },
  }
  const { call } = await testBackend(t, spying)
  await call({ path: '/api/v2/me', method: 'PATCH', body: { publicName: 'x' } })
  t.same(times, [now])
})

t.test('a new tenant has a profile when it is first read, and one only (SQL)', async (t) => {
  const sql = sources.find(({ name }) => name === 'SQL')
  const { call } = await testBackend(t, await sql!.open(t))
  const answers = await Promise.all(Array.from({ length: 10 }, () => call({ path: '/api/v2/me' })))
  t.ok(answers.every((answer) => answer.status === 200))
  t.equal(new Set(answers.map((answer) => answer.text)).size, 1, 'ten callers at once see the same one')
  const first = answers[0]!.json as { id: string }
  t.equal(Object.keys(first).length, 15)
  const other = await call({ path: '/api/v2/me' }, { tid: tenantB })
  t.not((other.json as { id: string }).id, first.id, 'U2 another tenant has its own')
  const changed = await call({ path: '/api/v2/me', method: 'PATCH', body: { publicName: 'Acme' } }, { tid: tenantB })
  t.match(changed.json, { publicName: 'Acme' })
})

t.test('a member without a profile gets one when it is first read, and nobody else does (SQL)', async (t) => {
  const store = await openStore(t)
  const users = [
    { id: ada, email: 'ada@contoso.test', name: 'Ada', id_provider: 'entra' },
    { id: '5d3b6a0e-2f0b-4a38-a6b5-9f0a6e0d9c12', email: 'bob@contoso.test', name: 'Bob', id_provider: 'local' },
  ]
  await store.transaction(async (tx) => {
    const times = { created_at: 1, updated_at: 1 }
    for (const id of [tenantA, tenantB]) {
      await insertTenant(tx, {
        id,
        name: id,
        state: 'enabled',
        user_consent: 'allowed',
        foreign_consent: 'verified',
        device_codes: 'allowed',
        administrators: 'any',
        second_factor: 'none',
        own_sign_in: 'allowed',
        sign_in_providers: null,
        client_hosts: null,
        ...times,
      })
    }
    for (const user of users) {
      await insertUser(tx, {
        ...{ ...user, email_key: user.email, email_verified: 1, state: 'enabled' },
        ...{ password_hash: null, password_changed_at: null, totp_secret: null, totp_last_step: null },
        ...{ ...times, last_sign_in_at: null, operator: 0, factor_demanded_at: null, language: '', work_mail: 1 },
      })
    }
    await putMembership(tx, { user_id: ada, tenant_id: tenantA, role: 'member', ...times })
  })
  const { call } = await testBackend(t, createSqlSource(store))
  const answers = await Promise.all(Array.from({ length: 10 }, () => call({ path: '/api/v2/me' }, user)))
  t.equal(new Set(answers.map(({ text }) => text)).size, 1, 'ten callers at once see the same one')
  t.match(answers[0]?.json, { publicName: 'Ada', email: 'ada@contoso.test', idProvider: 'entra', enrollmentsCount: 1 })
  t.equal(Object.keys(answers[0]?.json as object).length, 15)
  const changed = await call({ path: '/api/v2/me', method: 'PATCH', body: { publicName: 'A' } }, user)
  t.match(changed.json, { publicName: 'A', email: 'ada@contoso.test' })
  t.equal((await call({ path: '/api/v2/me' }, { ...user, tid: tenantB })).status, 404, 'U2 no member there')
  t.equal((await call({ path: '/api/v2/me' }, { ...user, sub: users[1]?.id ?? '' })).status, 404, 'no member at all')
})
