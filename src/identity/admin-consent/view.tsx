// What an administrator sees when an application asks for a whole tenant: who asks, and what would change; and what
// somebody sees who may not decide that, but can ask.

import type { VNode } from 'preact'
import type { Catalogue } from '../../config/settings/settings.js'
import type { ConsentRequest } from '../../directory/consents/consent-requests.js'
import type { PermissionRef, Tenant } from '../../directory/records.js'
import type { User } from '../../users/records.js'
import { useReading, useTexts } from '../../web/language/texts.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Facts, Notice } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { Page } from '../../web/pages/layout.js'
import { Reason, RequestState } from '../consent/consent-view.js'
import { Asker, Permissions } from '../consent/parts.js'
import { destinationOf, sentenceOf } from '../consent/sentences.js'
import { resumePath, signInPath } from '../pending/paths.js'
import type { OpenConsent, Waiting } from './consent-status.js'
import type { Difference } from './requested-permissions.js'

interface ViewProps {
  status: OpenConsent
  /** The organisation that registered the application. */
  home: { name: string; isOwn: boolean }
  catalogue: Catalogue
  token: string
}

/** The page that asks an administrator. */
export function DecisionView({ status, home, catalogue, token }: ViewProps): VNode {
  const { user, tenant, registration, pending } = status
  const name = displayName(tenant.name)
  const { consent } = useTexts()
  const { administrator } = consent
  return (
    <Page title={administrator.title(displayName(tenant.name, 60))} user={user} intro={administrator.intro}>
      <div class="card">
        <Asker registration={registration} home={home} claim={status.claim} />
        <Changes difference={status.difference} catalogue={catalogue} tenantName={name} />
        <hr />
        <About status={status} />
        <Form id="admin-consent" action={resumePath(pending)} token={token}>
          <div class="buttons">
            <Button id="decline" kind="plain" name="decision" value="decline">
              {administrator.decline}
            </Button>
            <Button id="grant" kind="plain" name="decision" value="grant">
              {administrator.grant}
            </Button>
          </div>
        </Form>
      </div>
      <p class="fine">{administrator.withdraw(<a href="/account/apps">{consent.apps.title}</a>)}</p>
    </Page>
  )
}

/** What a consent would change, part by part. `id`: apart from others on the same page. */
export function Changes({
  difference,
  catalogue,
  tenantName,
  id = '',
}: {
  difference: Difference
  catalogue: Catalogue
  tenantName: string
  id?: string
}): VNode {
  const { consent } = useTexts()
  const { language } = useReading()
  const { administrator } = consent
  const own = (part: string) => (id === '' ? part : `${part}-${id}`)
  const lines = (refs: readonly PermissionRef[]) => refs.map((ref) => sentenceOf(catalogue, ref, 'everybody', language))
  const { added, kept, removed } = difference
  const part = (kind: PermissionRef['kind']) => added.filter((ref) => ref.kind === kind)
  return (
    <>
      {added.length === 0 ? <p id={own('nothing-new')}>{administrator.nothingNew}</p> : null}
      {part('application').length === 0 ? null : (
        <div class="stack">
          <h2 id={own('added-application-head')}>{administrator.newApplication}</h2>
          <Permissions id={own('added-application')} lines={lines(part('application'))} />
        </div>
      )}
      {part('delegated').length === 0 ? null : (
        <div class="stack">
          <h2 id={own('added-delegated-head')}>{administrator.newDelegated(tenantName)}</h2>
          <Permissions id={own('added-delegated')} lines={lines(part('delegated'))} />
        </div>
      )}
      {removed.length === 0 ? null : (
        <div class="stack">
          <h2 id={own('removed-head')}>{administrator.withdrawn}</h2>
          <Permissions id={own('removed')} lines={lines(removed)} kinds gone />
        </div>
      )}
      {kept.length === 0 ? null : (
        <details id={own('kept-already')}>
          <summary>{administrator.kept(kept.length)}</summary>
          <Permissions id={own('kept')} lines={lines(kept)} kinds />
        </details>
      )}
    </>
  )
}

/**
 * The page for somebody who is not an administrator. `request` is what they requested before. With nothing left to ask
 * for it leads back to the application, or to the list of requests where the application gave no address.
 */
export function AskingView({
  status,
  home,
  catalogue,
  token,
  request,
}: ViewProps & { request: ConsentRequest | undefined }): VNode {
  const { user, tenant, registration, pending, difference } = status
  const waiting = request?.state === 'pending'
  const canAsk = !waiting && difference.added.length > 0
  const { frame, consent } = useTexts()
  const { administrator } = consent
  return (
    <Page title={consent.approval} user={user} intro={administrator.askIntro(<bdi>{displayName(tenant.name)}</bdi>)}>
      <RequestState request={request} />
      {difference.added.length === 0 ? (
        <Notice id="granted-already" kind="success" title={administrator.nothingMissing}>
          <p>{administrator.consentedAlready}</p>
        </Notice>
      ) : null}
      <div class="card">
        <Asker registration={registration} home={home} claim={status.claim} />
        <Changes difference={difference} catalogue={catalogue} tenantName={displayName(tenant.name)} />
        <hr />
        <About status={status} />
        {canAsk || status.request.redirectUri !== undefined ? (
          <Form id="admin-consent" action={resumePath(pending)} token={token}>
            {canAsk ? <Reason /> : null}
            <div class="buttons">
              <Button id="decline" kind="plain" name="decision" value="decline">
                {canAsk ? frame.cancel : consent.backToApplication}
              </Button>
              {canAsk ? (
                <Button id="ask" kind="plain" name="decision" value="ask">
                  {consent.sendRequest}
                </Button>
              ) : null}
            </div>
          </Form>
        ) : (
          <p>
            <a class="button plain" id="requests" href="/consent-requests">
              {consent.requests.own}
            </a>
          </p>
        )}
      </div>
    </Page>
  )
}

/** The page that asks for which tenant. */
export function TenantView({
  waiting,
  user,
  tenants,
  token,
}: {
  waiting: Waiting
  user: User
  tenants: readonly Tenant[]
  token: string
}): VNode {
  const { frame, consent } = useTexts()
  return (
    <Page title={consent.administrator.which} user={user}>
      <div class="card">
        <Asker registration={waiting.registration} claim={waiting.claim} />
        <Form id="choose" action={resumePath(waiting.pending)} token={token} hidden={{ decision: 'choose' }}>
          <fieldset>
            <legend>{consent.administrator.decideFor}</legend>
            {tenants.map(({ tenantId, name }, at) => (
              <label class="choice" key={tenantId} for={`tenant-${tenantId}`}>
                <input type="radio" id={`tenant-${tenantId}`} name="tenant" value={tenantId} checked={at === 0} />
                <span>{displayName(name)}</span>
              </label>
            ))}
          </fieldset>
          <Button id="go-on">{frame.goOn}</Button>
        </Form>
      </div>
    </Page>
  )
}

function About({ status: { user, request, pending } }: { status: OpenConsent }): VNode {
  const { consent } = useTexts()
  const person = (
    <>
      <bdi id="as">{displayName(user.email === '' ? user.name : user.email)}</bdi>{' '}
      <a id="not-you" href={signInPath(pending)}>
        {consent.notYou}
      </a>
    </>
  )
  const to =
    request.redirectUri === undefined ? [] : [[consent.goesTo, destinationOf(consent, request.redirectUri)] as const]
  return <Facts id="about" rows={[[consent.as, person], ...to]} />
}
