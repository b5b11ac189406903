// The sign-in page: an address and a password, a passkey, or another provider; for somebody who is signed in already,
// the question whether to go on as they are. Unknown, disabled and wrong read the same (U7).

import type { FastifyInstance, FastifyReply } from 'fastify'
import { requestContext } from '../../http/requests/request-context.js'
import type { Texts } from '../../languages/english/texts.js'
import type { Said } from '../../languages/texts.js'
import { findUser } from '../../users/accounts/users.js'
import { checkPassword } from '../../users/credentials/password-sign-in.js'
import { continueBrowser } from '../../web/browser.js'
import { checkForm, type FormFields, formToken } from '../../web/form-token.js'
import { knownDevice } from '../../web/known-device.js'
import { queryOf } from '../../web/page-address.js'
import { registerPage } from '../../web/page-routes.js'
import { sendPage } from '../../web/pages/send-page.js'
import type { IdentityDependencies } from '../dependencies.js'
import { finishSignIn, queueFull, tooManyAttempts } from './finish.js'
import { createNobodyYet } from './nobody-yet.js'
import { passkeyRequest, provenByPasskey } from './passkeys/prove-by-passkey.js'
import { readPurpose } from './purpose.js'
import { beginSecondFactor } from './second-factor.js'
import { ContinuePage, SignInPage } from './sign-in-page.js'
import { finishStepUp } from './step-up/finish-step-up.js'
import { type Attempt, beginStepUp, formScope, goWithout, showStepUp } from './step-up/step-up.js'

const wrong: Said = ({ signIn }) => signIn.wrong
const wrongPasskey: Said = ({ signIn }) => signIn.wrongPasskey

/** Registers /sign-in. */
export function registerSignIn(scope: FastifyInstance, deps: IdentityDependencies): void {
  const nobodyYet = createNobodyYet(deps.store)
  registerPage(scope, deps, {
    path: '/sign-in',
    routeId: 'sign-in',
    beforeSecondFactor: true,
    get: async (request, reply, browser) => {
      const purpose = await readPurpose(deps, request, browser)
      return show(deps, { request, reply, browser, purpose }, nobodyYet)
    },
    post: async (request, reply, browser) => {
      const purpose = await readPurpose(deps, request, browser)
      const fields = checkForm(deps, request, browser, formScope(purpose))
      const attempt = { request, reply, browser, purpose }
      const action = fields.get('action')
      if (action === 'continue') return goOn(deps, attempt)
      if (action === 'second-factor') return beginStepUp(deps, attempt)
      if (action === 'without') return goWithout(deps, attempt)
      const passkey = fields.get('passkey')
      return passkey === undefined ? byPassword(deps, attempt, fields) : byPasskey(deps, attempt, passkey)
    },
  })
}

async function show(
  deps: IdentityDependencies,
  attempt: Attempt,
  nobodyYet: () => Promise<boolean>,
): Promise<FastifyReply> {
  const { request, reply, browser, purpose } = attempt
  const another = queryOf(request).get('another') !== null
  const user =
    browser.session === undefined || another ? undefined : await findUser(deps.store.reader, browser.session.userId)
  if (user === undefined || purpose.mode === 'new') {
    return form(deps, attempt, { email: purpose.loginHint ?? '', nobodyYet: await nobodyYet() })
  }
  if (purpose.mode === 'again') return form(deps, attempt, { email: user.email })
  if (purpose.mode === 'secondFactor' && browser.session !== undefined) return showStepUp(deps, attempt, user)
  const page = <ContinuePage purpose={purpose} token={formToken(deps, browser, formScope(purpose))} user={user} />
  return sendPage(reply, 200, page, { formAction: purpose.formAction })
}

/**
 * The account stays; the session goes on under a new id, so that the page that offered a choice sees that one was made.
 */
async function goOn(deps: IdentityDependencies, { request, reply, browser, purpose }: Attempt): Promise<FastifyReply> {
  if (browser.session === undefined || purpose.mode !== 'choose') return reply.redirect(purpose.path, 303)
  await continueBrowser(deps, request, reply, browser.session)
  return reply.redirect(purpose.next, 303)
}

async function byPassword(deps: IdentityDependencies, attempt: Attempt, fields: FormFields): Promise<FastifyReply> {
  const { request, reply, purpose } = attempt
  const email = fields.get('email') ?? ''
  const { address } = requestContext(request)
  const links = [{ href: purpose.path, text: ({ frame }: Texts) => frame.backToSignIn }]
  const device = knownDevice(deps, request)
  const result = await checkPassword(deps.users, {
    email,
    password: fields.get('password') ?? '',
    address,
    device,
  }).catch((error: unknown) => {
    throw queueFull(error, links)
  })
  if (result.kind === 'wait') throw tooManyAttempts(result.retryAfterSeconds, links)
  if (result.kind === 'refused') return form(deps, attempt, { email, problem: wrong, status: 400 })
  const { provenAfter } = result
  const { userId } = result.user
  if (result.needsSecondFactor)
    return beginSecondFactor(deps, attempt, { userId, first: 'pwd', way: 'password', provenAfter })
  const done = await finishSignIn(deps, request, reply, {
    userId,
    proof: 'password',
    way: 'password',
    purpose,
    provenAfter,
  })
  return done ? reply : form(deps, attempt, { email, problem: wrong, status: 400 })
}

async function byPasskey(deps: IdentityDependencies, attempt: Attempt, answer: string): Promise<FastifyReply> {
  const { request, reply, browser, purpose } = attempt
  const { session } = browser
  const proven = await provenByPasskey(deps, browser, answer)
  if (proven !== undefined && session?.userId === proven.userId && purpose.mode === 'secondFactor') {
    const isDone = await finishStepUp(deps, attempt, { passkey: proven.credentialId })
    return isDone ? reply : reply.redirect(purpose.path, 303)
  }
  const done =
    proven !== undefined &&
    (await finishSignIn(deps, request, reply, {
      userId: proven.userId,
      proof: 'passkey',
      way: 'passkey',
      purpose,
      basis: { passkey: proven.credentialId },
    }))
  if (done) return reply
  deps.activity.note({
    event: 'user.sign-in-failed',
    address: requestContext(request).address,
    details: { proof: 'passkey' },
  })
  return form(deps, attempt, { email: '', problem: wrongPasskey, status: 400 })
}

function form(
  deps: IdentityDependencies,
  { request, reply, browser, purpose }: Attempt,
  view: { email: string; problem?: Said; status?: number; nobodyYet?: boolean },
): FastifyReply {
  const providers = purpose.ways?.providers ?? [...deps.settings.signIn.providers.values()]
  const isOwnWished = view.problem !== undefined || queryOf(request).has('own')
  const page = (
    <SignInPage
      purpose={purpose}
      token={formToken(deps, browser, formScope(purpose))}
      email={view.email}
      problem={view.problem}
      passkeyOptions={passkeyRequest(deps, browser)}
      providers={providers}
      onlyProviders={purpose.ways?.own === false && !isOwnWished}
      nobodyYet={view.nobodyYet === true ? { isLinkPrinted: deps.settings.mode === 'development' } : undefined}
    />
  )
  return sendPage(reply, view.status ?? 200, page, {
    formAction: purpose.formAction,
    script: true,
  })
}
