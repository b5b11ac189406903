// How an answer reaches the client: a redirect (RFC 6749 §4.1.2), or a form that the person's browser posts there
// (OAuth 2.0 Form Post Response Mode). After a form of ours the redirect is 303, so that no password is ever posted on
// (R9).

import type { FastifyReply } from 'fastify'
import type { ResponseMode } from '../../oauth/requests/authorization-request.js'
import { type ResponseFields, redirectSource, responseLocation } from '../../oauth/requests/authorization-response.js'
import type { VerifiedRedirectUri } from '../../oauth/requests/redirect-uri.js'
import { useTexts } from '../../web/language/texts.js'
import { asset } from '../../web/pages/asset.js'
import { Page } from '../../web/pages/layout.js'
import { sendPage } from '../../web/pages/send-page.js'

/** Posts the form at once; without it the person presses the button. The assets of the pages include it. */
export const formPostScript = asset('js', "document.getElementById('answer').requestSubmit()\n")

/** Where an answer goes, and how. */
export interface AnswerTo {
  redirectUri: VerifiedRedirectUri
  responseMode: ResponseMode
}

/** Sends the answer. Neither it nor its address is kept by anybody on the way. */
export function sendAnswer(
  reply: FastifyReply,
  { redirectUri, responseMode }: AnswerTo,
  fields: ResponseFields,
): FastifyReply {
  if (responseMode === 'query') {
    return reply
      .code(reply.request.method === 'POST' ? 303 : 302)
      .header('cache-control', 'no-store')
      .header('pragma', 'no-cache')
      .header('referrer-policy', 'no-referrer')
      .header('location', responseLocation(redirectUri, fields))
      .send()
  }
  return sendPage(reply, 200, <FormPost redirectUri={redirectUri} fields={fields} />, {
    formAction: [redirectSource(redirectUri)],
    script: true,
  })
}

function FormPost({ redirectUri, fields }: { redirectUri: VerifiedRedirectUri; fields: ResponseFields }) {
  const { frame, consent } = useTexts()
  return (
    <Page title={consent.returningTitle} intro={consent.returningIntro} scripts={[formPostScript.path]}>
      <form id="answer" class="card" method="post" action={redirectUri}>
        {fields.map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <button id="go-on" type="submit">
          {frame.goOn}
        </button>
      </form>
    </Page>
  )
}
