// All tenants of the installation: make one, switch one off and on. What is in them is theirs.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import { ApiError } from '../../http/answers/api-error.js'
import type { Answer } from '../../management/schemas.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Field } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { type Problem, ProblemNotice } from '../../web/pages/problem.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import { date } from '../dates.js'
import type { PortalDependencies } from '../dependencies.js'
import { Done, doneLink } from '../done-notice.js'
import { formProblem } from '../form-problem.js'
import { sendFramed } from '../frame.js'
import { MoreLink, nextToken, pageAfter } from '../lists/next-page.js'
import { Table } from '../table.js'
import { brandsPath } from './brands-page.js'

const path = '/portal/server/tenants'
const columns = [{ text: 'Tenant' }, { text: 'Tenant ID' }, { text: 'Since' }, { text: 'State' }, { text: '' }]
const texts = {
  invited: 'The invitation is on its way by mail.',
  enabled: 'The tenant is switched on.',
  disabled: 'The tenant is switched off: its tokens are refused, and nobody gets new ones.',
}

/** Registers it. */
export function registerTenantsPage(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path,
    routeId: 'portal-server-tenants',
    get: getPage(deps, async (_request, reply, context) => show(reply, context)),
    post: postForm(deps, async (_request, reply, context, form) => {
      const [switched, name] = [form.get('tenant'), form.get('name') ?? '']
      try {
        if (switched === undefined) {
          const { tenantId } = await context.api<Answer<'tenant'>>('POST', '/tenants', { name })
          return reply.redirect(context.link(`${path}/owner?of=${tenantId}&done=created`), 303)
        }
        const state = form.get('state') === 'enabled' ? 'enabled' : 'disabled'
        await context.api('PATCH', `/tenants/${encodeURIComponent(switched)}`, { state })
        return reply.redirect(doneLink(context, path, state), 303)
      } catch (error) {
        return show(reply, context, { ...formProblem(error), name })
      }
    }),
  })
}

async function show(
  reply: FastifyReply,
  context: PortalContext,
  refused?: { problem: Problem; status: number; name: string },
): Promise<FastifyReply> {
  // The list answers others too, with their own tenant.
  if (!context.person.user.isOperator) {
    throw new ApiError(403, 'OperatorRequired', 'This is for the operators of this installation.')
  }
  const query = pageAfter(context.query.get('after'))
  const { value, nextLink } = await context.api<Answer<'tenants'>>('GET', `/tenants?${query}`)
  const next = nextToken(nextLink)
  const about = refused?.problem
  return sendFramed(reply, context, {
    title: 'Tenants',
    activePath: path,
    intro: 'Businesses that share this installation, isolated from one another.',
    status: refused?.status,
    children: (
      <>
        <Done context={context} texts={texts} />
        {about?.target === 'name' ? null : <ProblemNotice problem={about?.message} />}
        <section class="card" aria-label="Tenants">
          <Table id="tenants" columns={columns} rows={value.map((tenant) => rowOf(tenant, context))} />
          <MoreLink
            context={context}
            path={path}
            query={next === undefined ? undefined : { after: next }}
            text="More tenants"
          />
        </section>
        <section class="card" aria-labelledby="new-title">
          <h2 id="new-title">A new tenant</h2>
          <Form id="new-form" action={context.address} token={context.token}>
            <Field
              id="name"
              label="Name"
              maxLength={256}
              value={refused?.name}
              error={about?.target === 'name' ? about.message : undefined}
            />
            <Button id="create">Create the tenant</Button>
          </Form>
        </section>
      </>
    ),
  })
}

function rowOf({ tenantId, name, state, createdAt }: Answer<'tenants'>['value'][number], context: PortalContext) {
  return {
    id: `tenant-${tenantId}`,
    cells: [
      <>
        <a
          href={context.link(`${path}/owner?of=${tenantId}`)}
          aria-label={`Invite the first owner of ${displayName(name)}`}
        >
          {displayName(name)}
        </a>
        <a
          class="under"
          href={context.link(`${brandsPath}?search=${tenantId}`)}
          aria-label={`Brand of ${displayName(name)}`}
        >
          Brand
        </a>
      </>,
      <code key="id">{tenantId}</code>,
      date(Date.parse(createdAt)),
      <span key="state" class={state === 'enabled' ? 'tag good' : 'tag warn'}>
        {state === 'enabled' ? 'on' : 'off'}
      </span>,
      <Switch key="switch" tenantId={tenantId} name={name} state={state} context={context} />,
    ],
  }
}

function Switch({
  tenantId,
  name,
  state,
  context,
}: {
  tenantId: string
  name: string
  state: string
  context: PortalContext
}): VNode {
  const to = state === 'enabled' ? 'disabled' : 'enabled'
  return (
    <Form
      id={`switch-${tenantId}`}
      action={context.address}
      token={context.token}
      hidden={{ tenant: tenantId, state: to }}
      label={`Switch ${displayName(name)} ${to === 'enabled' ? 'on' : 'off'}`}
    >
      <Button id={`switch-${tenantId}-button`} kind={to === 'enabled' ? 'plain' : 'danger'}>
        {to === 'enabled' ? 'Switch on' : 'Switch off'}
      </Button>
    </Form>
  )
}
