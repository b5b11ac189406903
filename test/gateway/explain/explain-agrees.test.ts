// Explanations agree with the gate (contract §7.4): random calls get the same decision and reason from the
// explanation, from a request over a real socket, and from an oracle that was written from the contract alone.
// `SEED=<number>` repeats a run.
// run: apart

import fc from 'fast-check'
import t from 'tap'
import type { Explanation } from '../../../src/gateway/explain/explanation.js'
import type { CallQuestion } from '../../../src/gateway/explain/question.js'
import { effort, runSeed } from '../../support/effort.js'
import { happen, happenings, repair, repairAll } from '../../support/models/explain-happenings.js'
import { type Expected, expected, type ModelCall } from '../../support/models/explain-oracle.js'
import { mangle, mangled, type Outcome, openTestApp, really, type TestApp } from '../../support/models/explain-real.js'
import { makeWorld, modelRoutes, type World } from '../../support/models/explain-world.js'

t.setTimeout(180_000)
const cases = effort(2_000)
const seed = Number(process.env['SEED'] ?? runSeed)

/** Targets, with the route that they mean or why they mean nothing. */
const targets: readonly (readonly [target: string, match: ModelCall['match'], weight: number])[] = [
  ['/api/v2/me', { route: 'me' }, 8],
  ['/api//v2/./%6de', { route: 'me' }, 2],
  ['/api/v2/list', { route: 'list' }, 8],
  ['/api/v2/list?a=b', { route: 'list' }, 2],
  ['/api/v2/both/42', { route: 'both' }, 5],
  ['/api/v2/developers', { route: 'developers' }, 4],
  ['/open', { route: 'open' }, 5],
  ['/things/a/b', { route: 'things' }, 4],
  ['/api/v2/lax', { route: 'lax' }, 6],
  ['/api/v2/make', { route: 'make' }, 5],
  ['/api/v2/ME', {}, 1],
  ['/api/v2/me/', {}, 1],
  ['/api/v2/nothing', {}, 1],
  ['/api/v2/../me', { refused: 'dot_segment' }, 1],
  ['/api/v2/me;x', { refused: 'path_parameter' }, 1],
  ['/api/v2%2fme', { refused: 'encoded_separator' }, 1],
]

const nat = fc.nat(1_000_000)
/** Once in so many. */
const sometimes = <T>(arbitrary: fc.Arbitrary<T>, every: number) =>
  fc.oneof({ arbitrary, weight: 1 }, { arbitrary: fc.constant(undefined), weight: every - 1 })
const aCase = fc.record({
  happens: sometimes(fc.constantFrom(...happenings), 7),
  pick: nat,
  targetCase: fc.oneof(...targets.map((target) => ({ arbitrary: fc.constant(target), weight: target[2] }))),
  method: fc.oneof(
    { arbitrary: fc.constant('right'), weight: 14 },
    { arbitrary: fc.constantFrom('HEAD', 'OPTIONS', 'DELETE', 'TRACE', 'PATCH'), weight: 3 },
  ),
  caller: fc.oneof(
    { arbitrary: fc.constant('nobody'), weight: 1 },
    { arbitrary: fc.constant('mangled'), weight: 3 },
    { arbitrary: fc.constant('token'), weight: 9 },
    { arbitrary: fc.constant('simulated'), weight: 9 },
  ),
  who: fc.tuple(nat, nat, nat, nat),
  address: fc.integer({ min: 1, max: 6 }).map((last) => `192.0.2.${last}`),
  bodyBytes: sometimes(fc.constantFrom(0, 50, 5_000), 16),
  tokenInQuery: fc.nat(30).map((n) => n === 0),
})
type Case = typeof aCase extends fc.Arbitrary<infer T> ? T : never

