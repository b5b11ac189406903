// What is said of Redis servers that do not belong together as the URL says, and what to do about it.
// full: a dozen Redis servers and Sentinels
// run: apart

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { checkRedis } from '../../../src/cli/commands/doctor/doctor-storage.js'
import { secretValue } from '../../../src/config/read/secret-value.js'
import { openRedis } from '../../../src/storage/redis/connection.js'
import { checkGroup, type GroupOptions } from '../../../src/storage/redis/group-check.js'
import { startRedis, type TestRedis } from '../../support/databases/redis.js'
import { freePort } from '../../support/programs/program.js'
import { until } from '../../support/traffic/until.js'

const bounds = { prefix: 'c', commandMs: 5_000, connectMs: 5_000 }
const server = await startRedis(t)

interface SentinelOptions {
  master?: number
  quorum?: number
  password?: string
  lines?: readonly string[]
}

/** It monitors a server as `gate`, and knows of no other Sentinel. */
async function startSentinel(t: Test, options: SentinelOptions = {}): Promise<TestRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-sentinel-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const port = await freePort()
  const { master = server.port, quorum = 1, password, lines = [] } = options
  const file = join(folder, 'sentinel.conf')
  const monitor = `sentinel monitor gate 127.0.0.1 ${master} ${quorum}`
  writeFileSync(file, `${[`port ${port}`, 'bind 127.0.0.1', ...lines, monitor].join('\n')}\n`)
  return startRedis(t, { port, words: [file, '--sentinel'], ...(password === undefined ? {} : { password }) })
}

const urlOf = (sentinels: readonly { port: number }[], name = 'gate'): string =>
  `redis+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${name}`

const problemsOf = (url: string, more: Partial<GroupOptions> = {}) => checkGroup({ ...bounds, url, ...more })

/** As doctor prints them. */
const findingsOf = (url: string) => {
  const sentinel = { user: undefined, password: undefined, tls: 'as-redis' as const }
  return checkRedis({ ...bounds, url: secretValue(url), sentinel } as unknown as Parameters<typeof checkRedis>[0])
}

t.test('a wrong name of the master, and the names that there are', async (t) => {
  const sentinel = await startSentinel(t)
  t.same(await problemsOf(urlOf([sentinel])), [], 'nothing is wrong with the right one')
  const [finding, ...more] = await findingsOf(urlOf([sentinel], 'gaet'))
  t.match(finding, {
    state: 'fail',
    message: /knows no master named "gaet", but "gate"/,
    advice: /sentinel monitor NAME/,
  })
  t.same(more, [])
  t.match(await findingsOf(urlOf([sentinel])), [{ state: 'ok' }])
})

