// What a person sees when an application asks to act for them: who, as whom, where, for what, since when, and where it
// can be taken back. Accepting and refusing look alike.

import type { VNode } from 'preact'
import type { Catalogue } from '../../config/settings/settings.js'
import type { ConsentRequest } from '../../directory/consents/consent-requests.js'
import { includesPermission } from '../../directory/consents/consent-rules.js'
import { isAdministrator } from '../../users/memberships/roles.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Facts, Notice } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { Page } from '../../web/pages/layout.js'
import { consentPath, signInPath } from '../pending/paths.js'
import type { ConsentQuestionFor } from './consent-question.js'
import { Asker, type Line, Permissions, When } from './parts.js'
import { destinationOf, sentenceOf } from './sentences.js'

/** The page that asks. */
export function ConsentView({
  question,
  catalogue,
  token,
}: {
  question: ConsentQuestionFor
  catalogue: Catalogue
  token: string
}): VNode {
  const { user, tenant, registration, pending, membership } = question
  return (
    <Page
      title="Allow this application?"
      user={user}
      intro={<>It asks to act for you in {displayName(tenant.name)}.</>}
    >
      <div class="card">
        <Asker registration={registration} home={question.home} />
        <h2 id="what-for">It will be able to</h2>
        <Permissions id="permissions" lines={linesOf(question, catalogue)} />
        <hr />
        <About question={question} />
        <Form id="consent" action={consentPath(pending)} token={token}>
          {isAdministrator(membership.role) && question.answer.missing.length > 0 ? (
            <label class="choice" for="for-everybody">
              <input type="checkbox" id="for-everybody" name="for_everybody" value="yes" />
              <span>
                Allow it for everybody in {displayName(tenant.name)}, so that nobody else has to. You may, as an
                administrator.
              </span>
            </label>
          ) : null}
          <div class="buttons">
            <Button id="cancel" kind="plain" name="decision" value="cancel">
              Cancel
            </Button>
            <Button id="accept" kind="plain" name="decision" value="accept">
              Accept
            </Button>
          </div>
        </Form>
      </div>
      <p class="fine" id="withdraw-hint">
        You can take this back at any time on your page <a href="/account/apps">Apps with access</a>.
      </p>
    </Page>
  )
}

/** The page for somebody who may not decide this alone: they can ask. `request` is what they requested before. */
export function AdministratorView({
  question,
  catalogue,
  token,
  request,
}: {
  question: ConsentQuestionFor
  catalogue: Catalogue
  token: string
  request: ConsentRequest | undefined
}): VNode {
  const { user, tenant, registration, pending, answer } = question
  const waiting = request?.state === 'pending'
  const missing = answer.missing.map((ref) => sentenceOf(catalogue, ref))
  return (
    <Page
      title="Administrator approval required"
      user={user}
      intro={<>What it asks for is not yours alone to give in {displayName(tenant.name)}.</>}
    >
      <RequestState request={request} />
      <div class="card">
        <Asker registration={registration} home={question.home} />
        <h2>It asks to be able to</h2>
        <Permissions id="permissions" lines={missing} />
        <hr />
        <About question={question} />
        <Form id="consent" action={consentPath(pending)} token={token}>
          {waiting ? null : <Reason />}
          <div class="buttons">
            <Button id="cancel" kind="plain" name="decision" value="cancel">
              {waiting ? 'Returning to the application' : 'Cancel'}
            </Button>
            {waiting ? null : (
              <Button id="ask" kind="plain" name="decision" value="ask">
                Send the request
              </Button>
            )}
          </div>
        </Form>
      </div>
    </Page>
  )
}

/** Why the person needs it, for the administrator who decides. */
export function Reason(): VNode {
  return (
    <div class="field">
      <label for="reason">Why you need it (optional)</label>
      <p class="hint" id="reason-hint">
        Administrators read this with your request.
      </p>
      <textarea id="reason" name="reason" rows={3} maxLength={500} aria-describedby="reason-hint" />
    </div>
  )
}

/** What became of a request. */
export function RequestState({ request }: { request: ConsentRequest | undefined }): VNode | null {
  if (request === undefined) return null
  const { state, createdAt, decidedAt } = request
  if (state === 'pending') {
    return (
      <Notice id="request-state" kind="success" title="Your request is waiting for an administrator">
        <p>
          Requested on <When at={createdAt} />. Start again in the application when it has been approved.
        </p>
      </Notice>
    )
  }
  return (
    <Notice
      id="request-state"
      title={state === 'approved' ? 'Your last request was approved' : 'Your last request was declined'}
    >
      <p>
        That was on <When at={decidedAt ?? createdAt} />. You can ask again.
      </p>
    </Notice>
  )
}

function About({ question }: { question: ConsentQuestionFor }): VNode {
  const { user, tenant, redirectUri, pending } = question
  return (
    <Facts
      id="about"
      rows={[
        [
          'As',
          <>
            <bdi id="as">{displayName(user.email === '' ? user.name : user.email)}</bdi>{' '}
            <a id="not-you" href={signInPath(pending)}>
              Not you?
            </a>
          </>,
        ],
        ['In', <bdi id="tenant">{displayName(tenant.name)}</bdi>],
        ['You go on to', <span id="destination">{destinationOf(redirectUri)}</span>],
      ]}
    />
  )
}

function linesOf({ permissions, answer }: ConsentQuestionFor, catalogue: Catalogue): Line[] {
  const isNew = answer.kind === 'ask' ? answer.isNew : []
  return permissions.map((ref) => {
    const granted = !includesPermission(answer.missing, ref)
    const mark = includesPermission(isNew, ref) ? 'new' : granted ? 'granted' : undefined
    return { ...sentenceOf(catalogue, ref), mark }
  })
}
