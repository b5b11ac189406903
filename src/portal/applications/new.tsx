// /portal/applications/new: registers an application. First which kind, then what that kind needs; the answer to the
// form is the one page that shows its private key.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import { correctedRedirectUri } from '../../directory/applications/redirect-uri-lists.js'
import type { PlanAnswer } from '../../management/plans/plan-schemas.js'
import type { Answer } from '../../management/schemas.js'
import { isAtLeast } from '../../users/memberships/roles.js'
import type { FormFields } from '../../web/form-token.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Field } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { PageError } from '../../web/pages/page-error.js'
import { type Problem, ProblemNotice, problemAt } from '../../web/pages/problem.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { formProblem } from '../form-problem.js'
import { sendFramed } from '../frame.js'
import { PlanChoice } from '../plans/plan-choice.js'
import type { Plan } from '../plans/plan-words.js'
import { KindCards } from './kind-cards.js'
import { type KindId, kindNamed, kinds } from './kinds.js'
import { sendRegistered } from './registration-result.js'

const path = '/portal/applications/new'

interface Entered {
  name?: string | undefined
  redirectUri?: string | undefined
  requirePkce?: boolean
  plan?: string | undefined
  problem?: Problem
  status?: number
}

/** Registers it. */
export function registerNewApplication(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path,
    routeId: 'portal-new-application',
    get: getPage(deps, async (_request, reply, context) => {
      checkMayRegister(context)
      return sendForm(reply, context, kindNamed(context.query.get('kind')))
    }),
    post: postForm(deps, async (_request, reply, context, form) => {
      checkMayRegister(context)
      const kind = kindNamed(context.query.get('kind'))
      if (kind === undefined) return sendForm(reply, context, undefined)
      const entered = enteredIn(form)
      if (kind !== 'server' && entered.redirectUri === undefined) {
        const problem = { message: 'Say where people come back to after they signed in.', target: 'redirectUri' }
        return sendForm(reply, context, kind, { ...entered, problem, status: 400 })
      }
      try {
        const created = await context.api<Answer<'createdApplication'>>('POST', '/applications', bodyOf(kind, entered))
        return sendRegistered(reply, context, deps, created)
      } catch (error) {
        return sendForm(reply, context, kind, { ...entered, ...formProblem(error, { redirectUris: 'redirectUri' }) })
      }
    }),
  })
}

/** A person who may not register sees no form, and reads who can. Throws PageError 403. */
function checkMayRegister({ currentTenant, link }: PortalContext): void {
  if (isAtLeast(currentTenant.role, 'developer')) return
  throw new PageError({
    status: 403,
    title: 'Only developers can register applications',
    what: `You are a member of ${displayName(currentTenant.name)}; only its developers, administrators and owners can register applications.`,
    remedy: 'Ask an administrator of the tenant for the role developer, or ask a developer to register it for you.',
    links: [{ href: link('/portal/tenant'), text: 'To the tenant' }],
    reason: 'RoleRequired',
  })
}

/** The corrected redirect URI counts when its button was pressed. */
function enteredIn(form: FormFields): Entered {
  const redirectUri = form.get('corrected') ?? form.get('redirectUri')
  return {
    name: form.get('name'),
    redirectUri,
    requirePkce: form.get('requirePkce') === 'yes',
    plan: form.get('plan'),
  }
}

function bodyOf(kind: KindId, { name = '', redirectUri, requirePkce, plan }: Entered) {
  const redirectUris = kind === 'server' ? {} : { redirectUris: redirectUri === undefined ? [] : [redirectUri] }
  return {
    name,
    type: kinds[kind].type,
    requirePkce: kind === 'native' || (kind === 'web' && requirePkce === true),
    ...redirectUris,
    ...(plan === undefined ? {} : { plan }),
  }
}

