// The tests that stand in the configuration. A name that nothing has is a mistake here: such a test would prove
// nothing.

import { isName } from '../../mcp/message.js'
import { quantity } from '../process/units.js'
import type { Path } from '../read/places.js'
import type { Report } from '../report/report.js'
import type { ConfigurationFile } from '../schema/file.js'
import type { RouteSettings } from '../settings/route-settings.js'
import type { CallTest } from './call-test.js'
import type { RouteContext } from './routes.js'

type TestOfFile = Partial<ConfigurationFile['tests'][number]>
type Kind = 'application' | 'delegated'

interface TestContext extends Omit<RouteContext, 'defaultLimits'> {
  routes: readonly RouteSettings[]
}

/** Reads `tests`, in the order of the file. Mistakes go to the report. */
export function compileTests(context: TestContext): readonly CallTest[] {
  return context.file.tests.map((test, index) => testOf(test, ['tests', index], context))
}

function testOf(test: TestOfFile, path: Path, context: TestContext): CallTest {
  const { call = '', expect = {} } = test
  const { report } = context
  const [method = '', target = '', ...more] = call.split(' ')
  const isCall = /^[A-Z]+$/.test(method) && target.startsWith('/') && more.length === 0
  if (!isCall && test.call !== undefined)
    report.problem([...path, 'call'], 'must be a method and a path, such as GET /api/v2/me')
  const { status, needs, upstream, route, limits } = expect
  const resource = resourceOf(test, path, context)
  checkToken(test, resource, path, context)
  checkExpected(expect, [...path, 'expect'], context)
  return {
    method,
    target,
    operation: operationOf(test, method, path, report),
    bodyBytes: test.body === undefined ? undefined : quantity.bytes(test.body),
    token: test.with === undefined ? undefined : { kind: kindOf(test), resource, permissions: test.with },
    expect: { status, needs, upstream, route, limits },
    position: report.places.position(path),
  }
}

/** At most one thing is called by one message. */
function operationOf(test: TestOfFile, method: string, path: Path, report: Report): CallTest['operation'] {
  const named = ([['tool'], ['prompt'], ['uri', 'resource']] as const).flatMap(([setting, kind = setting]) => {
    const name = test[setting]
    return name === undefined || kind === 'uri' ? [] : [{ setting, kind, name }]
  })
  const [first, second] = named
  if (first === undefined) return undefined
  if (second !== undefined)
    report.problem([...path, second.setting], `stands beside ${first.setting}: a message is about one of them`, 'key')
  if (method !== 'POST')
    report.problem([...path, 'call'], `must be POST and the path of the MCP server, because ${first.setting} is said`)
  if (!isName(first.name)) report.problem([...path, first.setting], 'is no name that a message could have')
  return { kind: first.kind, name: first.name }
}

function kindOf({ as }: TestOfFile): Kind {
  return as === 'user' ? 'delegated' : 'application'
}

function resourceOf({ resource }: TestOfFile, path: Path, { resourceIds, report }: TestContext): string | undefined {
  if (resource === undefined) return undefined
  const id = resourceIds.get(resource)
  if (id !== undefined) return id
  const thing = { what: 'resource', name: resource, section: ['resources'], known: resourceIds.keys() }
  report.unknown([...path, 'resource'], thing)
  return undefined
}

function checkToken(
  test: TestOfFile,
  resource: string | undefined,
  path: Path,
  { catalogue, report }: TestContext,
): void {
  const kind = kindOf(test)
  for (const needless of ['as', 'resource'] as const) {
    if (test.with === undefined && test[needless] !== undefined)
      report.problem([...path, needless], 'says whose token it is; with says what it holds, and is missing', 'key')
  }
  for (const [index, id] of (test.with ?? []).entries()) {
    const at = [...path, 'with', index]
    const known = catalogue.permissions.filter((one) => resource === undefined || one.resource === resource)
    const named = known.filter((one) => one.id === id)
    if (named.length === 0) {
      report.unknown(at, { what: 'permission', name: id, section: ['permissions'], known: known.map((one) => one.id) })
    } else if (!named.some(({ kinds }) => kinds.includes(kind))) {
      const holder = kind === 'delegated' ? 'a user’s' : 'an application’s own'
      report.problem(at, `cannot be in ${holder} token${kind === 'application' ? '; say as: user' : ''}`)
    }
  }
}

function checkExpected(expect: NonNullable<TestOfFile['expect']>, path: Path, context: TestContext): void {
  const { catalogue, report, upstreams, limits, routes } = context
  const { status, needs, upstream, route } = expect
  if (Object.keys(expect).length === 0 && !report.isBroken(path)) {
    report.problem(path, 'expects nothing; say status, needs, upstream, route or limits')
  }
  if (status !== undefined && status < 400 && status !== 204) {
    report.problem([...path, 'status'], 'is no refusal: the service says the status of what reaches it; say upstream')
  }
  if (needs !== undefined && status !== undefined && status !== 403) {
    report.problem([...path, 'needs'], 'belongs to a 403', 'key')
  }
  const known = {
    needs: ['permission', needs, 'permissions', catalogue.permissions.map(({ id }) => id)],
    upstream: ['upstream', upstream, 'upstreams', [...upstreams.keys()]],
    route: ['route', route, 'routes', routes.map(({ id }) => id)],
  } as const
  for (const [setting, [what, name, section, names]] of Object.entries(known)) {
    if (name === undefined || names.includes(name)) continue
    report.unknown([...path, setting], { what, name, section: [section], known: names })
  }
  for (const [index, name] of (expect.limits ?? []).entries()) {
    if (limits.has(name)) continue
    report.unknown([...path, 'limits', index], { what: 'limit', name, section: ['limits'], known: limits.keys() })
  }
}
