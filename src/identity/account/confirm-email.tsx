// The page behind the link that was mailed to a new address. A person who reads mail there and is signed in with the
// account that sent the link has both; the one without the other is not enough: a link that somebody opens for somebody
// untrusted gives them nothing, and an address that nobody reads is nobody's.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Said } from '../../languages/texts.js'
import { confirmEmail } from '../../users/mail/email-change.js'
import { emailOfLink } from '../../users/mail/pending-emails.js'
import { UserRefusal } from '../../users/refusal.js'
import { checkForm, formToken } from '../../web/form-token.js'
import { textsOf } from '../../web/language/reader-language.js'
import { refusalText } from '../../web/language/refusal-text.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { Page } from '../../web/pages/layout.js'
import { errorText, PageError } from '../../web/pages/page-error.js'
import { ProblemNotice } from '../../web/pages/problem.js'
import { sendPage } from '../../web/pages/send-page.js'
import type { IdentityDependencies } from '../dependencies.js'
import { type Person, shown, taken } from '../sign-in/signed-in.js'

/** Registers /account/confirm-email/<link>. Looking at it uses nothing up: mail scanners open what they find. */
export function registerConfirmEmail(scope: FastifyInstance, deps: IdentityDependencies): void {
  registerPage(scope, deps, {
    path: '/account/confirm-email/:link',
    routeId: 'account-confirm-email',
    get: shown(deps, async (request, reply, person) => show(deps, request, reply, person)),
    post: taken(deps, async (request, reply, person) => {
      const { secret } = await requirePending(deps, request, person)
      checkForm(deps, request, person.browser, `confirm-email:${secret}`)
      try {
        await confirmEmail(person.acting, person.user.userId, secret)
      } catch (error) {
        if (!(error instanceof UserRefusal)) throw error
        if (error.code === 'LinkNotFound') throw gone()
        return show(deps, request, reply, person, refusalText(error))
      }
      return reply.redirect('/account?done=email', 303)
    }),
  })
}

async function show(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
  problem?: Said,
): Promise<FastifyReply> {
  const { secret, email } = await requirePending(deps, request, person)
  const { user, browser } = person
  const token = formToken(deps, browser, `confirm-email:${secret}`)
  const { confirmEmail: texts } = textsOf(request).account
  const shownEmail = <strong id="new-email">{displayName(email, 254)}</strong>
  const page = (
    <Page title={texts.title} intro={texts.intro} user={user}>
      <div class="card">
        <ProblemNotice problem={problem} />
        <p>
          {user.email === '' ? texts.becomes(shownEmail) : texts.replaces(shownEmail, displayName(user.email, 254))}
        </p>
        <Form id="confirm-email-form" action={`/account/confirm-email/${secret}`} token={token}>
          <Button id="confirm">{texts.confirm}</Button>
        </Form>
      </div>
    </Page>
  )
  return sendPage(reply, problem === undefined ? 200 : 409, page)
}

async function requirePending(deps: IdentityDependencies, request: FastifyRequest, { user }: Person) {
  const { link: secret } = request.params as { link: string }
  const email = await emailOfLink(deps.store.reader, user.userId, secret, deps.now())
  if (email === undefined) throw gone()
  return { secret, email }
}

function gone(): PageError {
  return new PageError({
    status: 404,
    ...errorText(({ errors }) => errors.confirmLink),
    links: [
      { href: '/account/details', text: ({ errors }) => errors.confirmLink.details },
      { href: '/sign-out', text: ({ frame }) => frame.signOut },
    ],
    reason: 'no_link',
  })
}
