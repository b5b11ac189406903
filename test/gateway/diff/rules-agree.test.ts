// What is said of a change of the configuration is what happens (contract §7.4, §7.5): over configurations at random,
// the access diff, tests that stand in the file, explanations with and without a server, and requests over a real
// socket before and after the change agree. `SEED=<number>` repeats a run.
// run: apart

import fc from 'fast-check'
import t from 'tap'
import { atOnce } from '../../../src/config/reload/steps.js'
import type { CallTest } from '../../../src/config/routes/call-test.js'
import type { LimitPolicy } from '../../../src/config/settings/limit-settings.js'
import type { RouteSettings } from '../../../src/config/settings/route-settings.js'
import { readAllAccessGrants } from '../../../src/directory/consents/access-grants.js'
import { type AccessDiff, accessDiff } from '../../../src/gateway/diff/access-diff.js'
import { heldPermissions } from '../../../src/gateway/diff/held-permissions.js'
import { requestClasses } from '../../../src/gateway/diff/request-classes.js'
import { runTests } from '../../../src/gateway/explain/call-tests.js'
import { offlineGate } from '../../../src/gateway/explain/offline.js'
import { effort, runSeed } from '../../support/effort.js'
import type { ModelApplication, ModelUser } from '../../support/models/explain-oracle.js'
import { callHeaders, exchange, getToken, openTestApp, type TestApp } from '../../support/models/explain-real.js'
import { makeWorld, ranks, type World } from '../../support/models/explain-world.js'
import { mostSpecific, randomPath, randomRoutes } from '../../support/models/rules-world.js'
import { otherResource, ownResource } from '../../support/rooms/directory.js'
import { recordingUpstream } from '../../support/rooms/http-gate.js'
import { upstreamSettings } from '../../support/settings/upstream-settings.js'

t.setTimeout(280_000)
const pairs = effort(200)
/** More than `pairs` only until everything that must occur has. */
const mostPairs = 400
const callsOfPair = 10
const seed = Number(process.env['SEED'] ?? runSeed)

/** Somebody with a real token for each API for which they get one. */
interface Caller {
  application: ModelApplication
  tenant: string
  user: ModelUser | undefined
  tokens: Map<string, { text: string; permissions: readonly string[] }>
}

interface Call {
  method: string
  path: string
  bodyBytes: number | undefined
  caller: Caller | undefined
}

interface Outcome {
  status: number
  /** Of the service that answered. */
  upstream: string | undefined
  needs: string | undefined
}

