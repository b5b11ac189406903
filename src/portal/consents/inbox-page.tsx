// The consent inbox: what people ask the tenant's administrators to consent to, to be approved or declined, and what
// became of earlier requests. The same requests as on /consent-requests, which people reach by mail.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import { ApiError } from '../../http/answers/api-error.js'
import { AppIcon } from '../../web/brand/app-icon.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { ProblemNotice } from '../../web/pages/problem.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import { dateTime } from '../dates.js'
import type { PortalDependencies } from '../dependencies.js'
import { Done, doneLink } from '../done-notice.js'
import { EmptyState } from '../empty-state.js'
import { sendFramed } from '../frame.js'
import { Table } from '../table.js'
import { ConsentTabs, inboxPath } from './consent-tabs.js'
import { type ConsentRequest, readRequests } from './read-requests.js'
import { WaitingRequest } from './waiting-request.js'

const texts = {
  approved: 'Approved. The application has what was requested.',
  declined: 'Declined. Nothing was granted.',
}

/** Registers it. */
export function registerInboxPage(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: inboxPath,
    routeId: 'portal-consents',
    get: getPage(deps, async (_request, reply, context) => show(deps, reply, context)),
    post: postForm(deps, async (_request, reply, context, form) => {
      const word = form.get('decision')
      if (word !== 'approved' && word !== 'declined') return reply.redirect(context.link(inboxPath), 303)
      const id = encodeURIComponent(form.get('id') ?? '')
      try {
        await context.api('POST', `/consentRequests/${id}/${word === 'approved' ? 'approve' : 'decline'}`)
      } catch (error) {
        if (!(error instanceof ApiError) || error.status === 404 || error.status >= 500) throw error
        return show(deps, reply, context, error)
      }
      return reply.redirect(doneLink(context, inboxPath, word), 303)
    }),
  })
}

async function show(
  deps: PortalDependencies,
  reply: FastifyReply,
  context: PortalContext,
  refused?: ApiError,
): Promise<FastifyReply> {
  const { waiting, decided, more } = await readRequests(deps, context)
  const { catalogue } = deps.settings
  return sendFramed(reply, context, {
    title: 'Consents',
    activePath: inboxPath,
    intro: `What applications may do in ${displayName(context.currentTenant.name)}, and what they ask for.`,
    status: refused?.status,
    children: (
      <>
        <ConsentTabs context={context} at="requests" />
        <Done context={context} texts={texts} />
        <ProblemNotice problem={refused?.message} />
        {waiting.length === 0 ? (
          <Nobody />
        ) : (
          <section class="stack" aria-labelledby="waiting-title">
            <h2 id="waiting-title">Waiting for a decision</h2>
            {waiting.map((request) => (
              <WaitingRequest
                key={request.request.requestId}
                request={request}
                context={context}
                catalogue={catalogue}
              />
            ))}
            {more === 0 ? null : <p class="fine">And {more} more, which are shown once these are decided.</p>}
          </section>
        )}
        {decided.length === 0 ? null : <Decided decided={decided} />}
        <p class="fine">
          What you requested yourself is on <a href="/consent-requests">the page of your own requests</a>.
        </p>
      </>
    ),
  })
}

function Nobody(): VNode {
  return (
    <EmptyState id="nobody-waits" title="Nobody is waiting">
      <p>
        When an application needs more than people may allow it themselves, they can ask here for your consent. You get
        to see who asks, for what, and why.
      </p>
    </EmptyState>
  )
}

function Decided({ decided }: { decided: readonly ConsentRequest[] }): VNode {
  return (
    <section class="card" aria-labelledby="decided-title">
      <h2 id="decided-title">Decided</h2>
      <Table
        id="decided"
        columns={[{ text: 'Application' }, { text: 'Requested' }, { text: 'Decision' }, { text: 'When' }]}
        rows={decided.map(({ request, registration, claim, requester, decider }) => ({
          id: `decided-${request.requestId}`,
          cells: [
            <>
              <AppIcon name={registration.name} logo={claim.logo} />
              {displayName(registration.name)}
            </>,
            <>
              <code>{[...new Set(request.permissions.map(({ id }) => id))].join(', ')}</code>
              <span class="under">by {requester}</span>
            </>,
            <span key="state" class={request.state === 'approved' ? 'tag good' : 'tag warn'}>
              {request.state === 'approved' ? 'Approved' : 'Declined'}
            </span>,
            <>
              {dateTime(Date.parse(request.decidedAt ?? request.createdAt))}
              <span class="under">by {decider}</span>
            </>,
          ],
        }))}
      />
    </section>
  )
}
