// Name and e-mail address. The address is what one signs in with, so changing it asks for a new proof.

import type { FastifyInstance, FastifyReply } from 'fastify'
import { DirectoryRefusal } from '../../directory/refusal.js'
import { requestContext } from '../../http/request-context.js'
import { mailAddressChanged } from '../../users/mail.js'
import { UserRefusal } from '../../users/refusal.js'
import { changeUser } from '../../users/users.js'
import type { PageDependencies } from '../browser/browser.js'
import { checkForm, formToken } from '../browser/form-token.js'
import { registerPage } from '../browser/page-routes.js'
import { Button, Field } from '../pages/elements.js'
import { Form } from '../pages/form.js'
import { Page } from '../pages/layout.js'
import { sendPage } from '../pages/send-page.js'
import { tooManyAttempts } from '../sign-in/finish.js'
import { type Person, shown, taken } from '../sign-in/signed-in.js'
import { Back } from './back.js'

const path = '/account/details'

interface View {
  values: { name: string; email: string }
  problem?: { message: string; target: string | undefined }
}

/** Registers /account/details. */
export function registerDetails(scope: FastifyInstance, deps: PageDependencies): void {
  registerPage(scope, deps, {
    path,
    routeId: 'account-details',
    get: shown(deps, async (_request, reply, person) => show(deps, reply, person, { values: person.user }), {
      recent: true,
    }),
    post: taken(
      deps,
      async (request, reply, person) => {
        const fields = checkForm(deps, request, person.browser, 'account-details')
        const { address, requestId } = requestContext(request)
        const values = { name: fields.get('name') ?? '', email: fields.get('email') ?? '' }
        try {
          await change(deps, address, person, values)
          const { acting, user } = person
          const former = values.email.trim() === user.email ? '' : user.email
          // Nobody waits for the mail server; who took an account over is the last to tell of it.
          mailAddressChanged(acting, former).catch((err) =>
            request.server.log.warn({ requestId, err }, 'the former address was not told'),
          )
        } catch (error) {
          if (!(error instanceof UserRefusal || error instanceof DirectoryRefusal)) throw error
          return show(deps, reply, person, { values, problem: { message: error.message, target: error.target } })
        }
        return reply.redirect('/account?done=details', 303)
      },
      { recent: true },
    ),
  })
}

/** Which addresses others have is told so slowly that nobody finds out by trying many (U7). */
async function change(
  deps: PageDependencies,
  address: string,
  { user, acting }: Person,
  { name, email }: View['values'],
): Promise<void> {
  const { userId } = user
  const turn = await deps.users.throttle.begin({ address, account: `taken:${userId}`, proof: 'password' })
  if (!turn.allowed) throw tooManyAttempts(turn.retryAfterSeconds, [{ href: path, text: 'Back' }])
  let isTaken = false
  try {
    // Somebody from elsewhere may have none, and keep it so.
    await changeUser(acting, userId, { name, ...(email === '' && user.email === '' ? {} : { email }) })
  } catch (error) {
    isTaken = error instanceof UserRefusal && error.code === 'EmailTaken'
    throw error
  } finally {
    await turn.end(isTaken ? 'failed' : undefined)
  }
}

function show(deps: PageDependencies, reply: FastifyReply, { user, browser }: Person, view: View): FastifyReply {
  const { values, problem } = view
  const wrong = (id: string) => (problem?.target === id ? problem.message : undefined)
  const page = (
    <Page title="About you" user={user}>
      <div class="card">
        <Form id="details-form" action={path} token={formToken(deps, browser, 'account-details')}>
          <Field id="name" label="Name" value={values.name} error={wrong('name')} autocomplete="name" />
          <Field
            id="email"
            label="E-mail address"
            type="email"
            hint="You sign in with it."
            value={values.email}
            error={wrong('email')}
            autocomplete="email"
            required={user.email !== ''}
          />
          <Button id="save">Save</Button>
        </Form>
      </div>
      <Back />
    </Page>
  )
  return sendPage(reply, problem === undefined ? 200 : 400, page)
}
