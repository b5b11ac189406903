// The list of requests for consent, as an administrator and as a requester sees it.

import type { VNode } from 'preact'
import type { Catalogue } from '../../config/settings/settings.js'
import type { ApplicationBrand } from '../../directory/brands/application-brand.js'
import type { ConsentRequest } from '../../directory/consents/consent-requests.js'
import type { Registration, Tenant } from '../../directory/records.js'
import type { Texts } from '../../languages/english/texts.js'
import type { User } from '../../users/records.js'
import { useTexts } from '../../web/language/texts.js'
import { Time } from '../../web/language/time.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Notice } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { Page } from '../../web/pages/layout.js'
import { RequestCard } from './request-card.js'
import type { Difference } from './requested-permissions.js'

export interface DescribedRequest {
  request: ConsentRequest
  registration: Registration
  /** What it shows of itself. */
  claim: ApplicationBrand
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
  done: 'approved' | 'declined' | 'taken-back' | undefined
  catalogue: Catalogue
  token: string
}): VNode {
  const { consent } = useTexts()
  const { requests } = consent
  return (
    <Page title={requests.title} width="wide" user={user}>
      {done === undefined ? null : (
        <Notice id="done" kind="success">
          <p>{{ approved: requests.approved, declined: requests.declined, 'taken-back': requests.takenBack }[done]}</p>
        </Notice>
      )}
      {isAdministrator ? (
        <section class="stack" aria-labelledby="inbox-head">
          <h2 id="inbox-head">{requests.waiting}</h2>
          {waiting.length === 0 ? (
            <div class="card">
              <p id="inbox-empty">{requests.nobody}</p>
            </div>
          ) : null}
          {waiting.map((each) => (
            <Waiting key={each.request.requestId} described={each} catalogue={catalogue} token={token} />
          ))}
        </section>
      ) : null}
      {own.length === 0 && isAdministrator ? null : (
        <Listed id="own" title={requests.own} list={own} empty={requests.ownEmpty} token={token} />
      )}
      {decided.length === 0 ? null : <Listed id="decided" title={requests.decided} list={decided} empty="" />}
      <p>
        <a href="/account/apps">{consent.apps.title}</a>
        {isAdministrator ? (
          <>
            {' · '}
            <a id="at-portal" href="/portal/consents">
              {requests.portal}
            </a>
          </>
        ) : null}
      </p>
    </Page>
  )
}

function Waiting({
  described: { request, registration, claim, tenant, requester, difference },
  catalogue,
  token,
}: {
  described: DescribedRequest
  catalogue: Catalogue
  token: string
}): VNode {
  const { requests } = useTexts().consent
  return (
    <RequestCard
      request={request}
      registration={registration}
      claim={claim}
      difference={difference}
      catalogue={catalogue}
      tenant={tenant}
      form={{ action: '/consent-requests', token }}
    >
      {requests.sent(
        <bdi id={`requester-${request.requestId}`}>{personOf(requests, requester)}</bdi>,
        <Time at={request.createdAt} />,
        <bdi>{displayName(tenant.name)}</bdi>,
      )}
    </RequestCard>
  )
}

const states = { pending: 'tag', approved: 'tag good', declined: 'tag warn' } as const

function Listed({
  id,
  title,
  list,
  empty,
  token,
}: {
  id: string
  title: string
  list: readonly DescribedRequest[]
  empty: string
  /** Of forms by which those that wait are taken back; absent: they are others'. */
  token?: string
}): VNode {
  return (
    <section class="stack" aria-labelledby={`${id}-head`}>
      <h2 id={`${id}-head`}>{title}</h2>
      <div class="card">
        {list.length === 0 ? <p>{empty}</p> : null}
        <ul class="list" id={id}>
          {list.map((each) => (
            <Row key={each.request.requestId} id={id} described={each} token={token} />
          ))}
        </ul>
      </div>
    </section>
  )
}

function Row({ id, described, token }: { id: string; described: DescribedRequest; token: string | undefined }): VNode {
  const { request, registration, tenant, decider } = described
  const { state, createdAt, decidedAt, permissions, requestId } = request
  const { requests } = useTexts().consent
  const when = <Time at={decidedAt ?? createdAt} />
  const ids = [...new Set(permissions.map((ref) => ref.id))].join(', ')
  return (
    <li id={`${id}-${requestId}`}>
      <div class="what">
        <span class="name">
          <bdi>{displayName(registration.name)}</bdi>
        </span>
        <span class="fine">{requests.permissionsIn(<code>{ids}</code>, <bdi>{displayName(tenant.name)}</bdi>)}</span>
        <span class="fine">
          {decidedAt === null
            ? when
            : requests.decidedBy(
                when,
                <bdi>{decider === undefined ? requests.operator : personOf(requests, decider)}</bdi>,
              )}
        </span>
      </div>
      <span class={states[state]}>{requests.states[state]}</span>
      {token === undefined || state !== 'pending' ? null : (
        <Form id={`take-back-${requestId}`} action="/consent-requests" token={token} hidden={{ id: requestId }}>
          <Button id={`take-${requestId}`} kind="plain" name="decision" value="taken-back">
            {requests.takeBack}
          </Button>
        </Form>
      )}
    </li>
  )
}

function personOf({ deleted }: Texts['consent']['requests'], user: User | undefined): string {
  if (user === undefined) return deleted
  return displayName(user.name === '' ? user.email : user.name)
}