t.test(
  `a change is what is said of it: ${pairs} configurations, ${pairs * callsOfPair} calls (seed ${seed})`,
  async (t) => {
    const testApp = await openTestApp(t)
    const world = await makeWorld(testApp)
    const callers = await everybody(testApp, world)
    const grants = await readAllAccessGrants(testApp.store.reader)
    checkGrants(t, testApp, callers, grants)
    const settingsOf = await twoServices(t, testApp)
    const samples = fc.sample(fc.noBias(aPair(world.applications[1]?.id ?? '', callers.length)), {
      numRuns: mostPairs,
      seed,
    })
    const needed = ['200 then 403', '403 then 200', '200 then 404', '401 then 200', '200 then 405', '403 then 404']
    const disagreements: unknown[] = []
    const transitions = new Map<string, number>()
    for (const [index, { routes, calls: drawn }] of samples.entries()) {
      // More than that only for what did not happen to occur.
      if (index >= pairs && needed.every((name) => transitions.has(name))) break
      const [before, after] = routes.map(settingsOf)
      if (before === undefined || after === undefined) throw new Error('two configurations')
      const calls = drawn.map(({ who, ...call }): Call => ({ ...call, caller: callers[who - 1] }))
      const first = await outcomes(testApp, before, { calls, half: 0 }, (wrong) =>
        disagreements.push({ index, in: 'before', ...wrong }),
      )
      const second = await outcomes(testApp, after, { calls, half: 1 }, (wrong) =>
        disagreements.push({ index, in: 'after', ...wrong }),
      )
      const diff = accessDiff(before, after, grants)
      const patterns = requestClasses([...before.routes, ...after.routes].map(({ path }) => path)).map(
        (one) => one.pattern,
      )
      for (const [i, call] of calls.entries()) {
        const [was, is] = [first[i], second[i]]
        if (was === undefined || is === undefined) throw new Error('every call has an outcome')
        const real = Number(is.status === 200) - Number(was.status === 200)
        const path = mostSpecific(patterns, call.path)
        const predicted = changeOf(diff, call, path)
        const name = `${was.status} then ${is.status}`
        transitions.set(name, (transitions.get(name) ?? 0) + 1)
        // What is refused for its body is refused to everyone; of nobody, and of a slash at the end, nothing is said.
        const isPredicted = call.caller !== undefined && !call.path.endsWith('/')
        const comparable = isPredicted && ![was, is].some(({ status }) => status === 413 || status === 400)
        const moved = was.status === 200 && is.status === 200 && was.upstream !== is.upstream
        const change = diff.calls.find((one) => one.method === call.method && one.path === path)
        if (comparable && (predicted !== real || (moved && change?.changes.includes('upstream') !== true))) {
          disagreements.push({ index, call: say(call), path, predicted, was, is, changes: change?.changes })
        }
      }
    }
    t.same(disagreements.slice(0, 4), [], `${disagreements.length} disagreements`)
    for (const [name, count] of [...transitions].sort((a, b) => b[1] - a[1])) t.comment(`${count} ${name}`)
    for (const name of needed) t.ok((transitions.get(name) ?? 0) > 0, `${name} occurred`)
  },
)

function aPair(application: string, callers: number) {
  return fc
    .tuple(randomRoutes([application]), randomRoutes([application]), fc.nat(3))
    .map(([one, other, keep]): [readonly RouteSettings[], readonly RouteSettings[]] => {
      // Mostly a few routes change, as they do.
      return [one, keep === 0 ? other : merged(one.slice(keep), other.slice(0, keep + 1))]
    })
    .chain((routes) =>
      fc.record({
        routes: fc.constant(routes),
        calls: fc.array(
          fc.constantFrom(...routes.flat()).chain((one) =>
            fc.record({
              // Mostly what one of the routes takes.
              method: fc.oneof(
                { arbitrary: fc.constantFrom(...one.methods.keys()), weight: 3 },
                { arbitrary: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE'), weight: 1 },
              ),
              path: randomPath(routes.flat(), one.path),
              bodyBytes: fc.constantFrom(undefined, undefined, undefined, 5, 50),
              who: fc.oneof({ arbitrary: fc.constant(0), weight: 1 }, { arbitrary: fc.nat(callers), weight: 6 }),
            }),
          ),
          { minLength: callsOfPair, maxLength: callsOfPair },
        ),
      }),
    )
}

/** Of both, without what the first has of a shape. */
function merged(one: readonly RouteSettings[], other: readonly RouteSettings[]): readonly RouteSettings[] {
  const shape = ({ path }: RouteSettings) => path.replace(/\{[^}]*\}/g, '{}')
  const taken = new Set(one.map(shape))
  const added = other.filter((route) => !taken.has(shape(route)))
  return [...one, ...added.map((route) => ({ ...route, id: `new ${route.id}` }))]
}

type Rules = ReturnType<Awaited<ReturnType<typeof twoServices>>>

async function twoServices(t: Parameters<typeof recordingUpstream>[0], testApp: TestApp) {
  const limits = new Map<string, LimitPolicy>(
    (['many', 'more'] as const).map((name) => [
      name,
      { name, by: ['application'], algorithm: { kind: 'quota', limit: 1_000_000, periodMs: 86_400_000 } },
    ]),
  )
  testApp.limiter.replace(limits)
  const upstreams = new Map(
    await Promise.all(
      ['one', 'two'].map(async (name) => {
        const { target } = await recordingUpstream(
          t,
          (_request, response) => void response.setHeader('x-who', name).end(),
        )
        return [name, upstreamSettings(name, { target })] as const
      }),
    ),
  )
  const { catalogue, server } = testApp.settings
  return (routes: readonly RouteSettings[]) => ({
    routes,
    upstreams,
    limits,
    tokenLimits: [],
    ...{ plans: new Map(), defaultPlan: undefined },
    catalogue,
    server,
  })
}

