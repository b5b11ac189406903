// run: apart

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openRedis, type RedisConnection, type RedisHooks } from '../../../src/storage/redis/connection.js'
import { parseRedisUrl } from '../../../src/storage/redis/redis-url.js'
import { checkServers } from '../../../src/storage/redis/server-check.js'
import { startRedis } from '../../support/databases/redis.js'
import { freePort } from '../../support/programs/program.js'
import { until } from '../../support/traffic/until.js'

const PASSWORD = 'correct horse/battery'
const server = await startRedis(t, { password: PASSWORD })
const url = `redis://:${encodeURIComponent(PASSWORD)}@127.0.0.1:${server.port}`

interface Given extends RedisHooks {
  ca?: string
  /** Longer than a machine stands still unless given. */
  commandMs?: number
}

async function open(t: Test, at: string, { ca, commandMs = 10_000, ...hooks }: Given = {}): Promise<RedisConnection> {
  const options = { url: at, prefix: 'c', commandMs, connectMs: 10_000, ...(ca === undefined ? {} : { ca }) }
  const redis = await openRedis(options, 'counters', hooks)
  t.teardown(() => redis.close())
  return redis
}

await t.test('a URL says where Redis is, and nothing of it is repeated when it does not', async (t) => {
  const none = { username: undefined, password: undefined, db: 0, primaryName: '' }
  const table: [string, object][] = [
    ['redis://h', { ...none, kind: 'standalone', tls: false, hosts: [{ host: 'h', port: 6379 }] }],
    [
      'rediss://u:p%40@[::1]:7/3',
      { tls: true, username: 'u', password: 'p@', db: 3, hosts: [{ host: '::1', port: 7 }] },
    ],
    [
      'redis+sentinel://:p@a,b:1/gate/2',
      { kind: 'sentinel', primaryName: 'gate', db: 2, hosts: [{ port: 26379 }, { host: 'b', port: 1 }] },
    ],
    ['rediss+cluster://a:1,b:2', { ...none, kind: 'cluster', tls: true, hosts: [{ port: 1 }, { port: 2 }] }],
  ]
  for (const [text, expected] of table) t.match(parseRedisUrl(text), expected, text)
  const refused = [
    'http://:secret@h',
    'redis://secret@h',
    'redis://:secret@h:0',
    'redis://:secret@h:99999',
    'redis://:secret@a,b',
    'redis://:secret@h/x',
    'redis://:secret@h/1/2',
    'redis://:secret@h?tls=true',
    'redis://:%zzsecret@h',
    'redis+sentinel://:secret@h',
    'redis+cluster://:secret@h/1',
    'redis://:secret@ h',
    '',
  ]
  for (const text of refused) {
    let message = ''
    try {
      parseRedisUrl(text)
    } catch (error) {
      message = String(error)
    }
    t.match(message, /^Error: /, `refused: ${text}`)
    t.notMatch(message, /secret/)
  }
  await t.rejects(openRedis({ url, prefix: 'a{b}', commandMs: 1, connectMs: 1 }, 'counters'), /prefix/)
})

await t.test('F6 a Redis that evicts, does not say so, or is too old is refused with what to change', async (t) => {
  for (const policy of ['allkeys-lru', 'volatile-ttl']) {
    await server.command('config', 'set', 'maxmemory-policy', policy)
    await t.rejects(open(t, url), { code: 'redis_refused', message: /maxmemory-policy.*noeviction/ })
  }
  await server.command('config', 'set', 'maxmemory-policy', 'noeviction')
  await server.command('acl', 'setuser', 'blind', 'on', '>pw', '~*', '+@all', '-info', '-config')
  await t.rejects(open(t, `redis://blind:pw@127.0.0.1:${server.port}`), { message: /does not say whether it evicts/ })
  await server.command('acl', 'setuser', 'blind', '+config')
  t.ok((await open(t, `redis://blind:pw@127.0.0.1:${server.port}`)).isUp, 'CONFIG is enough')
  await server.command('acl', 'setuser', 'blind', '-config', '+info')
  t.ok((await open(t, `redis://blind:pw@127.0.0.1:${server.port}`)).isUp, 'and so is INFO')
  const saying = (info: string) => ({ isCluster: false, info: async () => info }) as never
  const policy = 'maxmemory_policy:noeviction\r\n'
  await t.rejects(checkServers(saying(`redis_version:6.0.16\r\n${policy}`)), /6\.0\.16 is too old: 6\.2/)
  await t.rejects(checkServers(saying(`redis_version:5.2.0\r\n${policy}`)), /too old/)
  await checkServers(saying(`redis_version:6.2.0\r\nrole:master\r\n${policy}`))
  await checkServers(saying(`redis_version:10.0.1\r\n${policy}`))
})