t.test(`explanation, gate and oracle decide alike on ${cases} random calls (seed ${seed})`, async (t) => {
  const testApp = await openTestApp(t)
  const world = await makeWorld(testApp)
  const { model } = world
  testApp.view.isStale = () => model.stale
  const counts = new Map<string, number>()
  const disagreements: unknown[] = []
  let passed = 0
  const drawn = fc.sample(fc.noBias(aCase), { numRuns: cases, seed })
  for (const [index, one] of [...drawn, ...certain()].entries()) {
    if (index === cases) await repairAll(testApp, world)
    testApp.clock.nowMs += 1_500
    model.nowMs = testApp.clock.nowMs
    world.order += 1
    await repair(testApp, world, one.pick)
    if (one.happens !== undefined) await happen(testApp, world, one.happens, one.pick)
    const { call, question, presented } = await prepare(testApp, world, one)
    const explained = await testApp.explain(question)
    const real = await really(testApp, world, { target: one.targetCase[0], call, presented })
    const should = expected(model, call)
    const outcomes = { explained: ofExplanation(explained), real, oracle: should }
    if (should.by === 'upstream') passed += 1
    const outcome = [should.status, should.reason, should.limit].filter((part) => part !== undefined).join(' ')
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
    if (!agree(outcomes, call))
      disagreements.push({ index, happens: one.happens, call: sayCall(call), target: one.targetCase[0], ...outcomes })
  }
  t.same(disagreements.slice(0, 5), [], `${disagreements.length} disagreements`)
  t.equal(testApp.upstream.requests.length, passed, 'what was allowed reached the service, and nothing else')
  for (const [outcome, count] of [...counts].sort((a, b) => b[1] - a[1])) t.comment(`${count} ${outcome}`)
  for (const outcome of often)
    t.ok((counts.get(outcome) ?? 0) >= 3, `${outcome} occurred ${counts.get(outcome) ?? 0} times`)
})

/** What must have been among them. */
const often = [
  '200 granted',
  '200 public',
  '404 not_found',
  '405 method_not_allowed',
  '429 rate_limited address',
  '429 rate_limited application',
  '429 rate_limited tenant',
  '429 rate_limited person',
  '503 view_stale',
  '401 no_token',
  '401 expired',
  '401 wrong_audience',
  '401 token_revoked',
  '401 application_revoked',
  '401 application_disabled',
  '403 insufficient_scope',
]

/** Calls after the others, when everything is fixed, that make it so whatever was drawn. */
function certain(): Case[] {
  const calls = (times: number, target: string, caller: Case['caller'], more: Partial<Case> = {}): Case[] => {
    const targetCase = targets.find(([text]) => text === target)
    if (targetCase === undefined) throw new Error(`no target is ${target}`)
    const plain = { method: 'right', bodyBytes: undefined, tokenInQuery: false, happens: undefined } as const
    const one: Case = { ...plain, pick: nothing, targetCase, caller, who: newest, address: '192.0.2.9', ...more }
    return Array.from({ length: times }, () => one)
  }
  const [make, list, things, me] = ['/api/v2/make', '/api/v2/list', '/things/a/b', '/api/v2/me']
  const ofApplication = (application: number): Case['who'] => [application, 1, 2, 0]
  const newToken = () => calls(1, make, 'simulated', { who: ofApplication(8) })
  return [
    ...calls(23, '/open', 'nobody'),
    ...[...calls(1, list, 'simulated', { who: ofApplication(0) }), ...calls(8, list, 'token')],
    ...[...calls(1, things, 'simulated', { who: ofApplication(6) }), ...calls(14, things, 'token')],
    ...[...calls(1, me, 'simulated', { who: [4, 1, 1, 0], address: '192.0.2.10' })],
    ...calls(4, me, 'token', { address: '192.0.2.10' }),
    ...[...calls(3, make, 'nobody'), ...calls(3, make, 'mangled', { who: [0, 0, 0, 0] })],
    ...[...calls(3, '/api/v2/nothing', 'nobody'), ...calls(3, make, 'nobody', { method: 'DELETE' })],
    ...[...newToken(), ...calls(3, make, 'token'), ...calls(3, '/api/v2/developers', 'token')],
    ...calls(3, things, 'token'),
    ...[...calls(1, make, 'token', { happens: 'token', pick: 16 }), ...calls(2, make, 'token')],
    ...[...newToken(), ...calls(1, make, 'token', { happens: 'tokens of application', pick: 17 })],
    ...calls(2, make, 'token'),
    ...[...newToken(), ...calls(1, make, 'token', { happens: 'application', pick: 17 }), ...calls(2, make, 'token')],
    ...[...calls(1, make, 'token', { happens: 'stale' }), ...calls(2, make, 'token')],
  ]
}

