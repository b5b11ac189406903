// Random people make random calls; each answer is compared with the model, and each change of the world with what the call said it
// would do. What disagrees is told with its seed and step.

import { rememberWithin } from '../../src/directory/consents.js'
import { write } from '../../src/directory/writes.js'
import type { Presented } from '../../src/management/dependencies.js'
import { commandLineClient } from '../../src/oauth/command-line-client.js'
import { type Call, makeCall, type Verdict } from './calls.js'
import { type Actor, definitionOf, isAtLeast, isServer, needsAdministrator, tokenOf } from './model.js'
import { type Chance, chance } from './random.js'
import { beyondPlace } from './reach.js'
import type { Snapshot } from './snapshot.js'
import { look, restore, type World } from './world.js'

export interface Report {
  calls: number
  /** How many answers were of each kind. */
  answers: Record<string, number>
  disagreements: string[]
}

/** Until everything is put back to its beginning. */
const callsOfOneLife = 400

/** Calls until there are enough, `until` says so, or ten disagree. */
export async function attack(
  world: World,
  { seed, calls, until = () => false }: { seed: number; calls: number; until?: () => boolean },
): Promise<Report> {
  const dice = chance(seed)
  const report: Report = { calls: 0, answers: {}, disagreements: [] }
  let snapshot = await look(world)
  while (report.calls < calls && !until() && report.disagreements.length < 10) {
    if (report.calls % callsOfOneLife === 0) {
      await restore(world)
      snapshot = await look(world)
    }
    report.calls += 1
    if (dice.next() < 0.25) {
      await allowSomething(world, snapshot, dice)
      snapshot = await look(world)
    }
    const actor = anActor(snapshot, dice, world)
    const call = makeCall(world, snapshot, actor, dice)
    const told = await tell(world, snapshot, actor, call)
    report.answers[told.answer] = (report.answers[told.answer] ?? 0) + 1
    const where = `seed ${seed}, call ${report.calls}: ${JSON.stringify(actor)} ${call.method} ${call.path} ${JSON.stringify(call.body)}`
    for (const problem of told.problems) report.disagreements.push(`${where}: ${problem}`)
    snapshot = told.after
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
  const { house, holders } = world
  house.caller.principal = principalOf(world, before, actor)
  const { statusCode, body } = await house.manage(call.method, call.path, call.body)
  const problems = agrees(statusCode, call.verdict)
    ? []
    : [`the model says ${call.verdict}, the answer ${statusCode} ${body}`]
  const isDone = statusCode < 300
  const answer = isDone ? 'done' : String(statusCode)
  if (call.method === 'GET' || !(await hasChanged(world))) return { answer, problems, after: before }
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
  if (given.length > 0) problems.push(...reaching(world, after))
  return { answer, problems, after }
}

/** Whether anything was written since it was asked last: every change has a number. */
async function hasChanged(world: World): Promise<boolean> {
  const { reader } = world.house.store
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
  return everybody.map((who) => beyondPlace(seeing, who)).filter((problem) => problem !== undefined)
}

/** What was asked wrongly, or is there already, says nothing of who may. */
function agrees(status: number, verdict: Verdict): boolean {
  if (status === 400 || status === 409) return true
  if (verdict === 'may') return status < 300
  return status === { refused: 403, gone: 404, 'no link': 409 }[verdict]
}

function anActor(snapshot: Snapshot, dice: Chance, { rules, tenants }: World): Actor {
  const person = dice.pick([...snapshot.people.values()])
  const application = dice.pick([...snapshot.applications.values()])
  const { userId } = person
  const tenantId = dice.next() < 0.9 ? (dice.pick([...person.roles.keys()]) ?? tenants[0]) : dice.pick(tenants)
  const kind = dice.next()
  if (application === undefined || kind < 0.6) return { kind: 'session', userId, tenantId }
  if (kind < 0.7) return { kind: 'delegated', userId, applicationId: commandLineClient.applicationId, tenantId }
  const { applicationId } = application
  const alone = {
    kind: 'application' as const,
    applicationId,
    tenantId: dice.pick([...application.granted.keys()]) ?? tenantId,
  }
  if (kind < 0.85) return tokenOf(rules, snapshot, alone).length > 0 ? alone : { kind: 'session', userId, tenantId }
  const user = dice.pick(application.consented)
  if (user === undefined) return { kind: 'delegated', userId, applicationId, tenantId }
  return { kind: 'delegated', userId: user.userId, applicationId, tenantId: user.tenantId }
}

/** As the doors present them: a session by its names, a token by what it holds. */
function principalOf({ rules }: World, snapshot: Snapshot, actor: Actor): Presented {
  if (actor.kind === 'session') return actor
  const ids = tokenOf(rules, snapshot, actor).filter(({ resource }) => resource === rules.own)
  const times = { issuedAt: 0, expiresAt: Number.MAX_SAFE_INTEGER, seq: 0, jti: 'x', credentialId: 'x', keyId: 'x' }
  const common = { ...times, resource: rules.own, permissions: new Set(ids.map(({ id }) => id)) }
  return actor.kind === 'application' ? { ...common, ...actor } : { ...common, ...actor, grantId: 'x' }
}

/** Somebody allows an application something for themselves, as the consent page lets them. */
async function allowSomething({ house, rules }: World, snapshot: Snapshot, dice: Chance): Promise<void> {
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
  const consent = {
    userId: person.userId,
    applicationId: application.applicationId,
    tenantId,
    permissions,
    byAdministrator,
  }
  await write(house.writes, (writing) => rememberWithin(house.writes, writing, consent)).catch(() => undefined)
}
