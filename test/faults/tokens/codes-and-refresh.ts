// I3 and I8: codes and refresh tokens are sent many times at once, and people allow and take back, while an instance
// and PostgreSQL are killed (kill -9). What was spent, was spent once; what was answered, is in the ledger once.

import { deepEqual, equal, ok } from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import type { Instance } from '../../support/cluster/cluster-instance.js'
import { type MadeCode, redemption } from '../../support/rooms/delegation.js'
import { until } from '../../support/traffic/until.js'
import { statuses } from '../scene/measure.js'
import { askForTokens, type Client, newClient, newCode, newPerson, type Person } from '../scene/people.js'
import { newApplication, newTenant, verifyLedger } from '../scene/provision.js'
import type { Scene } from '../scene/scene.js'
import { auditOf, writeOf } from '../scene/writes-of-every-kind.js'
import { grantOf, type PeopleContext, peopleWriteKinds } from '../scene/writes-of-people.js'
import { type FaultStory, plainCluster } from '../story.js'

interface TestApp extends Omit<PeopleContext, 'instance' | 'name'> {
  scene: Scene
  instances: readonly Instance[]
  client: Client
  person: Person
  /** What was answered. */
  heard: { status: number }[]
}

/** A family of refresh tokens: its grant, its first token, its newest that was heard of. */
interface Family {
  grantId: string
  first: string
  newest: string
}

const codesInARound = 25
const familiesInARound = 5
const timesEach = { code: 4, refresh: 20 }

export const codesAndRefresh: FaultStory = {
  name: 'codes-and-refresh',
  faults: ['F8', 'F12', 'F13'],
  expected:
    'of codes and refresh tokens that are sent many times at once none gives two different answers, never 500; each acknowledged redemption, consent and withdrawal has one line in the ledger, which verifies clean',
  cluster: plainCluster,
  ownCluster: true,
  async run(scene) {
    const { instances, postgres } = scene.cluster
    const [first, second] = instances
    if (first === undefined || second === undefined) throw new Error('too few instances')
    for (const instance of instances) scene.mayEnd(instance)
    const tenantId = await newTenant(first)
    const testApp: TestApp = {
      ...{ scene, instances, tenantId, heard: [], query: (sql) => postgres.admin(sql) },
      ...{ application: await newApplication(first, tenantId), client: await newClient(first, tenantId) },
      person: await newPerson(first, tenantId, 'ada'),
    }
    await fiftyAtOnce(testApp, await newFamily(testApp))
    const families = await Promise.all(Array.from({ length: familiesInARound }, () => newFamily(testApp)))
    const rounds = scene.full ? 10 : 2
    let [given, decided] = [0, 0]
    let recoveryMs = 0
    for (let round = 0; round < rounds; round += 1) {
      const codes: MadeCode[] = []
      while (codes.length < codesInARound) codes.push(await someCode(testApp))
      const deciding = decide(testApp, round)
      const work = Promise.all([
        ...codes.map((code) => spendCode(testApp, code)),
        ...families.map((family) => spendRefreshToken(testApp, family)),
      ])
      await wait(250)
      const startedAt = performance.now()
      if (round % 2 === 0) {
        await second.stop('SIGKILL')
        await second.start()
      } else {
        await postgres.stop('SIGKILL')
        await wait(300)
        await postgres.start()
      }
      await until('everybody gives tokens', () => allAnswer(testApp), 30_000)
      recoveryMs = Math.max(recoveryMs, performance.now() - startedAt)
      const [redeemed] = [(await work).slice(0, codes.length)]
      given += redeemed.filter(Boolean).length
      decided += await deciding
    }
    for (const family of families) await endByReuse(testApp, family)
    await lookThroughRows(testApp)
    const lines = await verifyLedger(first)
    equal(testApp.heard.filter(({ status }) => status === 500).length, 0, 'no 500')
    const text = `${rounds} kills; ${rounds * codesInARound} codes ${timesEach.code} times each, ${given} redeemed; ${families.length} families ${timesEach.refresh} times at once each round; ${decided} consents and withdrawals acknowledged; answers ${statuses(testApp.heard)}; ${lines} lines in the ledger verify clean`
    return { text, recoveryMs }
  },
}

/** F12: as many refreshes of one family as there are, across all instances, where nothing fails. */
async function fiftyAtOnce({ scene, instances, client, heard }: TestApp, family: Family): Promise<void> {
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, at) => askForTokens(atTurn(instances, at), refreshing(family.newest, client))),
  )
  heard.push(...answers)
  const failed = answers.filter(({ status }) => status !== 200 && status !== 503)
  deepEqual(failed, [], '50 refreshes at once')
  scene.spent({ what: 'a refresh token sent 50 times', gave: given(answers) })
}

async function spendCode({ scene, instances, client, heard, query }: TestApp, code: MadeCode): Promise<boolean> {
  await wait(Math.random() * 500)
  const answers = await Promise.all(
    Array.from({ length: timesEach.code }, (_, at) =>
      askForTokens(atTurn(instances, at), redemption(code, client.form)),
    ),
  )
  heard.push(...answers)
  scene.spent({ what: 'a code', gave: given(answers) })
  const won = answers.find(({ status }) => status === 200)
  if (won === undefined) return false
  const grantId = grantOf(won.json)
  scene.audited(auditOf(query, 'grant.redeemed', `details like '%${grantId}%'`))
  return true
}

