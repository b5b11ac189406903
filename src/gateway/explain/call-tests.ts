// The tests that stand in a configuration (`tests`), run over its own routes. A configuration of which one fails is
// wrong: it is not loaded.

import { ConfigurationErrors } from '../../config/report/problem.js'
import type { CallTest } from '../../config/routes/call-test.js'
import type { Settings } from '../../config/settings/settings.js'
import { operationNamed } from '../mcp/named-operation.js'
import { type OfflineDecision, type OfflineSettings, offlineGate } from './offline.js'

export interface TestResult {
  test: CallTest
  /** As somebody would say it: `POST /desk/mcp tool close_ticket`. */
  call: string
  passed: boolean
  /** In words: `403 for lack of write`, `upstream backend`. */
  expected: string
  found: string
}

/** Runs them, in their order. Throws Error when a route cannot be compiled. */
export async function runTests(settings: OfflineSettings & Pick<Settings, 'tests'>): Promise<readonly TestResult[]> {
  if (settings.tests.length === 0) return []
  const decide = offlineGate(settings)
  const results: TestResult[] = []
  for (const test of settings.tests) {
    const { method, target, bodyBytes, operation, token } = test
    const message = operation === undefined ? undefined : operationNamed(operation)
    const decision = await decide({ method, target, bodyBytes, operation: message, token })
    const wrong = wrongParts(test.expect, decision)
    results.push({
      test,
      call: callText(test),
      passed: wrong.length === 0,
      expected: expectedText(test.expect),
      found: foundText(decision),
    })
  }
  return results
}

/**
 * What has to be done before a configuration is loaded, besides reading it. Throws ConfigurationErrors with each test
 * that fails, and Error when a route cannot be compiled.
 */
export async function checkTests(settings: OfflineSettings & Pick<Settings, 'tests'>): Promise<void> {
  const results = await runTests(settings)
  const problems = results.flatMap(({ test, call, passed, expected, found }, index) => {
    const message = `${call} must be ${expected}; it is ${found}`
    return passed ? [] : [{ ...test.position, path: `tests[${index}]`, message }]
  })
  if (problems.length > 0) throw new ConfigurationErrors(problems)
}

function callText({ method, target, operation }: CallTest): string {
  return `${method} ${target}${operation === undefined ? '' : ` ${operation.kind} ${operation.name}`}`
}

type Expectation = CallTest['expect']

function wrongParts({ status, needs, upstream, route, limits }: Expectation, decision: OfflineDecision): string[] {
  const { verdict, plan, routeId } = decision
  const wanted = status ?? (needs === undefined ? undefined : 403)
  const missing = verdict.kind === 'refused' ? verdict.missing?.id : undefined
  const passed = verdict.kind === 'passed' ? verdict.plan.upstream.name : undefined
  const parts = {
    status: statusOf(decision) === wanted,
    needs: needs === undefined || missing === needs,
    // Of a refusal it says which one would have answered.
    upstream: upstream === undefined || (passed ?? plan?.upstream.name) === upstream,
    route: route === undefined || routeId === route,
    limits: limits === undefined || (plan !== undefined && isSameList(limits, plan.limits)),
  }
  return Object.entries(parts).flatMap(([part, fits]) => (fits ? [] : [part]))
}

/** Undefined: the service says it. */
function statusOf({ verdict }: OfflineDecision): number | undefined {
  if (verdict.kind === 'passed') return undefined
  return verdict.kind === 'options' ? 204 : verdict.error.status
}

function expectedText({ status, needs, upstream, route, limits }: Expectation): string {
  const refused = status ?? (needs === undefined ? undefined : 403)
  return [
    refused === undefined ? 'allowed' : String(refused),
    ...(needs === undefined ? [] : [`for lack of ${needs}`]),
    ...(upstream === undefined ? [] : [`to ${upstream}`]),
    ...(route === undefined ? [] : [`by ${JSON.stringify(route)}`]),
    ...(limits === undefined ? [] : [limitsText(limits)]),
  ].join(' ')
}

function foundText(decision: OfflineDecision): string {
  const { verdict, plan } = decision
  const by = plan === undefined ? '' : ` by ${JSON.stringify(plan.id)} ${limitsText(plan.limits)}`
  if (verdict.kind === 'passed') {
    const watched = verdict.wouldDeny === undefined ? '' : ` (only watched: ${verdict.wouldDeny})`
    return `allowed${watched} to ${verdict.plan.upstream.name}${by}`
  }
  if (verdict.kind === 'options') return '204, what OPTIONS is answered with'
  const lack = verdict.missing === undefined ? '' : `, for lack of ${verdict.missing.id} (${verdict.missing.kind})`
  return `${verdict.error.status} (${verdict.reason}${lack})${by}`
}

function limitsText(limits: readonly string[]): string {
  return limits.length === 0 ? 'without limits' : `under ${limits.join(', ')}`
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return JSON.stringify(a.toSorted()) === JSON.stringify(b.toSorted())
}
