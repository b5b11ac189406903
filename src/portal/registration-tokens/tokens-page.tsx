// /portal/registration-tokens: leave for others to register applications here by standard (RFC 7591): which tokens
// there are, and making one, which is shown once.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import { ApiError } from '../../http/answers/api-error.js'
import type { ClientAnswer } from '../../management/applications/client-schemas.js'
import type { FormFields } from '../../web/form-token.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Facts, Field, Notice } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { type Problem, ProblemNotice, problemAt } from '../../web/pages/problem.js'
import { Select } from '../choice-fields.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import { SecretOnce } from '../copy.js'
import { dateTime } from '../dates.js'
import type { PortalDependencies } from '../dependencies.js'
import { Done } from '../done-notice.js'
import { formProblem } from '../form-problem.js'
import { sendFramed } from '../frame.js'
import { PermissionCeiling, permissionIn } from './permission-ceiling.js'
import { TokenTable, tokensPath } from './token-table.js'

const texts = { ended: 'The token has ended. What was registered with it stays.' }

const lifetimes = [
  ['24', '24 hours'],
  ['1', '1 hour'],
  ['168', '7 days'],
  ['720', '30 days'],
  ['2160', '90 days'],
] as const

interface Entered {
  label: string
  hours: string | undefined
  uses: string
  permissions: readonly string[]
}

interface After {
  refused?: { problem: Problem; status: number; entered: Entered }
  made?: ClientAnswer<'createdRegistrationToken'>
}

/** Registers it. */
export function registerTokensPage(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: tokensPath,
    routeId: 'portal-registration-tokens',
    get: getPage(deps, async (_request, reply, context) => show(deps, reply, context)),
    post: postForm(deps, async (_request, reply, context, form) => {
      const entered = enteredIn(form)
      try {
        const body = {
          label: entered.label,
          expiresInHours: Number(entered.hours ?? lifetimes[0][0]),
          uses: Number(entered.uses),
          permissions: entered.permissions.map(permissionIn),
        }
        const path = '/registrationTokens'
        const made = await context.api<ClientAnswer<'createdRegistrationToken'>>('POST', path, body)
        return show(deps, reply, context, { made })
      } catch (error) {
        return show(deps, reply, context, { refused: { ...tokenProblem(error), entered } })
      }
    }),
  })
}

function enteredIn(form: FormFields): Entered {
  const permissions = form.entries().flatMap(([name, value]) => (name === 'permission' ? [value] : []))
  return {
    label: form.get('label') ?? '',
    hours: form.get('expiresInHours'),
    uses: form.get('uses') ?? '1',
    permissions,
  }
}

/** What goes beyond the maker is a problem of the form; see formProblem for the rest. */
function tokenProblem(error: unknown): { problem: Problem; status: number } {
  if (error instanceof ApiError && error.status === 403 && error.code !== 'RoleRequired') {
    return { problem: { message: error.message, target: undefined }, status: 403 }
  }
  return formProblem(error)
}

async function show(
  deps: PortalDependencies,
  reply: FastifyReply,
  context: PortalContext,
  { refused, made }: After = {},
): Promise<FastifyReply> {
  const { value } = await context.api<ClientAnswer<'registrationTokens'>>('GET', '/registrationTokens')
  return sendFramed(reply, context, {
    title: 'Registration tokens',
    activePath: tokensPath,
    intro: `Leave for others to register applications in ${displayName(context.currentTenant.name)} by themselves, by RFC 7591.`,
    status: made === undefined ? refused?.status : 201,
    children: (
      <>
        <Done context={context} texts={texts} />
        {made === undefined ? null : <Made made={made} />}
        <TokenTable context={context} tokens={value} nowMs={deps.now()} />
        {deps.settings.registration.standard ? (
          <NewToken deps={deps} context={context} refused={refused} />
        ) : (
          <Notice id="registration-off">
            <p>
              This server does not take registrations by standard: its configuration says{' '}
              <code>registration.standard: false</code>.
            </p>
          </Notice>
        )}
      </>
    ),
  })
}

/** The one page that has the token. */
function Made({ made }: { made: ClientAnswer<'createdRegistrationToken'> }): VNode {
  const { label, token, usesLeft, expiresAt, registrationEndpoint } = made
  return (
    <section class="card once" aria-labelledby="made-title">
      <h2 id="made-title">Copy the token for {displayName(label)} now</h2>
      <p id="once">It is shown this once.</p>
      <SecretOnce
        id="registration-token"
        label="Registration token"
        hint={
          <>
            Send it as <code>Authorization: Bearer …</code> with the registration.
          </>
        }
      >
        {token}
      </SecretOnce>
      <Facts
        id="made"
        rows={[
          ['Register at', <code key="endpoint">{registrationEndpoint}</code>],
          ['Registers', usesLeft === 1 ? 'one application' : `${usesLeft} applications`],
          ['Ends', dateTime(Date.parse(expiresAt))],
        ]}
      />
    </section>
  )
}

function NewToken({
  deps,
  context,
  refused,
}: {
  deps: PortalDependencies
  context: PortalContext
  refused: After['refused']
}): VNode {
  const { problem, entered } = refused ?? {}
  return (
    <section class="card" aria-labelledby="new-title">
      <h2 id="new-title">A new token</h2>
      <ProblemNotice problem={problem} fields={['label', 'uses', 'expiresInHours']} />
      <Form id="token-form" action={context.link(tokensPath)} token={context.token}>
        <Field
          id="label"
          label="What it is for"
          maxLength={120}
          value={entered?.label}
          error={problemAt(problem, 'label')}
        />
        <Field
          id="uses"
          label="How many applications may be registered with it"
          inputMode="numeric"
          maxLength={5}
          value={entered?.uses ?? '1'}
          error={problemAt(problem, 'uses')}
        />
        <Select
          id="expiresInHours"
          label="Good for"
          options={lifetimes}
          value={entered?.hours}
          error={problemAt(problem, 'expiresInHours')}
        />
        <PermissionCeiling
          catalogue={deps.settings.catalogue}
          tenantId={context.currentTenant.tenantId}
          chosen={entered?.permissions ?? []}
        />
        <Button id="create">Make the token</Button>
      </Form>
    </section>
  )
}
