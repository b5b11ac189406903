// Tools that changed behind the gate, for operators: which there are, and of one what changed, to be approved.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import { ApiError } from '../../http/answers/api-error.js'
import type { ToolChangeAnswer, ToolChangesAnswer } from '../../management/server/tool-changes.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Facts } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { type Problem, ProblemNotice } from '../../web/pages/problem.js'
import { CancelLink } from '../cancel-link.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import { dateTime } from '../dates.js'
import type { PortalDependencies } from '../dependencies.js'
import { Done, doneLink } from '../done-notice.js'
import { EmptyState } from '../empty-state.js'
import { formProblem } from '../form-problem.js'
import { sendFramed } from '../frame.js'
import { Table } from '../table.js'
import { toolChangesPath } from '../waiting.js'
import { Difference } from './difference.js'

const columns = [{ text: 'Tool' }, { text: 'State' }, { text: 'Changed' }, { text: 'Approved before' }] as const
const texts = { approved: 'The definition is approved. The tool is in use with it from this moment on.' }

/** Registers both. */
export function toolChangePages(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: toolChangesPath,
    routeId: 'portal-server-tool-changes',
    get: getPage(deps, async (_request, reply, context) => {
      const { value } = await context.api<ToolChangesAnswer>('GET', '/toolChanges')
      return sendFramed(reply, context, {
        title: 'Tool changes',
        activePath: toolChangesPath,
        intro: 'Tools of MCP servers whose texts or schemas changed since they were approved.',
        children: (
          <>
            <Done context={context} texts={texts} />
            {value.length === 0 ? <NoChanges /> : <Changes context={context} changes={value} />}
          </>
        ),
      })
    }),
  })
  registerPage(scope, deps, {
    path: `${toolChangesPath}/:changeId`,
    routeId: 'portal-server-tool-change',
    get: getPage(deps, async (request, reply, context) => show(reply, context, changeIdOf(request.params))),
    post: postForm(deps, async (request, reply, context, form) => {
      const id = changeIdOf(request.params)
      try {
        await context.api('POST', `/toolChanges/${encodeURIComponent(id)}/approve`, { digest: form.get('digest') })
      } catch (error) {
        // The page shows the definition as it is now: that is what can be approved.
        if (error instanceof ApiError && error.code === 'ToolChangedAgain') {
          return show(reply, context, id, formProblem(error))
        }
        throw error
      }
      return reply.redirect(doneLink(context, toolChangesPath, 'approved'), 303)
    }),
  })
}

function changeIdOf(params: unknown): string {
  return String((params as { changeId?: unknown }).changeId ?? '')
}

function NoChanges(): VNode {
  return (
    <EmptyState id="no-changes" title="Nothing has changed">
      <p>
        Every tool that this gateway pins is as it was approved. Which ones it pins is said by <code>mcp.pins</code> of
        a route.
      </p>
    </EmptyState>
  )
}

function Changes({ context, changes }: { context: PortalContext; changes: ToolChangesAnswer['value'] }): VNode {
  const rows = changes.map(({ id, route, tool, held, changedAt, approvedAt, approvedBy }) => ({
    id: `change-${id}`,
    cells: [
      <>
        <a href={context.link(`${toolChangesPath}/${id}`)}>{displayName(tool)}</a>
        <span class="under">{route}</span>
      </>,
      <span key="state" class={held ? 'tag warn' : 'tag'}>
        {held ? 'held' : 'in use'}
      </span>,
      dateTime(Date.parse(changedAt)),
      <>
        {dateTime(Date.parse(approvedAt))}
        {approvedBy === null ? <span class="under">when it was first seen</span> : null}
      </>,
    ],
  }))
  return (
    <section class="card" aria-label="Tool changes">
      <Table id="tool-changes" columns={columns} rows={rows} />
    </section>
  )
}

async function show(
  reply: FastifyReply,
  context: PortalContext,
  id: string,
  refused?: { problem: Problem; status: number },
): Promise<FastifyReply> {
  const change = await context.api<ToolChangeAnswer>('GET', `/toolChanges/${encodeURIComponent(id)}`)
  const { route, tool, held, changedAt, approvedAt, approvedBy, digest, difference } = change
  return sendFramed(reply, context, {
    title: displayName(tool),
    eyebrow: <a href={context.link(toolChangesPath)}>Tool changes</a>,
    activePath: toolChangesPath,
    intro: held
      ? 'Its definition changed, so nobody can call it until the change is approved.'
      : 'Its definition changed. It is in use all the same: this route only reports changes.',
    status: refused?.status,
    children: (
      <>
        <ProblemNotice problem={refused?.problem.message} />
        <Facts
          id="tool-change"
          rows={[
            ['Route', route],
            ['Changed', dateTime(Date.parse(changedAt))],
            ['Approved before', `${dateTime(Date.parse(approvedAt))}${approvedBy === null ? ', when first seen' : ''}`],
          ]}
        />
        <section class="card" aria-labelledby="difference-title">
          <h2 id="difference-title">What changed</h2>
          <p>
            These are words of the server. Models read them and do what they say, so look for instructions that have
            nothing to do with the tool. Characters that cannot be seen are written as <code>{'\\u{…}'}</code>.
          </p>
          <Difference lines={difference} />
        </section>
        <section class="card" aria-labelledby="approve-title">
          <h2 id="approve-title">Approve the new definition?</h2>
          <p>
            From then on the tool is in use with what is shown here. If the server gives the former definition again,
            the change goes away by itself.
          </p>
          <Form id="approve-form" action={context.address} token={context.token} hidden={{ digest }}>
            <div class="buttons">
              <Button id="approve" kind="danger">
                Approve the new definition
              </Button>
              <CancelLink context={context} to={toolChangesPath} />
            </div>
          </Form>
        </section>
      </>
    ),
  })
}
