// Name, e-mail address and language. The address is what one signs in with, so changing it asks for a new proof, and a new one
// counts only when it is confirmed.

import type { FastifyInstance, FastifyReply } from 'fastify'
import { DirectoryRefusal } from '../../directory/refusal.js'
import { requestContext } from '../../http/requests/request-context.js'
import { type Language, languageNames, languageOfTag, languages } from '../../languages/language.js'
import { changeUser } from '../../users/accounts/users.js'
import { askForEmail } from '../../users/mail/email-change.js'
import { setWorkMail } from '../../users/notices/work-mail.js'
import { UserRefusal } from '../../users/refusal.js'
import { checkForm, formToken } from '../../web/form-token.js'
import { forgetLanguage, keepLanguage } from '../../web/language/kept-language.js'
import { languageOf, textsOf } from '../../web/language/reader-language.js'
import { refusalText } from '../../web/language/refusal-text.js'
import { registerPage } from '../../web/page-routes.js'
import { Button, Field } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { OneOf } from '../../web/pages/labelled.js'
import { type Problem, problemAt } from '../../web/pages/problem.js'
import { sendPage } from '../../web/pages/send-page.js'
import type { IdentityDependencies } from '../dependencies.js'
import { type Person, shown, taken } from '../sign-in/signed-in.js'
import { SettingsPage } from './settings-page.js'

const path = '/account/details'

interface View {
  values: { name: string; email: string; language: Language | null }
  problem?: Problem
}

/** Registers /account/details. */
export function registerDetails(scope: FastifyInstance, deps: IdentityDependencies): void {
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
        const { requestId } = requestContext(request)
        const language = languageOfTag(fields.get('language')) ?? null
        const values = { name: fields.get('name') ?? '', email: fields.get('email') ?? '', language }
        let isPending = false
        try {
          // A form from before this was on it says nothing.
          if (fields.get('work_mail_shown') !== undefined)
            await setWorkMail(person.acting, person.user.userId, fields.get('work_mail') === 'yes')
          isPending = await change(person, { ...values, pageLanguage: languageOf(request) }, (err) =>
            request.server.log.warn({ requestId, err }, 'a mail about an address was not sent'),
          )
        } catch (error) {
          if (!(error instanceof UserRefusal || error instanceof DirectoryRefusal)) throw error
          return show(deps, reply, person, { values, problem: { message: refusalText(error), target: error.target } })
        }
        if (language === null) forgetLanguage(reply)
        else keepLanguage(reply, language, undefined)
        const done = deps.users.mail === undefined ? 'waiting' : 'requested'
        return reply.redirect(`/account?done=${isPending ? done : 'details'}`, 303)
      },
      { recent: true },
    ),
  })
}

/**
 * Whether an address was requested. Who has it already shows neither in the answer nor in the time: what goes by mail
 * goes after it (email-change.ts).
 */
async function change(
  { user, acting }: Person,
  { name, email, language, pageLanguage }: View['values'] & { pageLanguage: Language },
  onError: (error: unknown) => void,
): Promise<boolean> {
  // Somebody from elsewhere may have none, and keep it so.
  const keeps = email.trim() === user.email && (user.emailVerified || email === '')
  const mail = keeps ? undefined : await askForEmail(acting, user.userId, email, pageLanguage)
  if (mail !== undefined) setImmediate(() => void mail().catch(onError))
  await changeUser(acting, user.userId, { name, language })
  return mail !== undefined
}

function show(deps: IdentityDependencies, reply: FastifyReply, { user, browser }: Person, view: View): FastifyReply {
  const { values, problem } = view
  const wrong = (id: string) => problemAt(problem, id)
  const { frame, account } = textsOf(reply.request)
  const page = (
    <SettingsPage title={account.aboutYou} user={user}>
      <div class="card">
        <Form id="details-form" action={path} token={formToken(deps, browser, 'account-details')}>
          <Field id="name" label={account.name} value={values.name} error={wrong('name')} autocomplete="name" />
          <Field
            id="email"
            label={frame.email}
            type="email"
            hint={user.emailVerified || user.email === '' ? account.details.emailHint : account.details.unconfirmed}
            value={values.email}
            error={wrong('email')}
            autocomplete="email"
            required={user.email !== ''}
          />
          <OneOf
            id="language"
            label={account.language}
            hint={account.languageHint}
            value={values.language ?? ''}
            options={[['', account.ofBrowser], ...languages.map((each) => [each, languageNames[each], each] as const)]}
          />
          {deps.users.mail === undefined ? null : (
            <>
              <input type="hidden" name="work_mail_shown" value="yes" />
              <label class="choice" for="work_mail">
                <input type="checkbox" id="work_mail" name="work_mail" value="yes" checked={user.takesWorkMail} />
                <span>{account.details.workMail}</span>
              </label>
            </>
          )}
          <Button id="save">{account.save}</Button>
        </Form>
      </div>
    </SettingsPage>
  )
  return sendPage(reply, problem === undefined ? 200 : 400, page)
}