/** Anyone who gets a token for something, with a real one from the token endpoint for each API. */
async function everybody(testApp: TestApp, world: World): Promise<Caller[]> {
  const callers: Caller[] = []
  for (const application of world.applications) {
    for (const tenant of world.tenants) {
      for (const user of [undefined, ...world.users]) {
        const caller: Caller = { application, tenant, user, tokens: new Map() }
        for (const resource of [ownResource, otherResource]) {
          const { token: text } = await getToken(testApp, world, {
            kind: 'simulated',
            application,
            tenant,
            user,
            resource,
          })
          if (text === undefined) continue
          const permissions = [...(world.tokens.at(-1)?.permissions ?? [])]
          caller.tokens.set(resource, { text, permissions })
        }
        if (caller.tokens.size > 0) callers.push(caller)
      }
    }
  }
  return callers
}

/** What the Store is read to grant is what tokens were issued with, to as many people. */
function checkGrants(
  t: { same(a: unknown, b: unknown, message: string): unknown },
  { settings: { catalogue } }: TestApp,
  callers: readonly Caller[],
  grants: Awaited<ReturnType<typeof readAllAccessGrants>>,
): void {
  const configured = new Map<string, number>()
  for (const grant of grants) {
    const held = [...heldPermissions(grant, catalogue)].map(([resource, ids]) => [resource, [...ids].sort()])
    const key = JSON.stringify([grant.applicationId, grant.tenantId, grant.role ?? null, held.sort()])
    if (held.length > 0) configured.set(key, (configured.get(key) ?? 0) + grant.people)
  }
  const issued = new Map<string, number>()
  for (const { application, tenant, user, tokens } of callers) {
    const held = [...tokens].map(([resource, { permissions }]) => [resource, [...permissions].sort()])
    const key = JSON.stringify([application.id, tenant, roleOf(user, tenant) ?? null, held.sort()])
    issued.set(key, (issued.get(key) ?? 0) + (user === undefined ? 0 : 1))
  }
  const sorted = (map: ReadonlyMap<string, number>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1))
  // One application has no secret at the moment: granted, and nobody has a token.
  const silent = sorted(configured).filter(([key]) => !issued.has(key))
  t.same(
    sorted(issued),
    sorted(configured).filter(([key]) => issued.has(key)),
    'granted is what tokens hold',
  )
  t.same(silent.length <= 1, true, `only one application has no secret: ${silent.join(' ')}`)
}

function roleOf(user: ModelUser | undefined, tenant: string): string | undefined {
  const rank = user?.roles.get(tenant)
  return rank === undefined ? undefined : ranks[rank]
}

/** Of the diff: 1 gains it, -1 loses it. */
function changeOf({ holders = [] }: AccessDiff, { caller, method }: Call, path: string | undefined): number {
  if (caller === undefined) return 0
  const { application, tenant, user } = caller
  const role = roleOf(user, tenant)
  const changes = holders.filter(
    (one) => one.applicationId === application.id && one.tenantId === tenant && one.role === role,
  )
  const has = (places: readonly { method: string; path: string }[]) =>
    places.some((operation) => operation.method === method && operation.path === path)
  return Number(changes.some(({ gains }) => has(gains))) - Number(changes.some(({ loses }) => has(loses)))
}

/**
 * What comes of each call under these rules: really, by explanation for one half, and by tests that expect just that.
 */
