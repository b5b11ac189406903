// An explanation as text for people: first the decision, then what it stands on, then the next step.

import type { Explanation } from '../../../gateway/explain/explanation.js'
import type { RecordedDecision } from '../../../management/server/explain-schemas.js'
import type { Field } from '../../output/output.js'
import { table } from '../../output/table.js'
import type { Terminal } from '../../output/terminal.js'

/** Its lines. Of a token request there is no call to speak of. */
export function explanationFields(explanation: Explanation, recorded?: RecordedDecision): Field[] {
  const { decision, decidedBy, route, upstream, tokenRefusal } = explanation
  const what = recorded?.what ?? 'call'
  // Of a recorded call the route is known and not the path, which could say something about a person.
  const path = recorded === undefined ? explanation.request.path : (route?.pattern ?? explanation.request.path)
  const { method, operation } = explanation.request
  const call: Field[] = [
    { label: 'call', value: `${method} ${path ?? '(cannot be read)'}` },
    ...(operation === undefined ? [] : [{ label: operation.kind, value: operation.name }]),
    { label: 'decision', value: decisionText(decision) },
    { label: '', value: decision.message },
    ...(decidedBy === null
      ? []
      : [{ label: 'decided by', value: `${placeText(decidedBy)} (${decidedBy.what} ${decidedBy.name})` }]),
    ...(route === null ? [] : [{ label: 'route', value: `${route.pattern} for ${route.resource}` }]),
    ...(upstream === null ? [] : [{ label: 'service', value: upstreamText(upstream) }, ...troubleFields(upstream)]),
  ]
  const notInOrder = explanation.states.filter(({ ok }) => !ok)
  return [
    ...(what === 'call' ? call : []),
    { label: 'caller', value: callerText(explanation.caller) },
    { label: 'token', value: tokenText(explanation) },
    ...(tokenRefusal === null ? [] : [{ label: '', value: tokenRefusal.description }]),
    { label: 'states', value: notInOrder.length === 0 ? 'all in order' : notInOrder.map(stateText).join(', ') },
    ...(what === 'call' ? explanation.remedy : []).flatMap(({ message, uri, command }, i) => [
      { label: i === 0 ? 'next' : '', value: message },
      ...(uri === null ? [] : [{ label: '', value: uri }]),
      // An older server knows none.
      ...(command ? [{ label: '', value: command }] : []),
    ]),
  ].filter(({ value }) => value !== '')
}

/** Prints requirement and limits below it, where there are any. */
export function printTables(terminal: Terminal, { requirement, limits }: Explanation): void {
  if (requirement.length > 0) {
    const headings = ['NEEDS', 'PERMISSION', 'KIND', 'CONFIGURED', 'CONSENTED BY', 'IN TOKEN', 'ROLE']
    const rows = requirement.flatMap(({ permissions, kind }, i) =>
      permissions.map((one, j) => [
        i === 0 ? (j === 0 ? 'this' : 'and') : j === 0 ? 'or' : 'and',
        one.through === null ? one.id : `${one.id} (by ${one.through})`,
        kind,
        yes(one.configured),
        one.consentedBy ?? 'nobody',
        yes(one.inToken),
        one.role === null ? '' : `${one.role.has ?? 'none'}, needs ${one.role.needed}`,
      ]),
    )
    terminal.out(`\n${table(headings, rows)}`)
  }
  if (limits.length === 0) return
  const rows = limits.map(({ name, by, limit, periodSeconds, remaining, allows }) => [
    ...[name, by.join(', '), `${limit} in ${periodSeconds} s`, String(remaining), yes(allows)],
  ])
  terminal.out(`\n${table(['LIMIT', 'BY', 'ALLOWS', 'LEFT', 'THIS CALL'], rows)}`)
}

