// The first owner: the holder of the link that the command line made creates an account for themselves. There is no
// default password anywhere (contract §2).

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { writesAs } from '../../directory/actor.js'
import { listTenants } from '../../storage/sql/registrations/tenants.js'
import { setUp } from '../../users/accounts/accept-link.js'
import type { Browser } from '../../web/browser.js'
import { checkForm, formToken } from '../../web/form-token.js'
import { useTexts } from '../../web/language/texts.js'
import { originOf } from '../../web/origin.js'
import { registerPage } from '../../web/page-routes.js'
import { Button, Field } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { Page } from '../../web/pages/layout.js'
import { NewPasswordField } from '../../web/pages/new-password-field.js'
import { type Problem, ProblemNotice, problemAt } from '../../web/pages/problem.js'
import { passwordScript } from '../../web/pages/scripts.js'
import { sendPage } from '../../web/pages/send-page.js'
import type { IdentityDependencies } from '../dependencies.js'
import { finishSignIn } from './finish.js'
import { requireLink, useOrShow } from './link-pages.js'
import { accountPurpose } from './purpose.js'

interface View {
  secret: string
  token: string
  /** Of the tenant that is there already. */
  tenant: string | undefined
  passwordLength: number
  values: { name?: string | undefined; email?: string | undefined; tenantName?: string | undefined }
  problem?: Problem
}

/** Registers /set-up/<link>. */
export function registerSetUp(scope: FastifyInstance, deps: IdentityDependencies): void {
  registerPage(scope, deps, {
    path: '/set-up/:link',
    routeId: 'set-up',
    get: async (request, reply, browser) => {
      const { secret } = await requireLink(deps, request, 'set-up')
      return show(deps, reply, browser, { secret, values: {} })
    },
    post: async (request, reply, browser) => take(deps, request, reply, browser),
  })
}

async function take(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  browser: Browser,
): Promise<FastifyReply> {
  const { secret } = await requireLink(deps, request, 'set-up')
  const fields = checkForm(deps, request, browser, `set-up:${secret}`)
  const values = { name: fields.get('name'), email: fields.get('email'), tenantName: fields.get('tenantName') }
  const acting = writesAs(deps.users, originOf(request, { kind: 'system' }))
  const input = { name: values.name ?? '', email: values.email ?? '', password: fields.get('password') ?? '' }
  const tenant = await tenantName(deps)
  const result = await useOrShow(
    'set-up',
    () => setUp(acting, secret, { ...input, tenantName: values.tenantName }),
    (problem) => render(deps, reply, browser, { secret, values, problem, tenant }),
  )
  if ('shown' in result) return result.shown
  const { userId } = result.done
  // There is an application to register; what is about the account is one click away.
  const purpose = { ...accountPurpose, next: '/portal' }
  await finishSignIn(deps, request, reply, { userId, proof: 'password', way: 'password', purpose })
  return reply
}

async function show(
  deps: IdentityDependencies,
  reply: FastifyReply,
  browser: Browser,
  view: Pick<View, 'secret' | 'values'>,
): Promise<FastifyReply> {
  return render(deps, reply, browser, { ...view, tenant: await tenantName(deps) })
}

function render(
  deps: IdentityDependencies,
  reply: FastifyReply,
  browser: Browser,
  view: Omit<View, 'token' | 'passwordLength'>,
): FastifyReply {
  const token = formToken(deps, browser, `set-up:${view.secret}`)
  const page = <SetUpPage {...view} token={token} passwordLength={deps.settings.signIn.passwordLength} />
  return sendPage(reply, view.problem === undefined ? 200 : 400, page, { script: true })
}

async function tenantName({ store }: IdentityDependencies): Promise<string | undefined> {
  const [tenant] = await listTenants(store.reader, 1)
  return tenant?.name
}

function SetUpPage({ secret, token, tenant, passwordLength, values, problem }: View) {
  const { frame, signIn } = useTexts()
  const wrong = (id: string) => problemAt(problem, id)
  return (
    <Page title={signIn.setUp.title} intro={signIn.setUp.intro} scripts={[passwordScript.path]}>
      <div class="card">
        <ProblemNotice problem={problem} fields={['name', 'email', 'password', 'tenantName']} />
        <Form id="set-up-form" action={`/set-up/${secret}`} token={token}>
          <Field
            id="tenantName"
            label={frame.organisation}
            hint={tenant === undefined ? signIn.setUp.organisationHint : signIn.setUp.organisationNamed}
            value={values.tenantName ?? tenant}
            error={wrong('tenantName')}
            autocomplete="organization"
          />
          <Field
            id="name"
            label={signIn.invitation.name}
            value={values.name}
            error={wrong('name')}
            autocomplete="name"
          />
          <Field
            id="email"
            label={frame.email}
            type="email"
            hint={signIn.setUp.emailHint}
            value={values.email}
            error={wrong('email')}
            autocomplete="username"
          />
          <NewPasswordField label={frame.password} length={passwordLength} error={wrong('password')} />
          <Button id="create-account">{signIn.setUp.create}</Button>
        </Form>
      </div>
    </Page>
  )
}