/** A pick that fixes nothing. */
const nothing = 5
/** Of the tokens that there are, the last. */
const newest: Case['who'] = [0, 11, 1, 0]

/** The call for the oracle, the same as a question, and the token that a real request would bring. */
async function prepare(
  testApp: TestApp,
  world: World,
  one: Case,
): Promise<{ call: ModelCall; question: CallQuestion; presented: string | undefined }> {
  const [target, match] = one.targetCase
  const method =
    one.method === 'right'
      ? modelRoutes.find(({ id }) => id === match.route)?.id === 'make'
        ? 'POST'
        : 'GET'
      : one.method
  const { caller, presented } = await callerOf(testApp, world, one)
  const { address, bodyBytes, tokenInQuery } = one
  const withQuery = tokenInQuery ? `${target}${target.includes('?') ? '&' : '?'}access_token=x` : target
  const call: ModelCall = { method, match, address, bodyBytes, tokenInQuery, caller }
  const questionCaller = await toQuestionCaller(testApp, caller, presented)
  return { call, presented, question: { method, target: withQuery, address, bodyBytes, caller: questionCaller } }
}

async function toQuestionCaller(
  testApp: TestApp,
  caller: ModelCall['caller'],
  presented: string | undefined,
): Promise<CallQuestion['caller']> {
  if (caller.kind !== 'simulated')
    return presented === undefined ? { kind: 'nobody' } : { kind: 'token', token: presented }
  const registration = await testApp.directory.findRegistration(caller.application.id)
  if (registration === undefined) throw new Error('the application is gone')
  return { kind: 'simulated', registration, tenantId: caller.tenant, userId: caller.user?.id, scope: undefined }
}

async function callerOf(
  testApp: TestApp,
  world: World,
  { caller, who }: Case,
): Promise<{ caller: ModelCall['caller']; presented: string | undefined }> {
  const [a, b, c, d] = who
  const recent = world.tokens.slice(-12)
  const old = c % 4 === 0 ? world.tokens : recent
  const token = old[b % Math.max(1, old.length)]
  if (caller === 'token' && token !== undefined) return { caller: { kind: 'token', token }, presented: token.text }
  if (caller === 'mangled' && token !== undefined) {
    const reason = mangled[a % mangled.length] ?? 'token_shape'
    return { caller: { kind: 'mangled', reason }, presented: await mangle(testApp, reason) }
  }
  if (caller === 'nobody') return { caller: { kind: 'nobody' }, presented: undefined }
  const application = world.applications[a % world.applications.length]
  const tenant = world.tenants[b % 5 === 0 ? 1 : 0]
  const user = c % 2 === 0 ? undefined : world.users[d % world.users.length]
  if (application === undefined || tenant === undefined) throw new Error('the world is empty')
  return { caller: { kind: 'simulated', application, tenant, user }, presented: undefined }
}

function ofExplanation({ decision }: Explanation): Outcome {
  const { status, reason, permission } = decision
  const missing =
    permission === null
      ? {}
      : { missing: { id: permission.id, kind: permission.kind, status: permission.status ?? '' } }
  return { status: status ?? 200, reason, ...missing }
}

/** What is allowed has no reason in the log; nor has what is refused before a room is reached. */
const unlogged = new Set(['granted', 'public', 'options', 'method_not_allowed'])

function agree(
  { explained, real, oracle }: { explained: Outcome; real: Outcome; oracle: Expected },
  { method }: ModelCall,
): boolean {
  if (explained.status !== oracle.status || real.status !== oracle.status) return false
  if (explained.reason !== oracle.reason) return false
  if (real.reason !== oracle.reason && !(real.reason === '' && unlogged.has(oracle.reason))) return false
  const missing = JSON.stringify(oracle.missing)
  // HEAD has no body to say it in.
  return (
    JSON.stringify(explained.missing) === missing &&
    ((method === 'HEAD' && real.missing === undefined) || JSON.stringify(real.missing) === missing)
  )
}

function sayCall({ caller, ...call }: ModelCall): unknown {
  return {
    ...call,
    caller: caller.kind === 'simulated' ? `${caller.user === undefined ? 'application' : 'user'}` : caller.kind,
  }
}
