// …/tenants/owner?of={tenant}: invites the first owner of a tenant that nobody belongs to yet. Everybody further is
// invited by that owner.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import { ApiError } from '../../http/answers/api-error.js'
import type { PeopleAnswer } from '../../management/people/people-schemas.js'
import type { Answer } from '../../management/schemas.js'
import type { Consequences } from '../../management/stopping/consequence-schemas.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Field } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { type Problem, ProblemNotice, problemAt } from '../../web/pages/problem.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import { CopyBlock, SecretOnce } from '../copy.js'
import type { PortalDependencies } from '../dependencies.js'
import { Done, doneLink } from '../done-notice.js'
import { formProblem } from '../form-problem.js'
import { sendFramed } from '../frame.js'

const tenantsPath = '/portal/server/tenants'
const path = `${tenantsPath}/owner`
const texts = { created: 'The tenant is there. Nobody belongs to it yet: invite its first owner.' }

interface After {
  email: string
  refused?: { problem: Problem; status: number } | undefined
  url?: string
}

/** Registers it. */
export function registerFirstOwnerPage(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path,
    routeId: 'portal-server-tenants-owner',
    get: getPage(deps, async (_request, reply, context) => show(reply, context)),
    post: postForm(deps, async (_request, reply, context, form) => {
      const email = form.get('email')?.trim() ?? ''
      const { tenantId } = await tenantOf(context)
      try {
        const body = { tenantId, email, role: 'owner' }
        const { url } = await context.api<PeopleAnswer<'link'>>('POST', '/invitations', body)
        if (url === undefined) return reply.redirect(doneLink(context, tenantsPath, 'invited'), 303)
        return show(reply, context, { email, url })
      } catch (error) {
        return show(reply, context, { email, refused: formProblem(error) })
      }
    }),
  })
}

/** Of the address; else the current one. Throws ApiError. */
function tenantOf({ query, currentTenant, person, api }: PortalContext): Promise<Answer<'tenant'>> {
  if (!person.user.isOperator) {
    throw new ApiError(403, 'OperatorRequired', 'This is for the operators of this installation.')
  }
  return api<Answer<'tenant'>>('GET', `/tenants/${encodeURIComponent(query.get('of') ?? currentTenant.tenantId)}`)
}

async function show(reply: FastifyReply, context: PortalContext, after?: After): Promise<FastifyReply> {
  const { tenantId, name } = await tenantOf(context)
  const { refused, url, email } = after ?? {}
  const { people } = await context.api<Consequences>('GET', `/tenants/${tenantId}/consequences`)
  return sendFramed(reply, context, {
    title: `Invite the first owner of ${displayName(name)}`,
    activePath: tenantsPath,
    eyebrow: <a href={context.link(tenantsPath)}>Tenants</a>,
    status: refused?.status ?? (url === undefined ? 200 : 201),
    children: (
      <>
        <Done context={context} texts={texts} />
        {url === undefined ? null : (
          <section class="card once" aria-labelledby="link-title">
            <h2 id="link-title">Send this link to {displayName(email ?? '', 254)}</h2>
            <p>No mail server is configured here, so nothing was sent. The link works once, for seven days.</p>
            <SecretOnce id="invitation-link" label="Invitation" hint="It is shown this once.">
              {url}
            </SecretOnce>
          </section>
        )}
        {people === 0 ? (
          <>
            <Invite context={context} email={email} refused={refused} />
            <Command tenantId={tenantId} />
          </>
        ) : (
          <HasPeople />
        )}
      </>
    ),
  })
}

function Command({ tenantId }: { tenantId: string }): VNode {
  return (
    <section class="card" aria-labelledby="command-title">
      <h2 id="command-title">Or on the command line, where the server runs</h2>
      <CopyBlock id="invite-command" name="Command line">
        {`portcullis user invite zoe@example.com --tenant ${tenantId} --role owner`}
      </CopyBlock>
    </section>
  )
}

function Invite({
  context,
  email,
  refused,
}: {
  context: PortalContext
  email: string | undefined
  refused: After['refused']
}): VNode {
  return (
    <section class="card" aria-label="Invite">
      <p>Somebody who has an account with this address joins with it, and nothing of the account changes.</p>
      <ProblemNotice problem={refused?.problem} fields={['email']} />
      <Form id="first-owner-form" action={context.address} token={context.token}>
        <Field
          id="email"
          label="E-mail address"
          type="email"
          maxLength={254}
          value={refused === undefined ? undefined : email}
          error={problemAt(refused?.problem, 'email')}
        />
        <Button id="invite">Invite</Button>
      </Form>
    </section>
  )
}

/** Who is there already decides who comes. */
function HasPeople(): VNode {
  return (
    <section class="card" id="has-people" aria-label="Its people">
      <p>People belong to this tenant already. Its owners invite others, on their own page People.</p>
    </section>
  )
}
