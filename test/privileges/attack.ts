// Random people make random calls; each answer is compared with the model, and each change of the world with what the
// call said it would do. What disagrees is reported with its seed and step.

import type { Presented } from '../../src/management/dependencies.js'
import { commandLineClient } from '../../src/oauth/command-line-client.js'
import { recentSignIn } from '../support/models/isolation.js'
import { portalSession } from '../support/people/portal-session.js'
import { makeCall } from './calls.js'
import type { Call, Verdict } from './making.js'
import { type Actor, definitionOf, isAtLeast, isServer, needsAdministrator, tokenOf } from './model.js'
import { type Chance, chance } from './random.js'
import { findEscalation } from './reach.js'
import type { KnownApplication, Snapshot } from './snapshot.js'
import { beyondToken } from './tokens.js'
import { allow, look, restore, type World } from './world.js'

export interface Report {
  calls: number
  /** How many answers were of each kind. */
  answers: Record<string, number>
  disagreements: string[]
}

/** Until everything is put back to its beginning. */
const callsOfOneLife = 400

/** Calls until there are enough, `until` says so, or `most` disagree. */
export async function attack(
  world: World,
  {
    seed,
    calls,
    until = () => false,
    most = 10,
  }: { seed: number; calls: number; until?: () => boolean; most?: number },
): Promise<Report> {
  const dice = chance(seed)
  const report: Report = { calls: 0, answers: {}, disagreements: [] }
  let snapshot = await look(world)
  while (report.calls < calls && !until() && report.disagreements.length < most) {
    if (report.calls % callsOfOneLife === 0) {
      await restore(world)
      snapshot = await look(world)
    }
    report.calls += 1
    if (dice.next() < 0.25) {
      await allowSomething(world, snapshot, dice)
      snapshot = await look(world)
    }
    const beyond = dice.next() < 0.1 ? await beyondToken(world, snapshot, dice) : undefined
    if (beyond !== undefined) report.disagreements.push(`seed ${seed}, call ${report.calls}: ${beyond}`)
    const actor = withFactor(anActor(snapshot, dice, world), dice)
    const call = makeCall(world, snapshot, actor, dice)
    const response = await tell(world, snapshot, actor, call)
    report.answers[response.answer] = (report.answers[response.answer] ?? 0) + 1
    const where = `seed ${seed}, call ${report.calls}: ${JSON.stringify(actor)} ${call.method} ${call.path} ${JSON.stringify(call.body)}`
    for (const problem of response.problems) report.disagreements.push(`${where}: ${problem}`)
    snapshot = response.after
  }
  return report
}

/** One call, what is wrong about its answer and what it did, and the world after it. */
async function tell(
  world: World,
  before: Snapshot,
  actor: Actor,
  call: Call,
): Promise<{ answer: string; problems: string[]; after: Snapshot }> {
  const { testApp, holders } = world
  testApp.caller.principal = principalOf(world, before, actor)
  const { statusCode, body } = await testApp.manage(call.method, call.path, call.body)
  const problems = agrees(statusCode, body, call.verdict)
    ? []
    : [`the model says ${call.verdict}, the answer ${statusCode} ${body}`]
  const isDone = statusCode < 300
  const answer = isDone ? 'done' : String(statusCode)
  if (call.method === 'GET' || !(await hasChanged(world))) {
    const undone = isDone ? call.leaves?.(before) : undefined
    return { answer, problems: undone === undefined ? problems : [...problems, undone], after: before }
  }
  const after = await look(world)
  const given = [...after.facts].filter((fact) => !before.facts.has(fact))
  const strange = given.filter((fact) => !isDone || !call.gives(fact))
  if (strange.length > 0) problems.push(`it gave more than it says: ${strange.join(', ')}`)
  if (!isDone && after.facts.size !== before.facts.size + given.length)
    problems.push('a refused call took something away')
  if (isDone && call.holds !== undefined) {
    const id = call.holds === 'new' ? (JSON.parse(body).applicationId as string) : call.holds
    holders.set(
      id,
      (holders.get(id) ?? new Set()).add(actor.kind === 'application' ? actor.applicationId : actor.userId),
    )
  }
  const left = isDone ? call.leaves?.(after) : undefined
  if (left !== undefined) problems.push(left)
  if (given.length > 0) problems.push(...reaching(world, after))
  return { answer, problems, after }
}

/** Whether anything was written since the last call: every change has a number. */
async function hasChanged(world: World): Promise<boolean> {
  const { reader } = world.testApp.store
  const { seq } = await reader
    .selectFrom('ledger')
    .select(({ fn }) => fn.max('position').as('seq'))
    .executeTakeFirstOrThrow()
  const isChanged = Number(seq) !== world.ledgerHead
  world.ledgerHead = Number(seq)
  return isChanged
}

function reaching(world: World, snapshot: Snapshot): string[] {
  const seeing = { rules: world.rules, refs: world.refs, holders: world.holders, snapshot }
  const everybody = [...snapshot.people.keys(), ...snapshot.applications.keys()]
  return everybody.map((who) => findEscalation(seeing, who)).filter((problem) => problem !== undefined)
}

