// The list of requests for consent, as an administrator and as a requester sees it.

import type { VNode } from 'preact'
import type { Catalogue } from '../../config/settings/settings.js'
import type { ConsentRequest } from '../../directory/consents/consent-requests.js'
import type { Registration, Tenant } from '../../directory/records.js'
import type { User } from '../../users/records.js'
import { displayName } from '../../web/pages/display-name.js'
import { Notice } from '../../web/pages/elements.js'
import { Page } from '../../web/pages/layout.js'
import { When } from '../consent/parts.js'
import { RequestCard } from './request-card.js'
import type { Difference } from './requested-permissions.js'

export interface DescribedRequest {
  request: ConsentRequest
  registration: Registration
  tenant: Tenant
  /** Undefined: the account was deleted. */
  requester: User | undefined
  decider: User | undefined
  /** What approving would change now. */
  difference: Difference
}

/** The page. `waiting` and `decided` are those of the tenants that the person administers. */
export function RequestsView({
  user,
  isAdministrator,
  waiting,
  decided,
  own,
  done,
  catalogue,
  token,
}: {
  user: User
  isAdministrator: boolean
  waiting: readonly DescribedRequest[]
  decided: readonly DescribedRequest[]
  own: readonly DescribedRequest[]
  done: 'approved' | 'declined' | undefined
  catalogue: Catalogue
  token: string
}): VNode {
  return (
    <Page title="Requests for consent" width="wide" user={user}>
      {done === undefined ? null : (
        <Notice id="done" kind="success">
          <p>
            {done === 'approved'
              ? 'Approved. The application has what was requested.'
              : 'Declined. Nothing was granted.'}
          </p>
        </Notice>
      )}
      {isAdministrator ? (
        <section class="stack" aria-labelledby="inbox-head">
          <h2 id="inbox-head">Waiting for a decision</h2>
          {waiting.length === 0 ? (
            <div class="card">
              <p id="inbox-empty">Nobody is waiting.</p>
            </div>
          ) : null}
          {waiting.map((each) => (
            <Waiting key={each.request.requestId} described={each} catalogue={catalogue} token={token} />
          ))}
        </section>
      ) : null}
      {own.length === 0 && isAdministrator ? null : (
        <Listed id="own" title="Your requests" list={own} empty="You have not requested anything." />
      )}
      {decided.length === 0 ? null : <Listed id="decided" title="Decided" list={decided} empty="" />}
      <p>
        <a href="/account/apps">Apps with access</a>
        {isAdministrator ? (
          <>
            {' · '}
            <a id="at-portal" href="/portal/consents">
              Consents at the portal
            </a>
          </>
        ) : null}
      </p>
    </Page>
  )
}

function Waiting({
  described: { request, registration, tenant, requester, difference },
  catalogue,
  token,
}: {
  described: DescribedRequest
  catalogue: Catalogue
  token: string
}): VNode {
  return (
    <RequestCard
      request={request}
      registration={registration}
      difference={difference}
      catalogue={catalogue}
      tenantName={tenant.name}
      form={{ action: '/consent-requests', token }}
    >
      <bdi id={`requester-${request.requestId}`}>{personOf(requester)}</bdi> sent this on{' '}
      <When at={request.createdAt} />, for <bdi>{displayName(tenant.name)}</bdi>
    </RequestCard>
  )
}

const states = {
  pending: ['tag', 'Waiting'],
  approved: ['tag good', 'Approved'],
  declined: ['tag warn', 'Declined'],
} as const

function Listed({
  id,
  title,
  list,
  empty,
}: {
  id: string
  title: string
  list: readonly DescribedRequest[]
  empty: string
}): VNode {
  return (
    <section class="stack" aria-labelledby={`${id}-head`}>
      <h2 id={`${id}-head`}>{title}</h2>
      <div class="card">
        {list.length === 0 ? <p>{empty}</p> : null}
        <ul class="list" id={id}>
          {list.map((each) => (
            <Row key={each.request.requestId} id={id} described={each} />
          ))}
        </ul>
      </div>
    </section>
  )
}

function Row({ id, described }: { id: string; described: DescribedRequest }): VNode {
  const { request, registration, tenant, decider } = described
  const { state, createdAt, decidedAt, permissions, requestId } = request
  const ids = [...new Set(permissions.map((ref) => ref.id))].join(', ')
  return (
    <li id={`${id}-${requestId}`}>
      <div class="what">
        <span class="name">
          <bdi>{displayName(registration.name)}</bdi>
        </span>
        <span class="fine">
          <code>{ids}</code> in <bdi>{displayName(tenant.name)}</bdi>
        </span>
        <span class="fine">
          <When at={decidedAt ?? createdAt} />
          {decidedAt === null ? null : (
            <>
              {' '}
              by <bdi>{decider === undefined ? 'the operator' : personOf(decider)}</bdi>
            </>
          )}
        </span>
      </div>
      <span class={states[state][0]}>{states[state][1]}</span>
    </li>
  )
}

function personOf(user: User | undefined): string {
  if (user === undefined) return 'Somebody whose account was deleted'
  return displayName(user.name === '' ? user.email : user.name)
}