async function spendRefreshToken(
  { scene, instances, client, heard, query }: TestApp,
  family: Family,
): Promise<boolean> {
  const answers = await Promise.all(
    Array.from({ length: timesEach.refresh }, async (_, at) => {
      await wait(Math.random() * 500)
      return askForTokens(atTurn(instances, at), refreshing(family.newest, client))
    }),
  )
  heard.push(...answers)
  const wrong = answers.filter(({ status }) => ![0, 200, 502, 503].includes(status))
  deepEqual(wrong, [], 'who repeats a token at once hears nothing of theft')
  // The client goes on as it would: until it hears of a successor.
  const again = await patiently(atTurn(instances, 0), refreshing(family.newest, client))
  equal(again.status, 200, `a family goes on: ${JSON.stringify(again.json)}`)
  const successors = given([...answers, again])
  scene.spent({ what: 'a refresh token', gave: successors })
  const hash = `hash = encode(sha256('${again.json.refresh_token}'), 'hex')`
  scene.acknowledged(writeOf(query, 'a refresh token that was given', `refresh_tokens where ${hash}`))
  family.newest = again.json.refresh_token
  return true
}

/** The first token of a family that has gone on comes back: everything ends, and there is one line about it. */
async function endByReuse(
  { scene, instances, client, query }: TestApp,
  { grantId, first, newest }: Family,
): Promise<void> {
  const answers = await Promise.all(instances.map((instance) => patiently(instance, refreshing(first, client))))
  deepEqual(
    answers.map(({ status }) => status),
    instances.map(() => 400),
  )
  equal((await patiently(atTurn(instances, 1), refreshing(newest, client))).status, 400, 'the family is over')
  scene.audited(auditOf(query, 'grant.reuse-detected', `details like '%${grantId}%'`))
  scene.audited(auditOf(query, 'grant.ended', `details like '%${grantId}%'`))
}

/** People allow applications and take it back meanwhile; how often that was acknowledged. */
async function decide({ scene, instances, ...context }: TestApp, round: number): Promise<number> {
  const kinds = [peopleWriteKinds['consent'], peopleWriteKinds['withdrawn consent']]
  let acknowledged = 0
  for (let turn = 0; turn < 8; turn += 1) {
    const instance = atTurn(instances, turn)
    const name = `Decision ${round} ${turn}`
    const done = await kinds[turn % 2]?.({ ...context, instance, name }).catch(() => undefined)
    if (done === undefined || done.answer.status >= 300) continue
    scene.acknowledged(done.write)
    if (done.audit !== undefined) scene.audited(done.audit)
    acknowledged += 1
  }
  return acknowledged
}

/** What was not acknowledged is whole or not there: no row without its line, and no line without its row. */
async function lookThroughRows({ query }: TestApp): Promise<void> {
  const lines = (event: string, grant: string) =>
    `(select count(*) from ledger l where l.event = '${event}' and l.details like '%' || ${grant} || '%')`
  const none = {
    'codes whose redemption and line differ': `authorization_codes c where ${lines('grant.redeemed', 'c.grant_id')} <> (case when redeemed_at is null then 0 else 1 end)`,
    'two tokens of one number in a family': `(select grant_id from refresh_tokens group by grant_id, sequence having count(*) > 1) as doubled`,
    'tokens beyond their family': `refresh_tokens r join grants g on g.id = r.grant_id where r.sequence > g.refresh_sequence`,
    'reuse reported twice': `grants g where ${lines('grant.reuse-detected', 'g.id')} > 1`,
  }
  for (const [what, rows] of Object.entries(none)) equal(await writeOf(query, what, rows).count(), 0, what)
}

async function newFamily(testApp: TestApp): Promise<Family> {
  const { status, json } = await patiently(
    atTurn(testApp.instances, 0),
    redemption(await someCode(testApp), testApp.client.form),
  )
  equal(status, 200, JSON.stringify(json))
  return { grantId: grantOf(json), first: json.refresh_token, newest: json.refresh_token }
}

async function someCode({ person, client, instances }: TestApp): Promise<MadeCode> {
  const browser = person.at(atTurn(instances, 0))
  const code = await newCode(browser, client)
  ok(code !== undefined, `no code: ${browser.page.status} ${browser.page.url}`)
  return code
}

async function allAnswer({ person, client, instances }: TestApp): Promise<boolean> {
  for (const instance of instances) {
    const code = await newCode(person.at(instance), client).catch(() => undefined)
    if (code === undefined || (await askForTokens(instance, redemption(code, client.form))).status !== 200) return false
  }
  return true
}

/** The same again while the instance is away or cannot tell. */
async function patiently(instance: Instance, form: Record<string, string>) {
  for (let turn = 0; ; turn += 1) {
    const answer = await askForTokens(instance, form)
    if ((answer.status !== 0 && answer.status !== 503) || turn > 60) return answer
    await wait(250)
  }
}

function given(answers: readonly { status: number; json: { refresh_token: string } }[]): string[] {
  return answers.filter(({ status }) => status === 200).map(({ json }) => json.refresh_token)
}

function refreshing(token: string, { form }: Client): Record<string, string> {
  return { grant_type: 'refresh_token', refresh_token: token, ...form }
}

function atTurn(instances: readonly Instance[], turn: number): Instance {
  const instance = instances[turn % instances.length]
  if (instance === undefined) throw new Error('there is no instance')
  return instance
}
