// Deleting the account: the address typed out, so that no hasty click does it, and a proof that is new.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Said } from '../../languages/texts.js'
import { deleteUser } from '../../users/accounts/user-state.js'
import { emailKey } from '../../users/mail/email.js'
import { UserRefusal } from '../../users/refusal.js'
import { signOutBrowser } from '../../web/browser.js'
import { checkForm, formToken } from '../../web/form-token.js'
import { textsOf } from '../../web/language/reader-language.js'
import { refusalText } from '../../web/language/refusal-text.js'
import { registerPage } from '../../web/page-routes.js'
import { Button, Field } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { type Problem, ProblemNotice, problemAt } from '../../web/pages/problem.js'
import { sendPage } from '../../web/pages/send-page.js'
import type { IdentityDependencies } from '../dependencies.js'
import { type Person, shown, taken } from '../sign-in/signed-in.js'
import { SettingsPage } from './settings-page.js'

const path = '/account/delete'

/** Registers /account/delete. */
export function registerDeleteAccount(scope: FastifyInstance, deps: IdentityDependencies): void {
  const recent = { recent: true }
  registerPage(scope, deps, {
    path,
    routeId: 'account-delete',
    get: shown(deps, async (_request, reply, person) => show(deps, reply, person), recent),
    post: taken(
      deps,
      async (request, reply, person) => {
        const fields = checkForm(deps, request, person.browser, 'account-delete')
        const { user, acting } = person
        const typed = fields.get('confirm') ?? ''
        if (emailKey(typed) !== emailKey(wordFor(person))) {
          return show(deps, reply, person, { message: ({ account }) => account.deletion.wrong, target: 'confirm' })
        }
        try {
          await deleteUser(acting, user.userId)
        } catch (error) {
          if (!(error instanceof UserRefusal)) throw error
          return show(deps, reply, person, { message: sayRefusal(error), target: undefined })
        }
        await signOutBrowser(deps, request, reply)
        return reply.redirect('/sign-out', 303)
      },
      recent,
    ),
  })
}

/** The rules of the rooms below speak of somebody; here it is the reader. */
function sayRefusal(error: UserRefusal): Said {
  return error.code === 'LastOwner' ? ({ account }) => account.deletion.onlyOwner : refusalText(error)
}

/** What is to be typed: the address, or a word for those who have none. */
function wordFor({ user }: Pick<Person, 'user'>): string {
  return user.email === '' ? 'delete' : user.email
}

function show(
  deps: IdentityDependencies,
  reply: FastifyReply,
  { user, browser }: Person,
  problem?: Problem,
): FastifyReply {
  const word = wordFor({ user })
  const { account } = textsOf(reply.request)
  const page = (
    <SettingsPage title={account.delete} intro={account.deletion.intro} user={user}>
      <div class="card">
        <ProblemNotice problem={problem} fields={['confirm']} />
        <p>{account.deletion.consequence}</p>
        <Form id="delete-form" action={path} token={formToken(deps, browser, 'account-delete')}>
          <Field
            id="confirm"
            label={account.deletion.type}
            hint={<strong>{word}</strong>}
            error={problemAt(problem, 'confirm')}
          />
          <Button id="delete" kind="danger">
            {account.deletion.delete}
          </Button>
        </Form>
      </div>
    </SettingsPage>
  )
  return sendPage(reply, problem === undefined ? 200 : 400, page)
}
