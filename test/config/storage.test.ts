// Where the Store is and the Redis beside it: what loads, what is refused, and that a password in a URL is shown
// nowhere.

import { randomBytes } from 'node:crypto'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import t from 'tap'
import { loadSettings } from '../../src/config/read/load.js'
import { defaultConfigFile } from '../../src/config/read/package-root.js'
import { maskedSettings } from '../../src/config/read/settings-mask.js'
import { formatProblem } from '../../src/config/report/problem.js'
import { mistakesOf, settingsFrom } from '../support/settings/config-file.js'

const store = 'postgresql://gate:hunter2@db.example:5432/portcullis'
const key = randomBytes(32).toString('base64url')
const redis = 'rediss://gate:hunter2@cache.example:6380/1'

t.test('the file that ships takes both URLs from the environment', async (t) => {
  const settings = loadSettings({
    file: defaultConfigFile(),
    env: { PORTCULLIS_STORE: store, PORTCULLIS_REDIS: redis, PORTCULLIS_MASTER_KEYS: key },
  })
  t.match(settings, {
    warnings: [],
    store: { kind: 'postgresql', ca: undefined, connections: 10, connectMs: 2000, statementMs: 2000, waitMs: 2000 },
    redis: { ca: undefined, prefix: 'portcullis', commandMs: 200, connectMs: 1000 },
  })
  t.equal(settings.store.kind === 'postgresql' && settings.store.url.reveal(), store)
  t.equal(settings.redis?.url.reveal(), redis)
})

t.test('X5 no output shows a URL: not the settings, not the masked ones, not a warning', async (t) => {
  const text = `store: { url: "${store}" }\nredis: { url: "${redis}" }\nsecrets: { masterKeys: "\${K}" }\n`
  const settings = settingsFrom(t, text, { K: key })
  for (const shown of [JSON.stringify(settings), JSON.stringify(maskedSettings(settings)), inspect(settings)]) {
    t.notMatch(shown, /hunter2/)
  }
  t.match(maskedSettings(settings), { store: { kind: 'postgresql', url: '***' }, redis: { url: '***' } })
  t.same(
    settings.warnings.map((one) => formatProblem({ ...one, file: '' })),
    [
      ':1:15 store.url: holds a password in the configuration itself; refer to a variable or a file instead',
      ':2:15 redis.url: holds a password in the configuration itself; refer to a variable or a file instead',
    ],
  )
})

t.test('a file holds a URL, and a warning says that everybody may read it', async (t) => {
  const text = 'store: { url: file:url }\nsecrets: { masterKeys: file:key }\n'
  const folder = t.testdir({ 'portcullis.yaml': text, url: `${store}\n`, key })
  chmodSync(join(folder, 'key'), 0o600)
  chmodSync(join(folder, 'url'), 0o644)
  const settings = loadSettings({ file: join(folder, 'portcullis.yaml'), env: {}, cwd: folder })
  t.equal(settings.store.kind === 'postgresql' && settings.store.url.reveal(), store)
  t.match(settings.warnings, [{ path: 'store.url', message: /everybody on this machine may read it/ }])
  chmodSync(join(folder, 'url'), 0o600)
  t.same(loadSettings({ file: join(folder, 'portcullis.yaml'), env: {}, cwd: folder }).warnings, [])
})

const LOADING: readonly string[] = [
  'store: { url: "postgres://gate@db/portcullis" }',
  'store: { url: "postgresql://gate:a%40b@[::1]:5432/portcullis?sslmode=verify-full" }',
  'redis: { url: "redis://127.0.0.1" }',
  'redis: { url: "redis://:hunter2@[::1]:6379/0" }',
  'redis: { url: "rediss+sentinel://u:hunter2@a:26379,b:26379/mymaster/2" }',
  'store: { url: "postgresql://gate@one:5432,two:5432/portcullis?target_session_attrs=read-write" }',
  'redis: { url: "redis+sentinel://a/m", sentinel: { user: u, password: "${S:-p}", tls: "off" } }',
  'redis: { url: "redis+cluster://a:6379,b:6379,c:6379" }',
]

t.test('every form of a URL loads', async (t) => {
  for (const text of LOADING) t.same(mistakesOf(t, `${text}\n`), [], text)
})