await t.test('F6 a Redis that begins to evict while it was away is not used until it has stopped', async (t) => {
  const other = await startRedis(t)
  const redis = await open(t, other.url)
  await other.command('config', 'set', 'maxmemory-policy', 'allkeys-lru')
  redis.reconnect()
  await until('the policy to be seen', () => /noeviction/.test(redis.state.reason))
  t.notOk(redis.isUp)
  await other.command('config', 'set', 'maxmemory-policy', 'noeviction')
  await until('Redis to be up', () => redis.isUp)
})

await t.test(
  'a wrong password, a closed port and a restart: never an uncaught error, never the password',
  async (t) => {
    const reasons: string[] = []
    const hooks = { onState: ({ reason }: { reason: string }) => reasons.push(reason) }
    const wrong = await open(t, `redis://:wrong-secret@127.0.0.1:${server.port}`, hooks)
    t.notOk(wrong.isUp)
    t.match(wrong.state.reason, /WRONGPASS/)
    const failure = await wrong.run((client) => client.set('a', 'b')).catch((error: unknown) => error)
    t.match(failure, { code: 'redis_unavailable' })
    const nobody = await open(t, `redis://:wrong-secret@127.0.0.1:${await freePort()}`, hooks)
    t.match(nobody.state.reason, /ECONNREFUSED/)
    const redis = await open(t, url, hooks)
    t.equal(await redis.run((client) => client.set('{c}:x', '1')), 'OK')
    const error = await redis
      .run((client) => client.call('AUTH', 'wrong-secret', PASSWORD))
      .catch((error: unknown) => error)
    t.notMatch(JSON.stringify([failure, error, String(error), (error as Error).stack, reasons]), /wrong-secret|battery/)
    await server.kill()
    await until('the loss', () => !redis.isUp)
    await server.start()
    await until('Redis to be up', () => redis.isUp)
  },
)

await t.test('F5 a server that became a replica is left, and used again when it is the primary', async (t) => {
  const other = await startRedis(t)
  const redis = await open(t, other.url, { commandMs: 500 })
  await other.command('replicaof', '127.0.0.1', String(await freePort()))
  const began = performance.now()
  await t.rejects(
    redis.run((client) => client.set('{c}:x', '1')),
    { code: 'redis_unavailable' },
  )
  t.ok(performance.now() - began < 9_000, 'within its deadline, and what the machine stood still')
  t.notOk(redis.isUp)
  await other.command('replicaof', 'no', 'one')
  await until('Redis to be up', () => redis.isUp)
  await until('a command to be taken', async () => (await redis.run((client) => client.set('{c}:x', '1'))) === 'OK')
})

await t.test('F5 a primary that lost its replicas is left as one that became a replica is', async (t) => {
  const other = await startRedis(t)
  const redis = await open(t, other.url)
  let attempts = 0
  const answer = await redis.run(async (client) => {
    attempts += 1
    if (attempts === 1) await other.command('config', 'set', 'min-replicas-to-write', '1')
    const sent = client.set('{c}:x', '1')
    if (attempts === 1) await sent.catch(() => other.command('config', 'set', 'min-replicas-to-write', '0'))
    return sent
  })
  t.same([answer, attempts], ['OK', 2], 'sent once more, over a new connection')
  const hasty = await open(t, other.url, { commandMs: 500 })
  await other.command('config', 'set', 'min-replicas-to-write', '1')
  await t.rejects(
    hasty.run((client) => client.set('{c}:x', '1')),
    { code: 'redis_unavailable' },
  )
})

await t.test('F5 a command that meets a replica is sent once more when that one is the primary by then', async (t) => {
  const other = await startRedis(t)
  const redis = await open(t, other.url)
  let attempts = 0
  const answer = await redis.run(async (client) => {
    attempts += 1
    if (attempts === 1) await client.call('replicaof', '127.0.0.1', '1')
    const sent = client.set('{c}:x', '1')
    if (attempts === 1) await sent.catch(() => other.command('replicaof', 'no', 'one'))
    return sent
  })
  t.same([answer, attempts], ['OK', 2])
})

t.test('TLS: a certificate of the given authority is accepted, any other is not', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-tls-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const subject = ['-subj', '/CN=redis', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2']
  const words = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', ...subject]
  execFileSync('openssl', [...words, '-keyout', key, '-out', certificate], { stdio: 'ignore' })
  const port = await freePort()
  const files = ['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', certificate]
  await startRedis(t, { options: ['--tls-port', String(port), ...files, '--tls-auth-clients', 'no'] })
  const secure = `rediss://127.0.0.1:${port}`
  const redis = await open(t, secure, { ca: readFileSync(certificate, 'utf8') })
  t.equal(await redis.run((client) => client.set('{c}:x', '1')), 'OK')
  const unknown = await open(t, secure)
  t.notOk(unknown.isUp)
  t.match(unknown.state.reason, /SELF_SIGNED|UNABLE_TO/)
  const named = await open(t, `rediss://localhost:${port}`, { ca: readFileSync(certificate, 'utf8') })
  t.match(named.state.reason, /ALTNAME_INVALID/, 'nor one for another name')
})
