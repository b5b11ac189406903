// Explain: why a call would be allowed or refused, by the gate's own decision; and what was decided about a request
// that was made.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import type { Explanation } from '../../gateway/explain/explanation.js'
import { ApiError } from '../../http/answers/api-error.js'
import type { Said } from '../../languages/texts.js'
import type { Answer } from '../../management/schemas.js'
import type { Explained } from '../../management/server/explain-schemas.js'
import { registerPage } from '../../web/page-routes.js'
import { Button, Field } from '../../web/pages/elements.js'
import { type Problem, ProblemNotice, problemAt } from '../../web/pages/problem.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { formProblem } from '../form-problem.js'
import { sendFramed } from '../frame.js'
import { ExplanationView } from './explanation-view.js'
import { questionOf, suggested, type Typed, typed } from './question.js'
import { QuestionForm } from './question-form.js'
import { RecordedView } from './recorded-view.js'

interface Shown {
  typed: Typed
  explanation?: Explanation
  /** What was looked for, and what was found. */
  requestId?: string
  explained?: Explained
  problem?: Problem
  status?: number
}

const fields = {
  applicationId: 'application',
  userId: 'user',
  tool: 'operationName',
  prompt: 'operationName',
  uri: 'operationName',
}
const shownFields = ['request', 'method', 'path', 'operationName', 'application', 'user', 'scope', 'token']

/** `GET` and `POST /portal/explain`. */
export function registerExplain(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: '/portal/explain',
    routeId: 'portal-explain',
    get: getPage(deps, async (_request, reply, context) => {
      const typed = suggested(context)
      const requestId = context.query.get('request')?.trim() ?? ''
      return show(reply, context, {
        typed,
        requestId,
        ...(requestId === '' ? {} : await recordedOf(context, requestId)),
      })
    }),
    post: postForm(deps, async (_request, reply, context, form) => {
      const entered = typed(form)
      try {
        const explanation = await context.api<Explanation>('POST', '/explain', await questionOf(context, entered, form))
        return await show(reply, context, { typed: entered, explanation })
      } catch (error) {
        return show(reply, context, { typed: entered, ...whatWasWrong(error) })
      }
    }),
  })
}

async function recordedOf(
  context: PortalContext,
  requestId: string,
): Promise<Pick<Shown, 'explained' | 'problem' | 'status'>> {
  try {
    return { explained: await context.api<Explained>('GET', `/explain/${encodeURIComponent(requestId)}`) }
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

async function show(reply: FastifyReply, context: PortalContext, shown: Shown): Promise<FastifyReply> {
  const { typed, explanation, explained, requestId = '', problem, status = 200 } = shown
  const { value } = await context.api<Answer<'applications'>>('GET', '/applications')
  return sendFramed(reply, context, {
    title: 'Explain',
    activePath: '/portal/explain',
    intro:
      'Why a call is allowed or refused, by the same decision as at the gate. Nothing is called and nothing is counted.',
    status,
    children: (
      <>
        <ProblemNotice problem={problem} fields={shownFields} />
        {explained === undefined ? null : <RecordedView context={context} explained={explained} />}
        {explanation === undefined ? null : <ExplanationView explanation={explanation} />}
        <section class="card" aria-labelledby="question-title">
          <h2 id="question-title">
            {explanation === undefined && explained === undefined ? 'Which call' : 'Another call'}
          </h2>
          <QuestionForm context={context} typed={typed} problem={problem} applications={value} />
        </section>
        <section class="card" aria-labelledby="request-title">
          <h2 id="request-title">A request that was made</h2>
          <FindRequest context={context} requestId={requestId} error={problemAt(problem, 'request')} />
        </section>
      </>
    ),
  })
}

/** A form of GET: its answer has an address that one can hand on. */
function FindRequest({
  context,
  requestId,
  error,
}: {
  context: PortalContext
  requestId: string
  error: Said | undefined
}): VNode {
  const tenant = new URLSearchParams(context.link('?').slice(1)).get('tenant')
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
