// The URL of a PostgreSQL database (decision 0113): what it says, and what is refused. No word of it gets into an
// error.

import { inspect } from 'node:util'
import t from 'tap'
import { openPostgresStore } from '../../../../src/storage/sql/postgresql/postgresql.js'
import { readPostgresUrl } from '../../../../src/storage/sql/postgresql/postgresql-address.js'

const bounds = { connections: 1, connectMs: 10_000, statementMs: 10_000, waitMs: 10_000 }

t.test('a URL says where, who and how; what would not be verified is refused', async (t) => {
  const url = 'postgresql://gate:p%40ss%2F@db.example:6432/portcullis'
  t.match(readPostgresUrl(url), {
    servers: [{ host: 'db.example', port: 6432 }],
    user: 'gate',
    password: 'p@ss/',
    database: 'portcullis',
    applicationName: 'portcullis',
    tls: { ca: undefined },
  })
  t.match(readPostgresUrl('postgres://u@%2Frun%2Fpostgresql/d'), {
    servers: [{ host: '/run/postgresql', port: 5432 }],
    tls: undefined,
  })
  t.match(readPostgresUrl('postgres://u:p@[::1]/d?application_name=a'), {
    servers: [{ host: '::1', port: 5432 }],
    applicationName: 'a',
  })
  const protection: [string, string, string | undefined, object | undefined][] = [
    ['somewhere else', 'db.example', undefined, {}],
    ['this machine', 'localhost', undefined, undefined],
    ['this machine', '127.0.0.1', undefined, undefined],
    ['this machine with an authority', '127.0.0.1', 'CA', { ca: 'CA' }],
    ['requested', '127.0.0.1/d?sslmode=verify-full', undefined, {}],
    ['requested in the old words', 'db.example/d?sslmode=require', 'CA', { ca: 'CA' }],
    ['switched off', 'db.example/d?sslmode=disable', undefined, undefined],
    ['a name like this machine', '127.0.0.1.example', undefined, {}],
  ]
  for (const [title, url, ca, tls] of protection) {
    const text = `postgresql://u:p@${url.includes('/') ? url : `${url}/d`}`
    const address = readPostgresUrl(text, ca)
    t.equal(address.tls === undefined, tls === undefined, title)
    t.match(address.tls ?? {}, tls ?? {})
  }
  t.match(readPostgresUrl('postgresql://u:p%40@a:1,[::1],c.example:3/d?target_session_attrs=read-write'), {
    servers: [
      { host: 'a', port: 1 },
      { host: '::1', port: 5432 },
      { host: 'c.example', port: 3 },
    ],
    password: 'p@',
    tls: { ca: undefined },
  })
  t.equal(readPostgresUrl('postgresql://u:p@127.0.0.1:1,localhost:2/d').tls, undefined)
  const refusals = [
    'no URL se-cret',
    'se-cret',
    '//u:se-cret@h/d',
    '/run/postgresql se-cret',
    'socket:/run/postgresql?db=d&user=u&password=se-cret',
    'postgresql://u:se cret%40se-cret%zz@h/d',
    ...['host=se-cret', 'port=1', 'user=se-cret', 'password=se-cret', 'options=se-cret'].map(
      (parameter) => `postgresql://u:se-cret@h/d?${parameter}`,
    ),
    ...['sslrootcert', 'sslcert', 'sslkey'].map((name) => `postgresql://u:se-cret@h/d?${name}=/se-cret`),
    'postgresql://u:se-cret@h/d?application_name=a&application_name=se-cret',
    'postgresql://u:se-cret@h:port/d',
    'postgresql://u:se-cret@h1:1,/d',
    'postgresql://u:se-cret@h1:1,h2:port/d',
    'postgresql://u:se-cret@h1,%2Frun/d?sslmode=disable',
    `postgresql://u:se-cret@${Array(9).fill('h').join()}/d`,
    'postgresql://u:se-cret@h1,h2/d?target_session_attrs=any',
    'postgresql://u:se-cret@h/d?target_session_attrs=standby',
    'mysql://u:se-cret@h/d',
    'postgresql://u:se-cret@h/',
    'postgresql://:se-cret@h/d',
    'postgresql:///d?user=se-cret',
    'postgresql://u:se-cret%zz@h/d',
    ...['prefer', 'allow', 'no-verify', 'verify-ca', '', 'VERIFY-FULL'].map(
      (mode) => `postgresql://u:se-cret@h/d?sslmode=${mode}`,
    ),
    'postgresql://u:se-cret@h/d?sslmode=verify-full&sslmode=disable',
    'postgresql://u:se-cret@h/d?ssl=0',
    'postgresql://u:se-cret@h/d?se-cret=0',
    'postgresql://u:se-cret@h/d?uselibpqcompat=true&sslmode=require',
    'postgresql://u:se-cret@%2Frun/d?sslmode=require',
  ]
  for (const text of refusals) {
    let error: unknown
    try {
      readPostgresUrl(text)
    } catch (thrown) {
      error = thrown
    }
    t.match(error, { code: 'invalid_store_url' }, text)
    t.notOk(inspect(error, { showHidden: true }).includes('se-cret'), 'the error repeats nothing of it')
  }
  t.throws(() => readPostgresUrl('postgresql://u:p@h/d?sslmode=disable', 'CA'), { code: 'invalid_store_url' })
  const store = openPostgresStore({ ...bounds, url: 'postgresql://u:se-cret@h/d?sslmode=prefer' })
  await t.rejects(store, { code: 'invalid_store_url' })
})
