// What a person sees when an application asks to act for them: who, as whom, where, for what, since when, and where it
// can be taken back. Accepting and refusing look alike.

import type { VNode } from 'preact'
import type { Catalogue } from '../../config/settings/settings.js'
import type { ConsentRequest } from '../../directory/consents/consent-requests.js'
import { includesPermission } from '../../directory/consents/consent-rules.js'
import type { Language } from '../../languages/language.js'
import { isAdministrator } from '../../users/memberships/roles.js'
import { useReading, useTexts } from '../../web/language/texts.js'
import { Time } from '../../web/language/time.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Facts, Notice } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { Page } from '../../web/pages/layout.js'
import { consentPath, signInPath } from '../pending/paths.js'
import { HowLong, Tools } from './agent-parts.js'
import type { ConsentQuestionFor } from './consent-question.js'
import { Asker, type Line, Permissions } from './parts.js'
import { destinationOf, sentenceOf } from './sentences.js'
import { LoopbackWarning } from './unregistered-asker.js'

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
  const { frame, consent } = useTexts()
  return (
    <Page title={consent.title} user={user} intro={consent.intro(<bdi>{displayName(tenant.name)}</bdi>)}>
      <div class="card">
        <Asker registration={registration} home={question.home} claim={question.claim} />
        <h2 id="what-for">{consent.able}</h2>
        <Permissions id="permissions" lines={linesOf(useReading().language, question, catalogue)} />
        {question.agent === undefined ? null : <Tools tools={question.agent.tools} />}
        <hr />
        <About question={question} />
        <LoopbackWarning document={registration.document} redirectUri={question.redirectUri} />
        <Form id="consent" action={consentPath(pending)} token={token}>
          {question.agent === undefined ? null : <HowLong />}
          {isAdministrator(membership.role) && question.answer.missing.length > 0 ? (
            <label class="choice" for="for-everybody">
              <input type="checkbox" id="for-everybody" name="for_everybody" value="yes" />
              <span>{consent.forEverybody(<bdi>{displayName(tenant.name)}</bdi>)}</span>
            </label>
          ) : null}
          <div class="buttons">
            <Button id="cancel" kind="plain" name="decision" value="cancel">
              {frame.cancel}
            </Button>
            <Button id="accept" kind="plain" name="decision" value="accept">
              {consent.accept}
            </Button>
          </div>
        </Form>
      </div>
      <p class="fine" id="withdraw-hint">
        {consent.takeBack(<a href="/account/apps">{consent.apps.title}</a>)}
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
  const { frame, consent } = useTexts()
  const { language } = useReading()
  const waiting = request?.state === 'pending'
  const missing = answer.missing.map((ref) => sentenceOf(catalogue, ref, 'own', language))
  return (
    <Page title={consent.approval} user={user} intro={consent.approvalIntro(<bdi>{displayName(tenant.name)}</bdi>)}>
      <RequestState request={request} />
      <div class="card">
        <Asker registration={registration} home={question.home} claim={question.claim} />
        <h2>{consent.asksAble}</h2>
        <Permissions id="permissions" lines={missing} />
        <hr />
        <About question={question} />
        <Form id="consent" action={consentPath(pending)} token={token}>
          {waiting ? null : <Reason />}
          <div class="buttons">
            <Button id="cancel" kind="plain" name="decision" value="cancel">
              {waiting ? consent.backToApplication : frame.cancel}
            </Button>
            {waiting ? null : (
              <Button id="ask" kind="plain" name="decision" value="ask">
                {consent.sendRequest}
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
  const { consent } = useTexts()
  return (
    <div class="field">
      <label for="reason">{consent.reason}</label>
      <p class="hint" id="reason-hint">
        {consent.reasonHint}
      </p>
      <textarea id="reason" name="reason" rows={3} maxLength={500} aria-describedby="reason-hint" />
    </div>
  )
}

/** What became of a request. */
export function RequestState({ request }: { request: ConsentRequest | undefined }): VNode | null {
  const { consent } = useTexts()
  if (request === undefined) return null
  const { state, createdAt, decidedAt } = request
  if (state === 'pending') {
    return (
      <Notice id="request-state" kind="success" title={consent.waiting}>
        <p>{consent.waitingSince(<Time at={createdAt} />)}</p>
      </Notice>
    )
  }
  return (
    <Notice id="request-state" title={state === 'approved' ? consent.lastApproved : consent.lastDeclined}>
      <p>{consent.decidedOn(<Time at={decidedAt ?? createdAt} />)}</p>
    </Notice>
  )
}

function About({ question }: { question: ConsentQuestionFor }): VNode {
  const { user, tenant, redirectUri, pending } = question
  const { consent } = useTexts()
  return (
    <Facts
      id="about"
      rows={[
        [
          consent.as,
          <>
            <bdi id="as">{displayName(user.email === '' ? user.name : user.email)}</bdi>{' '}
            <a id="not-you" href={signInPath(pending)}>
              {consent.notYou}
            </a>
          </>,
        ],
        [consent.in, <bdi id="tenant">{displayName(tenant.name)}</bdi>],
        [consent.goesTo, <span id="destination">{destinationOf(consent, redirectUri)}</span>],
      ]}
    />
  )
}

function linesOf(language: Language, { permissions, answer }: ConsentQuestionFor, catalogue: Catalogue): Line[] {
  const isNew = answer.kind === 'ask' ? answer.isNew : []
  return permissions.map((ref) => {
    const granted = !includesPermission(answer.missing, ref)
    const mark = includesPermission(isNew, ref) ? 'new' : granted ? 'granted' : undefined
    return { ...sentenceOf(catalogue, ref, 'own', language), mark }
  })
}
