// RP-initiated logout (OpenID Connect RP-Initiated Logout 1.0, contract §4): an application sends its person here to
// end the session. With an ID token of that person it ends at once; without, the person is prompted (C15), because
// anybody can link here.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { redirectSource, responseLocation } from '../../oauth/requests/authorization-response.js'
import { findUser } from '../../users/accounts/users.js'
import { type Browser, readBrowser, signOutBrowser } from '../../web/browser.js'
import { bodyText } from '../../web/form-body.js'
import { checkForm, formToken } from '../../web/form-token.js'
import { localesWish, textsOf, wishLanguage } from '../../web/language/reader-language.js'
import { queryTextOf } from '../../web/page-address.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button } from '../../web/pages/elements.js'
import { Form, formTokenField } from '../../web/pages/form.js'
import { Page } from '../../web/pages/layout.js'
import { PageError } from '../../web/pages/page-error.js'
import { sendPage } from '../../web/pages/send-page.js'
import type { IdentityDependencies } from '../dependencies.js'
import { endpointPaths } from '../metadata/metadata.js'
import { type LogoutRequest, readLogoutRequest } from './logout-request.js'

const path = endpointPaths.logout
const formScope = 'logout'

/** Registers the endpoint. GET and POST are the same request (§2); our own form posts to where it stands. */
export function registerLogout(scope: FastifyInstance, deps: IdentityDependencies): void {
  registerPage(scope, deps, {
    path,
    routeId: 'logout',
    beforeSecondFactor: true,
    get: async (request, reply, browser) => {
      wishLanguage(request, localesWish(queryTextOf(request)), deps.now())
      return answer(deps, request, reply, browser)
    },
    postFromElsewhere: async (request, reply) => {
      const body = bodyText(request.body) ?? ''
      wishLanguage(request, localesWish(queryTextOf(request)) ?? localesWish(body), deps.now())
      return new URLSearchParams(body).has(formTokenField) ? confirm(deps, request, reply) : askByGet(reply, body)
    },
  })
}

/** Our own form came back: only here are cookies read. */
async function confirm(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const logoutRequest = await readLogoutRequest(deps, queryTextOf(request))
  const browser = await readBrowser(deps, request, reply)
  const { registration: client } = logoutRequest
  if (client !== undefined) await browser.wear?.({ applicationId: client.applicationId })
  checkForm(deps, request, browser, formScope)
  return signOut(deps, request, reply, logoutRequest)
}

/**
 * An application's form comes from another site, so it comes without our cookies (SameSite). The same request by GET
 * has them; it is one that the application could have sent by GET itself.
 */
function askByGet(reply: FastifyReply, body: string): FastifyReply {
  if (!/^[\x21-\x7e]*$/.test(body) || body.length > 7000) {
    throw new PageError({
      status: 400,
      title: ({ errors }) => errors.logout.title,
      what: ({ errors }) => errors.logout.unreadable,
      remedy: ({ errors }) => errors.logout.button,
      links: [{ href: '/sign-out', text: ({ errors }) => errors.logout.here }],
      reason: 'logout_request',
    })
  }
  return reply.code(303).header('referrer-policy', 'no-referrer').header('location', `${path}?${body}`).send()
}

async function answer(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  browser: Browser,
): Promise<FastifyReply> {
  const logoutRequest = await readLogoutRequest(deps, queryTextOf(request))
  const { session } = browser
  const { registration: client } = logoutRequest
  if (client !== undefined) await browser.wear?.({ applicationId: client.applicationId })
  // HEAD changes nothing, as prefetchers expect.
  if (session === undefined) return logoutRequest.hintSub === undefined ? sendDone(reply) : sendOn(reply, logoutRequest)
  if (logoutRequest.hintSub === session.userId && request.method === 'GET')
    return signOut(deps, request, reply, logoutRequest)
  const user = await findUser(deps.store.reader, session.userId)
  const { registration, returnTo } = logoutRequest
  const { frame, signIn } = textsOf(request)
  const texts = signIn.signOut
  const ask = (
    <Page
      title={texts.title}
      intro={registration === undefined ? texts.sentHere : texts.sentBy(displayName(registration.name))}
      user={user}
    >
      <Form id="logout-form" action={`${path}?${queryTextOf(request)}`} token={formToken(deps, browser, formScope)}>
        <div class="card stack">
          <p>{texts.who(<strong id="who">{displayName(user?.email || user?.name || '')}</strong>)}</p>
          <Button id="confirm">{frame.signOut}</Button>
          <a id="stay" class="button plain" href="/account">
            {texts.stay}
          </a>
        </div>
      </Form>
    </Page>
  )
  return sendPage(reply, 200, ask, {
    formAction: returnTo === undefined ? [] : [redirectSource(returnTo.redirectUri)],
  })
}

async function signOut(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  logoutRequest: LogoutRequest,
): Promise<FastifyReply> {
  await signOutBrowser(deps, request, reply)
  return sendOn(reply, logoutRequest)
}

/** Back to the application where it may be returned to, with its state as it came (§3). */
function sendOn(reply: FastifyReply, { returnTo }: LogoutRequest): FastifyReply {
  if (returnTo === undefined) return sendDone(reply)
  const { redirectUri, state } = returnTo
  const location = state === undefined ? redirectUri : responseLocation(redirectUri, [['state', state]])
  return reply
    .code(reply.request.method === 'POST' ? 303 : 302)
    .header('referrer-policy', 'no-referrer')
    .header('location', location)
    .send()
}

function sendDone(reply: FastifyReply): FastifyReply {
  const { signOut: texts } = textsOf(reply.request).signIn
  const done = (
    <Page title={texts.done}>
      <div class="card" id="signed-out">
        <p>{texts.close}</p>
        <p>
          <a id="sign-in" class="button plain" href="/sign-in">
            {texts.again}
          </a>
        </p>
      </div>
    </Page>
  )
  return sendPage(reply, 200, done, { forms: false })
}
