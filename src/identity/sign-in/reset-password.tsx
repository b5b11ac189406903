// A new password for somebody who lost the old one: asking for a link, which answers the same whether there is such an
// account, and the page behind the link.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { writesAs } from '../../directory/actor.js'
import { requestContext } from '../../http/requests/request-context.js'
import type { Said } from '../../languages/texts.js'
import { resetPassword } from '../../users/accounts/accept-link.js'
import { askForPasswordReset } from '../../users/mail/send-link.js'
import type { Browser } from '../../web/browser.js'
import { checkForm, formToken } from '../../web/form-token.js'
import { languageOf } from '../../web/language/reader-language.js'
import { originOf } from '../../web/origin.js'
import { queryOf } from '../../web/page-address.js'
import { registerPage } from '../../web/page-routes.js'
import { sendPage } from '../../web/pages/send-page.js'
import type { IdentityDependencies } from '../dependencies.js'
import { findPending } from '../pending/pending-request.js'
import { tooManyAttempts } from './finish.js'
import { requireLink, useOrShow } from './link-pages.js'
import { AskPage, LinkSentPage, NewPasswordPage, PasswordSetPage } from './reset-password-pages.js'

/** Registers /reset-password and /reset-password/<link>. */
export function registerResetPassword(scope: FastifyInstance, deps: IdentityDependencies): void {
  registerPage(scope, deps, {
    path: '/reset-password',
    routeId: 'reset-password',
    beforeSecondFactor: true,
    get: async (request, reply, browser) => {
      const waiting = await waitingFor(deps, request, browser)
      const token = formToken(deps, browser, 'reset-password')
      const about = { request: waiting, mails: deps.settings.mail !== undefined }
      return sendPage(reply, 200, <AskPage token={token} {...about} />)
    },
    post: async (request, reply, browser) => ask(deps, request, reply, browser),
  })
  registerPage(scope, deps, {
    path: '/reset-password/:link',
    routeId: 'new-password',
    beforeSecondFactor: true,
    get: async (request, reply, browser) => {
      const { secret, link } = await requireLink(deps, request, 'password-reset')
      if (link.userId !== undefined) await browser.wear?.({ userId: link.userId })
      return showNew(deps, reply, browser, { secret })
    },
    post: async (request, reply, browser) => takeNew(deps, request, reply, browser),
  })
}

async function ask(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  browser: Browser,
): Promise<FastifyReply> {
  const waiting = await waitingFor(deps, request, browser)
  const fields = checkForm(deps, request, browser, 'reset-password')
  const { address, requestId } = requestContext(request)
  const acting = writesAs(deps.users, originOf(request, { kind: 'system' }))
  const waitSeconds = await askForPasswordReset(
    acting,
    { email: fields.get('email') ?? '', address, language: languageOf(request) },
    (err) => request.server.log.error({ requestId, err }, 'a mail for a new password was not sent'),
  )
  if (waitSeconds !== undefined)
    throw tooManyAttempts(waitSeconds, [{ href: '/sign-in', text: ({ signIn }) => signIn.title }])
  return sendPage(reply, 200, <LinkSentPage request={waiting} mails={deps.settings.mail !== undefined} />)
}

/** The request that the person came from, for the look of these pages and the way back. */
async function waitingFor(
  deps: IdentityDependencies,
  request: FastifyRequest,
  browser: Browser,
): Promise<string | undefined> {
  return (await findPending(deps, browser, queryOf(request).get('request') ?? undefined))?.id
}

async function takeNew(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  browser: Browser,
): Promise<FastifyReply> {
  const { secret, link } = await requireLink(deps, request, 'password-reset')
  const fields = checkForm(deps, request, browser, `new-password:${secret}`)
  const { userId } = link
  if (userId !== undefined) await browser.wear?.({ userId })
  const actor = userId === undefined ? ({ kind: 'system' } as const) : ({ kind: 'user', userId } as const)
  const acting = writesAs(deps.users, originOf(request, actor))
  const result = await useOrShow(
    'password-reset',
    () => resetPassword(acting, secret, fields.get('password') ?? ''),
    (problem) => showNew(deps, reply, browser, { secret, problem: problem.message }),
  )
  // Not signed in yet: a person with a second factor proves it as always.
  return 'shown' in result ? result.shown : sendPage(reply, 200, <PasswordSetPage />)
}

function showNew(
  deps: IdentityDependencies,
  reply: FastifyReply,
  browser: Browser,
  view: { secret: string; problem?: Said },
): FastifyReply {
  const token = formToken(deps, browser, `new-password:${view.secret}`)
  const { passwordLength } = deps.settings.signIn
  const page = <NewPasswordPage {...view} token={token} passwordLength={passwordLength} />
  return sendPage(reply, view.problem === undefined ? 200 : 400, page, { script: true })
}
