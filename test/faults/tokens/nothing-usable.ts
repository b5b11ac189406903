// What somebody finds who gets a dump of the database, the content of Redis and every log. Each
// string that could be a token or a secret is tried as one.

import { deepEqual, ok } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Cluster } from '../../support/cluster/cluster.js'
import { whileRevoking } from '../../support/cluster/token-ledger.js'
import { postgresProgram } from '../../support/databases/postgresql-folder.js'
import { mailUrl, startMailServer } from '../../support/people/mail-server.js'
import { makePeopleSecrets } from '../../support/people/people-secrets.js'
import { steadyPort } from '../../support/programs/steady-port.js'
import { makeClientSecrets, misplace } from '../../support/secrets/client-secrets.js'
import { candidatesIn, foundSecrets } from '../../support/secrets/found-secrets.js'
import { secretTrials, tryAll } from '../../support/secrets/secret-trials.js'
import { readableSecrets } from '../../support/settings/secret-settings.js'
import { askToken, managed, newApplication, newTenant, newToken } from '../scene/provision.js'
import { type FaultStory, proxiedCluster } from '../story.js'

const redisPassword = 'a-password-of-this-test-alone'
const mailPort = await steadyPort()
const settings = readableSecrets(mailUrl(mailPort))
/** Strings that are tried as what costs a password hash each, and as everything else. */
const mostTried = { full: { cheap: 20_000, costly: 1_000 }, quick: { cheap: 400, costly: 20 } }

export const nothingUsable: FaultStory = {
  name: 'nothing-usable',
  faults: [],
  expected:
    'no dump and no log holds a secret that was given out, a password or a key, and nothing in them works as a credential',
  cluster: { ...proxiedCluster, redisPassword, configure: settings.configure },
  ownCluster: true,
  async run(scene) {
    const { cluster, full } = scene
    const { instances, postgres, redis } = cluster
    const [first, second] = instances
    if (first === undefined || second === undefined) throw new Error('too few instances')
    const works: (() => unknown)[] = []
    const mails = await startMailServer({ teardown: (work) => void works.push(work) }, mailPort)
    const known = new Map([...settings.known, ['password of Redis', redisPassword]])
    known.set('password of PostgreSQL', new URL(postgres.url).password)
    known.set('master key', String(first.env['PORTCULLIS_MASTER_KEYS']))
    const testApp = { instance: first, mails, known }
    const people = await makePeopleSecrets(testApp)
    const tenantId = await newTenant(first)
    const application = await newApplication(first, tenantId)
    const revoked = await newToken(first.port, application)
    const token = await newToken(first.port, application)
    await whileRevoking([revoked], () => managed(first, 'POST', '/revocations', { what: 'token', token: revoked.text }))
    known.set('client secret of an application', application.clientSecret)
    known.set('token', token.text).set('revoked token', revoked.text)
    // What goes wrong is logged, and errors know addresses with passwords in them.
    scene.allow({ statuses: [0, 503] })
    await Promise.all([postgres.stop('SIGKILL'), redis.kill()])
    await askToken(first.port, application).catch(() => {})
    await misplace(testApp)
    await wait(1_500)
    await Promise.all([postgres.start(), redis.start()])
    await scene.untilServed(token)
    const client = await makeClientSecrets(testApp, people)
    await misplace(testApp)

    const found = await everything(cluster)
    deepEqual(foundSecrets(known, found), [])
    const candidates = candidatesIn(found)
    // Another instance than the one that gave them out.
    const trials = secretTrials(second, people, client)
    const { working, tried } = await tryAll(trials, candidates, full ? mostTried.full : mostTried.quick)
    deepEqual(working, [])
    for (const { name, right, works: tries } of trials) {
      if (right !== undefined) ok(await tries(right), `the right ${name} does not work in its trial`)
    }
    for (const work of works) await work()
    const bytes = Object.values(found).reduce((sum, one) => sum + one.byteLength, 0)
    return {
      text: `${(bytes / 1024).toFixed(0)} KiB of dump, Redis, logs and checkpoints have none of ${known.size} secrets; of ${candidates.length} candidate strings ${tried['bearer token']} were tried as each of ${trials.length} kinds (passwords: ${tried['password']}), none works, and the right ones do`,
    }
  },
}

async function everything({ instances, postgres, redis, logs }: Cluster): Promise<Record<string, Buffer>> {
  const database = execFileSync(postgresProgram('pg_dump'), ['--dbname', postgres.url], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  const keys = (await redis.command('keys', '*')).split('\n').filter((key) => key !== '')
  const values: string[] = []
  for (const key of keys) {
    const type = await redis.command('type', key)
    const words = { stream: ['xrange', key, '-', '+'], hash: ['hgetall', key], zset: ['zrange', key, '0', '-1'] }[type]
    values.push(key, await redis.command(...(words ?? ['get', key])))
  }
  const checkpoints = instances
    .map(({ folder }) => join(folder, 'data', 'ledger-checkpoints.jsonl'))
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, 'utf8'))
  const [first] = instances
  const exported = await first?.manage('GET', '/auditEvents?$top=200')
  const places = {
    'the dump': database,
    Redis: values.join('\n'),
    'the log of the instances': logs(),
    'the log of PostgreSQL': postgres.log(),
    'the checkpoints': checkpoints.join(''),
    'the audit export': exported?.body ?? '',
  }
  return Object.fromEntries(Object.entries(places).map(([name, text]) => [name, Buffer.from(text)]))
}
