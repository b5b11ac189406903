// An explanation as one reads it: the decision first, what to do about it, then the way there, step by step.

import type { ComponentChildren, VNode } from 'preact'
import type { Explanation } from '../../gateway/explain/explanation.js'
import { displayName } from '../../web/pages/display-name.js'
import { dateTime, span } from '../dates.js'
import { RequirementList } from './requirement-list.js'

const listed = new Intl.ListFormat('en-GB')

/** The whole answer. */
export function ExplanationView({ explanation }: { explanation: Explanation }): VNode {
  const { decision, decidedBy, remedy: remedies } = explanation
  return (
    <>
      <section class={`card verdict ${decision.outcome}`} id="decision" aria-labelledby="decision-title">
        <h2 id="decision-title">{headingOf(explanation)}</h2>
        <p>{displayName(decision.message, 600)}</p>
        <p class="answer-line">
          <span>
            Reason <code id="reason">{decision.reason}</code>
          </span>
          {decision.code === null ? null : (
            <span>
              Code <code>{decision.code}</code>
            </span>
          )}
          {decision.retryAfterSeconds === null ? null : <span>Again in {decision.retryAfterSeconds} s</span>}
          {decidedBy === null ? null : (
            <span>
              Decided by {decidedBy.what} <code>{decidedBy.name}</code>, <Place at={decidedBy} />
            </span>
          )}
        </p>
        {remedies.length === 0 ? null : (
          <>
            <h3>What to do</h3>
            <ul class="steps" id="remedy">
              {remedies.map(({ message, uri, command }) => (
                <li key={message}>
                  {displayName(message, 600)}{' '}
                  {uri !== null && /^https:\/\//.test(uri) ? <a href={uri}>Go there</a> : null}
                  {command === null ? null : <code>{displayName(command, 600)}</code>}
                </li>
              ))}
            </ul>
          </>
        )}
      </section>
      <section class="card" aria-labelledby="trace-title">
        <h2 id="trace-title">How this was decided</h2>
        <Trace explanation={explanation} />
      </section>
    </>
  )
}

function headingOf({ decision, request }: Explanation): string {
  const { operation } = request
  const about = operation === undefined ? '' : `, ${operation.kind} ${displayName(operation.name, 100)}`
  const call = `${request.method} ${displayName(request.path ?? 'no path', 200)}${about}`
  if (decision.outcome === 'own') return `${call}: answered by Portcullis`
  if (decision.outcome === 'allowed') return `${call}: allowed`
  const where =
    decision.by === 'token' ? 'no token for it' : `refused${decision.status === null ? '' : ` with ${decision.status}`}`
  return `${call}: ${where}`
}

function Trace({ explanation }: { explanation: Explanation }): VNode {
  const { route, requirement, caller, tokenRefusal, states, limits, upstream } = explanation
  const badStates = states.filter(({ ok }) => !ok)
  return (
    <ol class="trace" id="trace">
      <Step ok={route !== null} title="Route">
        {route === null ? (
          'No route of the configuration has this path and method.'
        ) : (
          <>
            <code>{route.id}</code> ({route.pattern}; methods {route.allow}), <Place at={route} />.{' '}
            {route.public ? (
              'It is public: no token is required.'
            ) : (
              <>
                For tokens of <code>{route.resource}</code>.
              </>
            )}
          </>
        )}
      </Step>
      <Step ok={caller.kind !== 'unknown' && tokenRefusal === null} title="Caller">
        <Caller explanation={explanation} />
      </Step>
      {requirement.length === 0 ? null : (
        <Step ok={requirement.some(({ met }) => met)} title="Permissions">
          {requirement.length > 1 ? 'One of these is enough:' : 'This is needed:'}
          <RequirementList requirement={requirement} />
        </Step>
      )}
      {states.length === 0 ? null : (
        <Step ok={badStates.length === 0} title="States">
          {badStates.length === 0 ? 'Application, tenant, keys and revocations are as they should be.' : null}
          {badStates.map(({ of, state }) => (
            <span key={of} class="line">
              {of}: <strong>{state}</strong>
            </span>
          ))}
        </Step>
      )}
      {limits.length === 0 ? null : (
        <Step ok={limits.every(({ allows }) => allows)} title="Limits">
          {limits.map((limit) => (
            <span key={limit.name} class="line">
              <code>{limit.name}</code> by {listed.format(limit.by)}: {limit.limit} in{' '}
              {span(limit.periodSeconds * 1000)}, {limit.remaining} more right now
              {limit.allows ? '' : `; again in ${limit.resetSeconds} s`}
            </span>
          ))}
        </Step>
      )}
      {upstream === null ? null : (
        <Step ok={upstream.state === 'ready'} title="Service behind the gate">
          <code>{upstream.name}</code> has {upstream.inFlight} of at most {upstream.most} requests under way
          {upstream.targets > 1 ? `, and ${upstream.targetsUp} of ${upstream.targets} targets are well` : ''},{' '}
          <Place at={upstream} />.
        </Step>
      )}
    </ol>
  )
}

function Caller({ explanation: { caller, tokenRefusal } }: { explanation: Explanation }): VNode {
  if (tokenRefusal !== null) {
    return (
      <>
        The token endpoint would say <code>{tokenRefusal.error}</code> ({tokenRefusal.number}):{' '}
        {displayName(tokenRefusal.description, 600)}
      </>
    )
  }
  if (caller.kind === 'nobody') return <>Nobody: no token is sent.</>
  if (caller.kind === 'unknown') return <>Not known: the token does not say whose it is, or it is not good.</>
  const name = caller.applicationName === null ? (caller.applicationId ?? '') : displayName(caller.applicationName)
  const { token } = caller
  return (
    <>
      <bdi>{name}</bdi> {caller.kind === 'application' ? 'as itself' : 'for a person'}
      {token === null ? null : (
        <>
          , with a token {token.simulated ? 'that it would get now' : ''} for <code>{token.resource}</code>, which
          allows {token.permissions.length === 0 ? 'nothing' : <code>{token.permissions.join(', ')}</code>}, until{' '}
          {dateTime(Date.parse(token.expiresAt))}
        </>
      )}
      .
    </>
  )
}

function Step({ ok, title, children }: { ok: boolean; title: string; children: ComponentChildren }): VNode {
  return (
    <li class={ok ? 'ok' : 'not-ok'}>
      <h3>
        {title} <span class="unseen">{ok ? '(fine)' : '(this is where it fails)'}</span>
      </h3>
      <div>{children}</div>
    </li>
  )
}

/** Where something stands in the configuration. */
function Place({ at: { file, line, column } }: { at: { file: string; line: number; column: number } }): VNode {
  return <code class="place-in-file">{`${file.split('/').at(-1)}:${line}:${column}`}</code>
}