async function outcomes(
  testApp: TestApp,
  rules: Rules,
  { calls, half }: { calls: readonly Call[]; half: number },
  disagree: (what: Record<string, unknown>) => void,
): Promise<Outcome[]> {
  atOnce(testApp.gate.replace(rules))
  const offline = offlineGate(rules)
  const tests: CallTest[] = []
  const found: Outcome[] = []
  for (const [index, call] of calls.entries()) {
    const { method, path: target, bodyBytes } = call
    const route = routeFor(rules.routes, call)
    const resource = route?.resource ?? ownResource
    const token = call.caller?.tokens.get(resource)
    const real = await really(testApp, call, token?.text)
    found.push(real)
    if (index % 2 === half) {
      const explained = await explainedAs(testApp, call, token?.text)
      if (JSON.stringify(explained) !== JSON.stringify(real)) disagree({ call: say(call), real, explained })
    }
    // Which application it is, a test does not say.
    if (route?.applications !== undefined && real.status !== 404) continue
    const held = token && { kind: kindOf(call), resource, permissions: token.permissions }
    const request = { method, target, bodyBytes, operation: undefined, token: held }
    const { verdict, plan } = await offline(request)
    const dry = verdict.kind === 'refused' ? verdict.error.status : 200
    if (dry !== real.status) disagree({ call: say(call), real, dry })
    tests.push(...testsOf(request, real, { route: plan?.id, limits: plan?.limits }))
  }
  for (const { test, passed, expected, found: is } of await runTests({ ...rules, tests })) {
    if (passed !== (test.position === right)) disagree({ test: `${test.method} ${test.target}`, expected, is })
  }
  return found
}

const right = { file: 'right', line: 1, column: 1 }
const wrong = { file: 'wrong', line: 1, column: 1 }

/** One that expects what happened, and one that expects something else. */
function testsOf(
  request: Omit<CallTest, 'expect' | 'position'>,
  { status, needs, upstream }: Outcome,
  met: Pick<CallTest['expect'], 'route' | 'limits'>,
): CallTest[] {
  const expect = { status: status === 200 ? undefined : status, needs, upstream, ...met }
  const other = { ...expect, status: status === 200 ? 403 : undefined, needs: undefined }
  return [
    { ...request, expect, position: right },
    { ...request, expect: other, position: wrong },
  ]
}

async function explainedAs(testApp: TestApp, call: Call, token: string | undefined): Promise<Outcome> {
  const { decision, upstream } = await testApp.explain({
    ...{ method: call.method, target: call.path, address: '192.0.2.9', bodyBytes: call.bodyBytes },
    caller: token === undefined ? { kind: 'nobody' } : { kind: 'token', token },
  })
  const passed = decision.outcome === 'allowed' ? upstream?.name : undefined
  return { status: decision.status ?? 200, needs: decision.permission?.id, upstream: passed }
}

function kindOf({ caller }: Call): 'application' | 'delegated' {
  return caller?.user === undefined ? 'application' : 'delegated'
}

/** By the contract's rule; undefined: none. */
function routeFor(routes: readonly RouteSettings[], { path, method }: Call): RouteSettings | undefined {
  const pattern = mostSpecific(new Set(routes.map((one) => one.path)), path)
  const shape = (text: string) => text.replace(/\{[^}]*\}/g, '{}')
  return routes.find((one) => pattern !== undefined && shape(one.path) === shape(pattern) && one.methods.has(method))
}

async function really(testApp: TestApp, call: Call, token: string | undefined): Promise<Outcome> {
  const { method, path, bodyBytes } = call
  const bytes = bodyBytes ?? (method === 'GET' ? undefined : 0)
  const { status, body, headers } = await exchange(testApp, {
    method,
    path,
    headers: callHeaders('192.0.2.9', token),
    bytes,
  })
  const needs = body.includes('"permission"') ? (JSON.parse(body).error.permission.id as string) : undefined
  return { status, needs, upstream: headers['x-who'] as string | undefined }
}

function say({ caller, ...call }: Call): unknown {
  const tokens = [...(caller?.tokens ?? [])].map(
    ([resource, { permissions }]) => `${resource}: ${permissions.join(' ')}`,
  )
  return {
    ...call,
    caller: caller === undefined ? 'nobody' : caller.user === undefined ? 'application' : 'user',
    tokens,
  }
}