/** The lines of what was decided then. */
export function recordedFields(recorded: RecordedDecision): Field[] {
  const { what } = recorded
  const subject =
    what === 'token'
      ? `token request (${recorded.grantType ?? 'no grant'})`
      : `${recorded.method} of route ${recorded.route}`
  return [
    { label: 'request', value: recorded.requestId },
    { label: 'at', value: recorded.at },
    { label: 'what', value: subject },
    { label: 'decision', value: recordedText(recorded) },
    { label: 'permissions', value: recorded.permissions.join(' ') },
    { label: 'application', value: recorded.applicationId },
    { label: 'tenant', value: recorded.tenantId ?? '' },
    { label: 'user', value: recorded.userId ?? '' },
    { label: '', value: recorded.proved ? '' : 'The sender had not proved to be the application.' },
  ].filter(({ value }) => value !== '')
}

/** A call that the gate let through and the service did not answer was not refused. */
function recordedText({ outcome, reason, status, number }: RecordedDecision): string {
  const said = status >= 500 && isOfService(reason) ? 'allowed, and the service failed' : outcome
  return `${said}: ${status} (${reason}${number === null ? '' : `, error ${number}`})`
}

/** Whether a decision's reason says that the service behind the gate was at fault. */
export function isOfService(reason: string): boolean {
  return ['upstream_failed', 'upstream_timeout', 'upstream_down', 'upstream_overloaded'].includes(reason)
}

function decisionText({ outcome, by, status, code, reason }: Explanation['decision']): string {
  if (outcome === 'own') return 'not decided by a route'
  if (outcome === 'allowed') return `allowed (${reason})`
  const who = by === 'token' ? 'the token endpoint' : 'the gate'
  return `refused by ${who}: ${[status, code].filter((part) => part !== null).join(' ')} (${reason})`
}

function callerText({ kind, applicationId, applicationName, tenantId, userId }: Explanation['caller']): string {
  if (kind === 'nobody') return 'nobody: no token is sent'
  if (kind === 'unknown') return 'the sender of a token that cannot be trusted'
  const name = applicationName === null ? applicationId : `${applicationName} (${applicationId})`
  return `${name} ${kind === 'application' ? 'as itself' : `for the user ${userId}`} in the tenant ${tenantId}`
}

function tokenText({ caller: { token }, tokenRefusal }: Explanation): string {
  if (tokenRefusal !== null)
    return `none would be issued: ${tokenRefusal.error} ${tokenRefusal.number} (${tokenRefusal.reason})`
  if (token === null) return 'none'
  const permissions = token.permissions.length === 0 ? 'without permissions' : `with ${token.permissions.join(' ')}`
  const times = token.simulated ? 'as it would be issued now' : `issued ${token.issuedAt}, until ${token.expiresAt}`
  return `for ${token.resource} ${permissions}, ${times}`
}

function upstreamText(upstream: NonNullable<Explanation['upstream']>): string {
  const { name, state, inFlight, most, lastOutcome, targets, targetsUp } = upstream
  const last = lastOutcome === null ? 'no request yet' : `last request ${lastOutcome}`
  const well = targets > 1 ? `, ${targetsUp} of ${targets} targets well` : ''
  return `${name}, ${state} (${inFlight} of ${most} under way${well}, ${last})`
}

/** `posts is down since 10:28, http://127.0.0.1:8601: connection refused`, as far as the caller may know it. */
function troubleFields({ name, state, trouble }: NonNullable<Explanation['upstream']>): Field[] {
  if (!trouble) return []
  const how = state === 'down' ? 'is down' : trouble.state === 'unwell' ? 'is found unwell' : 'fails'
  const where = [trouble.target, trouble.cause].filter((part) => part !== null).join(': ')
  return [
    { label: '', value: [`${name} ${how} since ${trouble.since}`, where].filter((part) => part !== '').join(', ') },
  ]
}

function placeText({ file, line, column }: { file: string; line: number; column: number }): string {
  return `${file}:${line}:${column}`
}

function stateText({ of, state }: Explanation['states'][number]): string {
  return `${of} ${state}`
}

function yes(value: boolean): string {
  return value ? 'yes' : 'no'
}