async function sendForm(
  reply: FastifyReply,
  context: PortalContext,
  kind: KindId | undefined,
  entered: Entered = {},
): Promise<FastifyReply> {
  const { status = 200 } = entered
  const plans = kind === undefined ? [] : (await context.api<PlanAnswer<'plans'>>('GET', '/plans')).value
  return sendFramed(reply, context, {
    title: 'Register an application',
    activePath: '/portal/applications',
    eyebrow: <a href={context.link('/portal/applications')}>Applications</a>,
    status,
    children: (
      <>
        {kind === undefined ? <h2>What are you building?</h2> : null}
        <KindCards context={context} chosen={kind} />
        {kind === undefined ? null : <Registration context={context} kind={kind} entered={entered} plans={plans} />}
      </>
    ),
  })
}

function Registration({
  context,
  kind,
  entered,
  plans,
}: {
  context: PortalContext
  kind: KindId
  entered: Entered
  plans: readonly Plan[]
}): VNode {
  const { name, problem } = entered
  return (
    <section class="card" aria-labelledby="registration">
      <h2 id="registration">{kinds[kind].title}</h2>
      <ProblemNotice
        problem={problem}
        fields={kind === 'server' ? ['name', 'plan'] : ['name', 'redirectUri', 'plan']}
      />
      <Form id="register-form" action={context.link(`${path}?kind=${kind}`)} token={context.token}>
        <Field
          id="name"
          label="Name"
          hint="People see it when they sign in, and administrators when they consent."
          maxLength={120}
          value={name}
          error={problemAt(problem, 'name')}
          autofocus={problem === undefined}
        />
        {kind === 'server' ? null : <RedirectUri kind={kind} entered={entered} />}
        {kind === 'web' ? <RequirePkce isRequired={entered.requirePkce ?? true} /> : null}
        <PlanChoice plans={plans} chosen={entered.plan} problem={problem} />
        <Button id="register">Register</Button>
      </Form>
      <p class="fine">{comesNext[kind]}</p>
    </section>
  )
}

/** Set unless somebody takes it out: what is registered now is written now, and libraries of today send a challenge. */
function RequirePkce({ isRequired }: { isRequired: boolean }): VNode {
  return (
    <label class="choice" for="requirePkce">
      <input type="checkbox" id="requirePkce" name="requirePkce" value="yes" checked={isRequired} />
      <span>
        Require PKCE (recommended)
        <span class="fine">
          {' '}
          A code that somebody comes by, or slips into a sign-in, is worth nothing then. Take it out for a library that
          sends no <code>code_challenge</code>.
        </span>
      </span>
    </label>
  )
}

function RedirectUri({ kind, entered: { redirectUri, problem } }: { kind: KindId; entered: Entered }): VNode {
  const error = problemAt(problem, 'redirectUri')
  const { type } = kinds[kind]
  const corrected = error === undefined ? undefined : correctedRedirectUri(redirectUri ?? '', type)
  return (
    <div class="stack">
      <Field
        id="redirectUri"
        label="Redirect URI"
        hint={
          type === 'native'
            ? 'Where people come back to. A page in the browser: its own address, such as http://localhost:5173/ while you develop it; that page may then get tokens. A program: http://127.0.0.1/callback, which is good for any port. An app on a phone: https, or com.example.app:/callback.'
            : 'Where people come back to after they signed in: https, or http on localhost. You can add more later.'
        }
        maxLength={2048}
        inputMode="text"
        value={redirectUri}
        error={error}
      />
      {corrected === undefined ? null : (
        <Button id="use-corrected" kind="plain" name="corrected" value={corrected}>
          Use {corrected}
        </Button>
      )}
    </div>
  )
}

const comesNext: Readonly<Record<KindId, string>> = {
  server:
    'Next: its private key is shown once. Then you choose its application permissions, and an administrator consents to them.',
  web: 'Next: its private key is shown once. Then you choose delegated permissions; people or an administrator consent to them.',
  native: 'Next: its identifiers. Then you choose delegated permissions; people or an administrator consent to them.',
}