t.test('Sentinels that disagree, have no quorum, do not answer, or are none', async (t) => {
  const other = await startRedis(t)
  const sentinel = await startSentinel(t)
  const elsewhere = await startSentinel(t, { master: other.port })
  const [divided] = await problemsOf(urlOf([sentinel, elsewhere]))
  t.match(divided, { message: /disagree about the master: .* names 127\.0\.0\.1:\d+, .* names/, isWarning: false })
  const careful = await startSentinel(t, { quorum: 2 })
  t.match(await findingsOf(urlOf([careful])), [
    { state: 'warn', message: /no failover would be decided: .* sees 1 usable Sentinels/, advice: /three/ },
    { state: 'ok' },
  ])
  const nobody = { port: await freePort() }
  t.match(await findingsOf(urlOf([sentinel, nobody])), [
    { state: 'warn', message: /the Sentinel 127\.0\.0\.1:\d+ does not answer: .*ECONNREFUSED/ },
    { state: 'ok' },
  ])
  t.match(await findingsOf(urlOf([nobody])), [{ state: 'fail', message: /ECONNREFUSED/ }])
  t.match(await problemsOf(urlOf([server])), [{ message: /is no Sentinel/, advice: /redis:\/\// }])
})

t.test('Sentinels that require a user, a password and TLS of their own', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-tls-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const subject = ['-subj', '/CN=sentinel', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2']
  const words = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', ...subject]
  execFileSync('openssl', [...words, '-keyout', key, '-out', certificate], { stdio: 'ignore' })
  const port = await freePort()
  const tls = [
    `tls-port ${port}`,
    `tls-cert-file ${certificate}`,
    `tls-key-file ${key}`,
    `tls-ca-cert-file ${certificate}`,
  ]
  const users = ['requirepass for-the-test', 'user gateway on >sentinel-secret ~* &* +@all']
  await startSentinel(t, { password: 'for-the-test', lines: [...tls, 'tls-auth-clients no', ...users] })
  const url = urlOf([{ port }])
  const ca = readFileSync(certificate, 'utf8')
  const access = { user: 'gateway', password: 'sentinel-secret', tls: 'on' } as const
  t.same(await problemsOf(url, { ca, sentinel: access }), [])
  const redis = await openRedis({ ...bounds, url, ca, sentinel: access }, 'counters')
  t.teardown(() => redis.close())
  t.equal(await redis.run((client) => client.set('{c}:x', '1')), 'OK', 'and the master, which has neither, is used')

  const wrong = await problemsOf(url, { ca, sentinel: { ...access, password: 'wrong-secret' } })
  t.match(wrong, [{ message: /refuses our user or password \(WRONGPASS\)/, advice: /redis\.sentinel\.password/ }])
  t.notMatch(JSON.stringify(wrong), /wrong-secret/)
  const none = await problemsOf(url, { ca, sentinel: { user: undefined, password: undefined, tls: 'on' } })
  t.match(none, [{ message: /refuses our user or password \(NOAUTH\)/ }])
  t.match(await problemsOf(url, { ca, sentinel: { ...access, tls: 'off' } }), [{ advice: /redis\.sentinel\.tls/ }])
  t.match(await problemsOf(url, { sentinel: access }), [{ message: /SELF_SIGNED|UNABLE_TO/ }], 'an unknown authority')
  const refused = await openRedis({ ...bounds, url, ca, sentinel: { ...access, password: 'wrong-secret' } }, 'counters')
  t.teardown(() => refused.close())
  await until('it says where to look', () => /no Sentinel of redis\.url names a master/.test(refused.state.reason))
})

t.test('a Cluster that is not whole', async (t) => {
  const busPort = await freePort()
  const node = await startRedis(t, {
    options: ['--cluster-enabled', 'yes', '--cluster-port', String(busPort), '--cluster-require-full-coverage', 'no'],
  })
  const url = `redis+cluster://127.0.0.1:${node.port}`
  const slot = Number(await node.command('cluster', 'keyslot', '{c}:clock'))
  t.match(await problemsOf(url), [
    {
      message: /not whole: 16384 of 16384 slots belong to no master; slot \d+, where limits are counted/,
      isWarning: false,
    },
  ])
  await node.command('cluster', 'addslots', String(slot))
  await until('it serves', async () => /cluster_state:ok/.test(await node.command('cluster', 'info')))
  t.match(await problemsOf(url), [{ message: /not whole: 16383 of 16384/, advice: /--cluster fix/, isWarning: true }])
  const before = slot === 0 ? [] : ['0', String(slot - 1)]
  await node.command('cluster', 'addslotsrange', ...before, String(slot + 1), '16383')
  await until('it is whole', async () => (await problemsOf(url)).length === 0)
  t.match(await problemsOf(`redis+cluster://127.0.0.1:${server.port}`), [{ message: /is no node of a Redis Cluster/ }])
  t.match(await problemsOf(`redis://127.0.0.1:${node.port}`), [
    { message: /node of a Redis Cluster/, advice: /redis\+cluster/ },
  ])
})

t.test('a replica, or a Sentinel, where one URL should name the master', async (t) => {
  const replica = await startRedis(t, { options: ['--replicaof', '127.0.0.1', String(server.port)] })
  const [finding] = await findingsOf(`redis://127.0.0.1:${replica.port}`)
  t.match(finding, {
    state: 'fail',
    message: /is a replica of 127\.0\.0\.1:\d+, which only reads/,
    advice: /redis\+sentinel/,
  })
  const sentinel = await startSentinel(t)
  t.match(await problemsOf(`redis://127.0.0.1:${sentinel.port}`), [{ message: /is a Sentinel/ }])
  t.same(await problemsOf(server.url), [])
})
