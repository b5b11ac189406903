// Changing the password. Every other session ends, and so does what applications hold (C14); this browser goes on under
// a new session id (C12).

import type { FastifyInstance, FastifyReply } from 'fastify'
import { requestContext } from '../../http/requests/request-context.js'
import type { Texts } from '../../languages/english/texts.js'
import { changePassword } from '../../users/credentials/change-password.js'
import { UserRefusal } from '../../users/refusal.js'
import { continueBrowser } from '../../web/browser.js'
import { checkForm, formToken } from '../../web/form-token.js'
import { knownDevice } from '../../web/known-device.js'
import { textsOf } from '../../web/language/reader-language.js'
import { refusalText } from '../../web/language/refusal-text.js'
import { registerPage } from '../../web/page-routes.js'
import { Button, Field } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { NewPasswordField } from '../../web/pages/new-password-field.js'
import { type Problem, ProblemNotice, problemAt } from '../../web/pages/problem.js'
import { passwordScript } from '../../web/pages/scripts.js'
import { sendPage } from '../../web/pages/send-page.js'
import type { IdentityDependencies } from '../dependencies.js'
import { queueFull, tooManyAttempts } from '../sign-in/finish.js'
import { type Person, shown, taken } from '../sign-in/signed-in.js'
import { SettingsPage } from './settings-page.js'

const path = '/account/password'

/** Registers /account/password. */
export function registerPassword(scope: FastifyInstance, deps: IdentityDependencies): void {
  registerPage(scope, deps, {
    path,
    routeId: 'account-password',
    get: shown(deps, async (_request, reply, person) => show(deps, reply, person)),
    post: taken(deps, async (request, reply, person) => {
      const fields = checkForm(deps, request, person.browser, 'account-password')
      const { address } = requestContext(request)
      const { session, user, acting } = person
      const links = [{ href: path, text: ({ frame }: Texts) => frame.back }]
      try {
        const [current, next] = [fields.get('current') ?? '', fields.get('password') ?? '']
        const device = knownDevice(deps, request)(user.userId)
        const change = { userId: user.userId, current, next, session: session.idHash, address, device }
        const result = await changePassword(acting, change)
        if (result.kind === 'wait') throw tooManyAttempts(result.retryAfterSeconds, links)
      } catch (error) {
        if (!(error instanceof UserRefusal)) throw queueFull(error, links)
        return show(deps, reply, person, { message: refusalText(error), target: error.target })
      }
      await continueBrowser(deps, request, reply, session)
      return reply.redirect('/account?done=password', 303)
    }),
  })
}

function show(
  deps: IdentityDependencies,
  reply: FastifyReply,
  { user, browser }: Person,
  problem?: Problem,
): FastifyReply {
  const { passwordLength } = deps.settings.signIn
  const wrong = (id: string) => problemAt(problem, id)
  const { account, signIn } = textsOf(reply.request)
  const page = (
    <SettingsPage
      title={account.password.title}
      intro={account.password.intro}
      user={user}
      scripts={[passwordScript.path]}
    >
      <div class="card">
        <ProblemNotice problem={problem} fields={['current', 'password']} />
        {user.hasPassword ? (
          <Form id="password-form" action={path} token={formToken(deps, browser, 'account-password')}>
            <input type="hidden" name="email" value={user.email} autocomplete="username" />
            <Field
              id="current"
              label={account.password.current}
              type="password"
              autocomplete="current-password"
              error={wrong('current')}
              maxLength={1024}
            />
            <NewPasswordField label={signIn.reset.newPassword} length={passwordLength} error={wrong('password')} />
            <Button id="change-password">{account.password.change}</Button>
          </Form>
        ) : (
          <p id="no-password">{account.password.none}</p>
        )}
      </div>
    </SettingsPage>
  )
  return sendPage(reply, problem === undefined ? 200 : 400, page, { script: true })
}