const REFUSED: readonly [string, RegExp][] = [
  ['store: { url: "mysql://u:hunter2@h/db" }', /^1:15 store.url: must begin with postgresql:\/\/; leave it empty/],
  ['store: { url: "u:hunter2@h/db" }', /store.url: must begin with postgresql:\/\//],
  ['store: { url: "postgresql://u:hunter2@h" }', /store.url: names no database/],
  ['store: { url: "postgresql://u:hunter2@h/" }', /store.url: names no database/],
  ['store: { url: "postgresql://u:hunter2/@h/db" }', /store.url: is not a URL; in user and password/],
  ['store: { url: "postgresql://u@h/db#hunter2" }', /store.url: has a #/],
  ['store: { url: "postgresql://h/db" }', /store.url: names no user/],
  ['store: { url: "postgresql://u:hunter2@h/db?options=x" }', /store.url: has a parameter that is none of sslmode/],
  ['store: { url: "postgresql://u:hunter2@h/db?host=/run" }', /store.url: has a parameter that is none of sslmode/],
  ['store: { url: "postgresql://u:hunter2@h/db?sslmode=require&sslmode=disable" }', /store.url: has a parameter twice/],
  ['store: { url: "postgresql://u:hunter2@h,/db" }', /store.url: (has an empty name|is not a URL)/],
  ['store: { url: "postgresql://u:hunter2@h,%2Frun/db" }', /store.url: names several servers, and a Unix socket/],
  ['store: { url: "postgresql://u:hunter2@1,2,3,4,5,6,7,8,9/db" }', /store.url: names more than 8 servers/],
  ['store: { url: "postgresql://u:hunter2@h/db?target_session_attrs=any" }', /other than read-write/],
  ['store: { postgresql: { engine: mysql } }', /engine: must be one of postgresql, other/],
  ['redis: { url: "redis://a", sentinel: { tls: "on" } }', /redis.sentinel: belongs to a redis\+sentinel:\/\/ URL/],
  ['redis: { url: "redis+sentinel://a/m", sentinel: { user: u } }', /redis.sentinel.user: needs a password/],
  ['store: { url: "postgresql://u:hunter2@%2Frun/db?sslmode=require" }', /store.url: asks for TLS on a Unix socket/],
  [
    'store: { url: "postgresql://u:hunter2@h/db?sslmode=disable", postgresql: { ca: "-----BEGIN CERTIFICATE-----x-----END CERTIFICATE-----" } }',
    /store.url: says sslmode=disable beside store.postgresql.ca/,
  ],
  ['store: { url: "postgresql://u:hunter2@h/db?sslmode=prefer" }', /store.url: has an sslmode that is none of/],
  ['store: { url: [hunter2] }', /^1:15 store.url: must be a URL of at most/],
  ['redis: { url: "memcached://hunter2" }', /^1:15 redis.url: must begin with redis:\/\//],
  ['redis: { url: "redis://hunter2@a:1" }', /redis.url: names a user without a password/],
  ['redis: { url: "redis://hunter2:@a:1" }', /redis.url: names a user without a password/],
  ['redis: { url: "redis://u:hunter2@a:1,b:2" }', /redis.url: has several hosts; those of a cluster/],
  ['redis: { url: "redis://u:hunter2@h:1/x" }', /redis.url: has a database that is not a number/],
  ['redis: { url: "redis://u:hunter2@h/1/2" }', /redis.url: has more than one part after its host/],
  ['redis: { url: "redis://u:hunter2@@h" }', /redis.url: is not a URL/],
  ['redis: { url: "redis://h:hunter2" }', /redis.url: has a host that is not host:port/],
  ['redis: { url: "redis+sentinel://u:hunter2@a:1" }', /redis.url: names no master/],
  ['redis: { url: "redis+sentinel://a:1/m/hunter2" }', /redis.url: has a database that is not a number/],
  ['redis: { url: "redis+cluster://u:hunter2@a:1/3" }', /redis.url: names a database/],
  ['redis: { url: "redis://a", prefix: "a b" }', /redis.prefix: must be 1 to 64 letters/],
  [
    'redis: { url: "redis://a", ca: "-----BEGIN CERTIFICATE-----x-----END CERTIFICATE-----" }',
    /redis.ca: belongs to a rediss:\/\/ URL$/,
  ],
  ['store: { postgresql: { connections: 1 } }', /connections: must be a whole number from 2 to 1000/],
]

t.test('any other is refused where it stands, without a word of what it holds', async (t) => {
  for (const [text, expected] of REFUSED) {
    const mistakes = mistakesOf(t, `${text}\n`)
    t.equal(mistakes.length, 1, `${text}: ${JSON.stringify(mistakes)}`)
    t.match(mistakes[0], expected)
    t.notMatch(mistakes[0], /hunter2/)
  }
})

t.test(
  'limits are counted together in leases where there is Redis, and by each instance where there is none',
  async (t) => {
    const limits = (extra: string, env: NodeJS.ProcessEnv = {}) =>
      settingsFrom(
        t,
        `store: { url: "\${S:-}" }
redis: { url: "\${R:-}" }
limits: { a: { by: address, rate: 1/s${extra} } }
defaults: { limits: [a], tokenLimits: [a] }
`,
        env,
      )
    const shared = { S: store, R: redis }
    t.match(limits('').limits.get('a'), { mode: 'local', onDown: 'local' })
    t.match(limits('', shared).limits.get('a'), { mode: 'leased', onDown: 'local' })
    t.match(limits(', mode: strict, onDown: refuse', shared).limits.get('a'), { mode: 'strict', onDown: 'refuse' })
    t.match(limits(', mode: local', shared).limits.get('a'), { mode: 'local' })
    t.match(limits(', mode: strict').limits.get('a'), { mode: 'strict' }, 'one process alone counts exactly')
    t.throws(
      () => limits(', mode: strict', { S: store }),
      /limits.a.mode: several instances on PostgreSQL cannot count/,
    )
    t.throws(() => limits(', mode: leased', { S: store }), /cannot count together without redis.url/)
    t.throws(() => limits(', mode: lease', shared), /must be one of strict, leased, local.*did you mean "leased"/)
    t.throws(() => limits(', onDown: allow', shared), /must be one of local, refuse, pass/)
    const warned = (extra: string, env: NodeJS.ProcessEnv) => limits(extra, env).warnings.map((one) => one.path)
    t.same(warned(', mode: local, onDown: pass', shared), ['store.url', 'limits.a.onDown'], 'and no master keys')
    t.same(warned('', { R: redis }), ['redis.url'], 'Redis with SQLite: one instance alone has no use for it')
  },
)
