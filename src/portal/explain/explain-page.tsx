// Explain: why a call would be allowed or refused, by the gate's own decision; and what was decided about a request that
// was made.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import type { Explanation } from '../../gateway/explain/explanation.js'
import { ApiError } from '../../http/answers/api-error.js'
import type { Answer } from '../../management/schemas.js'
import type { Explained } from '../../management/server/explain-schemas.js'
import { registerPage } from '../../web/page-routes.js'
import { Button, Field } from '../../web/pages/elements.js'
import { type Problem, ProblemNotice, problemAt } from '../../web/pages/problem.js'
import type { PortalDependencies } from '../dependencies.js'
import { formProblem } from '../form-problem.js'
import { sendFramed } from '../frame.js'
import { acted, type Visit, visited } from '../visit.js'
import { ExplanationView } from './explanation-view.js'
import { questionOf, suggested, type Typed, typed } from './question.js'
import { QuestionForm } from './question-form.js'
import { RecordedView } from './recorded-view.js'

interface Shown {
  asked: Typed
  explanation?: Explanation
  /** What was looked for, and what was found. */
  requestId?: string
  explained?: Explained
  problem?: Problem
  status?: number
}

const fields = { applicationId: 'application', userId: 'user' }
const shownFields = ['request', 'method', 'path', 'application', 'user', 'scope', 'token']

/** `GET` and `POST /portal/explain`. */
export function registerExplain(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: '/portal/explain',
    routeId: 'portal-explain',
    get: visited(deps, async (_request, reply, visit) => {
      const asked = suggested(visit)
      const requestId = visit.query.get('request')?.trim() ?? ''
      return show(reply, visit, { asked, requestId, ...(requestId === '' ? {} : await recordedOf(visit, requestId)) })
    }),
    post: acted(deps, async (_request, reply, visit, form) => {
      const asked = typed(form)
      try {
        const explanation = await visit.api<Explanation>('POST', '/explain', await questionOf(visit, asked, form))
        return await show(reply, visit, { asked, explanation })
      } catch (error) {
        return show(reply, visit, { asked, ...whatWasWrong(error) })
      }
    }),
  })
}

async function recordedOf(visit: Visit, requestId: string): Promise<Pick<Shown, 'explained' | 'problem' | 'status'>> {
  try {
    return { explained: await visit.api<Explained>('GET', `/explain/${encodeURIComponent(requestId)}`) }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error
    return { problem: { message: error.message, target: 'request' }, status: 404 }
  }
}

/** An application that is not there is a mistake in the form, not a page that is not there. */
function whatWasWrong(error: unknown): { problem: Problem; status: number } {
  if (isUnknown(error)) return { problem: { message: error.message, target: unknownTarget(error.code) }, status: 400 }
  return formProblem(error, fields)
}

function isUnknown(error: unknown): error is { code: string; message: string } {
  const { code } = error as { code?: unknown }
  return error instanceof Error && ['ApplicationNotFound', 'AmbiguousName', 'UserNotFound'].includes(String(code))
}

function unknownTarget(code: string): string {
  return code === 'UserNotFound' ? 'user' : 'application'
}

async function show(reply: FastifyReply, visit: Visit, shown: Shown): Promise<FastifyReply> {
  const { asked, explanation, explained, requestId = '', problem, status = 200 } = shown
  const { value } = await visit.api<Answer<'applications'>>('GET', '/applications')
  return sendFramed(reply, visit, {
    title: 'Explain',
    at: '/portal/explain',
    lead: 'Why a call is allowed or refused, by the same decision as at the gate. Nothing is called and nothing is counted.',
    status,
    children: (
      <>
        <ProblemNotice problem={problem} fields={shownFields} />
        {explained === undefined ? null : <RecordedView visit={visit} explained={explained} />}
        {explanation === undefined ? null : <ExplanationView explanation={explanation} />}
        <section class="card" aria-labelledby="question-title">
          <h2 id="question-title">
            {explanation === undefined && explained === undefined ? 'Which call' : 'Another call'}
          </h2>
          <QuestionForm visit={visit} asked={asked} problem={problem} applications={value} />
        </section>
        <section class="card" aria-labelledby="request-title">
          <h2 id="request-title">A request that was made</h2>
          <FindRequest visit={visit} requestId={requestId} error={problemAt(problem, 'request')} />
        </section>
      </>
    ),
  })
}

/** A form of GET: its answer has an address that one can hand on. */
function FindRequest({
  visit,
  requestId,
  error,
}: {
  visit: Visit
  requestId: string
  error: string | undefined
}): VNode {
  const tenant = new URLSearchParams(visit.link('?').slice(1)).get('tenant')
  return (
    <form class="inline" method="get" action="/portal/explain" id="request-form" aria-label="Find a request">
      {tenant === null ? null : <input type="hidden" name="tenant" value={tenant} />}
      <Field
        id="request"
        label="request-id"
        type="search"
        value={requestId}
        maxLength={100}
        hint="It stands in every answer, also in those that refuse."
        error={error}
      />
      <Button id="find" kind="plain">
        Find
      </Button>
    </form>
  )
}
