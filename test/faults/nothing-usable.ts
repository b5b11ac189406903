// The tenth line: what somebody finds who gets a dump of the database, the content of Redis and every log. Each
// string that could be a token or a secret is tried as one.

import { equal, ok } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { call } from '../support/checking-client.js'
import type { Cluster } from '../support/cluster.js'
import { postgresProgram } from '../support/postgresql-folder.js'
import { whileRevoking } from '../support/token-ledger.js'
import { askToken, managed, newApplication, newTenant, newToken, type TestApplication } from './provision.js'
import { type FaultStory, proxiedCluster } from './story.js'

const redisPassword = 'a-password-of-this-test-alone'
/** What a token, a secret, a password or a key may look like: long, and of the letters that they are written in. */
const candidate = /[A-Za-z0-9_=+/.-]{20,4096}/g
const mostTried = { full: 20_000, quick: 400 }

export const nothingUsable: FaultStory = {
  name: 'nothing-usable',
  faults: [],
  expected:
    'no dump and no log holds a secret that was given out, a password or a key, and nothing in them works as a credential',
  cluster: { ...proxiedCluster, redisPassword },
  alone: true,
  async run(scene) {
    const { cluster, full } = scene
    const { instances, postgres, redis } = cluster
    const [first] = instances
    if (first === undefined) throw new Error('no instance')
    const tenantId = await newTenant(first)
    const application = await newApplication(first, tenantId)
    const revoked = await newToken(first.port, application)
    const token = await newToken(first.port, application)
    await whileRevoking([revoked], () => managed(first, 'POST', '/revocations', { what: 'token', token: revoked.text }))
    const rotated = await managed(first, 'POST', `/applications/${application.applicationId}/secrets`, {})
    await mistakes(first.port, application, token.text)
    // What goes wrong is logged, and errors know addresses with passwords in them.
    scene.allow({ statuses: [0, 503] })
    await Promise.all([postgres.stop('SIGKILL'), redis.kill()])
    await askToken(first.port, application).catch(() => {})
    await first.manage('POST', '/tenants', { name: 'While all is away' })
    await wait(1_500)
    await Promise.all([postgres.start(), redis.start()])
    await scene.untilServed(token)
    await newApplication(first, tenantId, { name: 'After' }).catch(() => {})

    const found = await everything(cluster)
    const given = [application.clientSecret, String(rotated['clientSecret']), token.text, revoked.text, redisPassword]
    given.push(new URL(postgres.url).password, String(first.env['PORTCULLIS_MASTER_KEYS']))
    for (const [where, text] of Object.entries(found)) {
      for (const [at, secret] of given.entries()) ok(!text.includes(secret), `${where} holds secret ${at}`)
    }
    const all = [...new Set(Object.values(found).flatMap((text) => text.match(candidate) ?? []))]
    const tried = all.slice(0, full ? mostTried.full : mostTried.quick)
    for (const text of tried) await tryAsCredential(first.port, application.applicationId, text)
    const bytes = Object.values(found).reduce((sum, text) => sum + text.length, 0)
    return {
      text: `${(bytes / 1024).toFixed(0)} KiB of dump, Redis and logs; ${tried.length} of ${all.length} candidate strings tried as token and as secret, none works`,
    }
  },
}

/** What clients do by mistake: secrets in the URL, in the wrong field, in a header that is not theirs. */
async function mistakes(port: number, { applicationId, clientSecret }: TestApplication, token: string): Promise<void> {
  const paths = [
    `/api/v2/check/1?access_token=${token}`,
    `/api/v2/oauth2/v2.0/token?client_id=${applicationId}&client_secret=${clientSecret}`,
    `/api/v2/${clientSecret}`,
    `/${token}`,
  ]
  for (const path of paths) await call(port, { path })
  await call(port, {
    path: '/api/v2/check/1',
    headers: { authorization: `Basic ${clientSecret}`, cookie: `session=${token}` },
  })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const body = `grant_type=client_credentials&client_id=${clientSecret}&client_secret=${token}&scope=${clientSecret}`
  await call(port, { path: '/api/v2/oauth2/v2.0/token', method: 'POST', headers, body })
}

async function everything({ postgres, redis, logs }: Cluster): Promise<Record<string, string>> {
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
  return {
    'the dump': database,
    Redis: values.join('\n'),
    'the log of the instances': logs(),
    'the log of PostgreSQL': postgres.log(),
  }
}

async function tryAsCredential(port: number, applicationId: string, text: string): Promise<void> {
  const bearer = await call(port, { path: '/api/v2/check/1', headers: { authorization: `Bearer ${text}` } })
  ok(bearer.status === 401 || bearer.status === 400, `something that was found is answered ${bearer.status} as a token`)
  const answer = await askToken(port, { applicationId, clientSecret: text, keyId: '', tenantId: '' })
  equal(
    answer.status === 401 || answer.status === 400,
    true,
    `something that was found is answered ${answer.status} as a secret`,
  )
}