/**
 * A bad request, or what is there already, says nothing of who may; only those who may learn that there is no mail.
 */
function agrees(status: number, body: string, verdict: Verdict): boolean {
  if (status === 409 && body.includes('MailNeeded')) return verdict === 'no link'
  if ((status === 400 || status === 409) && verdict !== 'second factor') return true
  if (verdict === 'may') return status < 300
  return status === { refused: 403, gone: 404, 'no link': 409, 'second factor': 401 }[verdict]
}

/**
 * People at the portal and the command line, and applications with and without somebody; rather those that hold
 * something.
 */
function anActor(snapshot: Snapshot, dice: Chance, { rules, tenants }: World): Actor {
  const person = dice.pick([...snapshot.people.values()])
  const { userId } = person
  const tenantId = dice.next() < 0.9 ? (dice.pick([...person.roles.keys()]) ?? tenants[0]) : dice.pick(tenants)
  const kind = dice.next()
  const applications = [...snapshot.applications.values()]
  const isApplicationOnly = kind < 0.7
  const holding = applications.filter((one) =>
    isApplicationOnly ? one.granted.size > 0 : people(one, snapshot).length > 0,
  )
  const application = dice.pick(holding.length > 0 ? holding : applications)
  if (application === undefined || kind < 0.4) return { kind: 'session', userId, tenantId }
  if (kind < 0.5) return { kind: 'delegated', userId, applicationId: commandLineClient.applicationId, tenantId }
  const { applicationId } = application
  if (isApplicationOnly) {
    const tenant = dice.pick([...application.granted.keys()]) ?? tenantId
    const itself = { kind: 'application' as const, applicationId, tenantId: tenant }
    return tokenOf(rules, snapshot, itself).length > 0 ? itself : { kind: 'session', userId, tenantId }
  }
  const user = dice.next() < 0.9 ? dice.pick(people(application, snapshot)) : undefined
  return { kind: 'delegated', applicationId, ...(user ?? { userId, tenantId }) }
}

/** Most people come with two factors: some tenants demand that of some. */
function withFactor(actor: Actor, dice: Chance): Actor {
  return actor.kind === 'application' || dice.next() < 0.3 ? actor : { ...actor, acr: '2' }
}

/**
 * Who can have tokens for management through it: anyone who allowed it something, and where it may, everybody of the
 * tenant.
 */
function people(application: KnownApplication, snapshot: Snapshot): { userId: string; tenantId: string }[] {
  const individuals = application.consented.map(({ userId, tenantId }) => ({ userId, tenantId }))
  const forAll = [...application.granted].filter(([, refs]) => refs.some(({ kind }) => kind === 'delegated'))
  const everybody = forAll.flatMap(([tenantId]) =>
    [...snapshot.people.values()]
      .filter(({ roles }) => roles.has(tenantId))
      .map(({ userId }) => ({ userId, tenantId })),
  )
  return [...individuals, ...everybody]
}

/** As the transports present them: a session by its names, a token by what it holds. */
function principalOf({ rules, testApp }: World, snapshot: Snapshot, actor: Actor): Presented {
  const signIn = { ...recentSignIn, ...(actor.kind !== 'application' && actor.acr === '2' ? { acr: '2' } : {}) }
  if (actor.kind === 'session') return { ...actor, session: portalSession(actor.userId), ...signIn }
  const ids = tokenOf(rules, snapshot, actor).filter(({ resource }) => resource === rules.own)
  const { kid: keyId } = testApp.keyring.signingKey('token')
  // A token of this moment: what ended those before it says nothing of this one.
  const times = { issuedAt: 0, expiresAt: Number.MAX_SAFE_INTEGER, seq: testApp.view.seq }
  const common = {
    ...times,
    keyId,
    jti: 'x',
    credentialId: 'x',
    resource: rules.own,
    permissions: new Set(ids.map(({ id }) => id)),
  }
  return actor.kind === 'application' ? { ...common, ...actor } : { ...common, ...actor, grantId: 'x', ...signIn }
}

/** Somebody allows an application something for themselves, as the consent page lets them. */
async function allowSomething(world: World, snapshot: Snapshot, dice: Chance): Promise<void> {
  const { rules } = world
  const person = dice.pick([...snapshot.people.values()])
  const [tenantId] = dice.some([...person.roles.keys()], 0.7)
  const application = dice.pick([...snapshot.applications.values()].filter(({ home }) => home === tenantId))
  if (tenantId === undefined || application === undefined || !person.isEnabled) return
  const role = person.roles.get(tenantId) ?? 'member'
  const byAdministrator = isAtLeast(role, 'administrator')
  const permissions = application.configured.filter(
    (ref) =>
      ref.kind === 'delegated' &&
      isAtLeast(role, definitionOf(rules, ref)?.role ?? 'owner') &&
      (person.isOperator || !isServer(rules, ref)) &&
      (byAdministrator || !needsAdministrator(rules, ref)),
  )
  const { userId } = person
  const consent = { userId, applicationId: application.applicationId, tenantId, permissions, byAdministrator }
  await allow(world, consent).catch(() => undefined)
}
