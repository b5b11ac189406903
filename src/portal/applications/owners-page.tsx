// /portal/applications/{id}/owners: who may change the application beside the administrators of its tenant; adding and
// removing.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import type { ClientAnswer } from '../../management/applications/client-schemas.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Field } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { type Problem, ProblemNotice } from '../../web/pages/problem.js'
import { type Application, applicationOfPage, applicationPath, sendApplicationPage } from '../application-page.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import { date } from '../dates.js'
import type { PortalDependencies } from '../dependencies.js'
import { Done, doneLink } from '../done-notice.js'
import { formProblem } from '../form-problem.js'
import { Table } from '../table.js'

const texts = {
  added: 'They own the application too, and may change it.',
  removed: 'Owner removed.',
}

type Owner = ClientAnswer<'owner'>
interface Entered {
  owner: string
  problem: Problem
  status: number
}

/** Registers it. */
export function registerOwners(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: '/portal/applications/:id/owners',
    routeId: 'portal-application-owners',
    get: getPage(deps, async (request, reply, context) => {
      return send(reply, context, await applicationOfPage(request, context))
    }),
    post: postForm(deps, async (request, reply, context, form) => {
      const application = await applicationOfPage(request, context)
      const [removed, owner] = [form.get('remove'), form.get('owner')?.trim() ?? '']
      const path = `/applications/${application.applicationId}/owners`
      const back = applicationPath(application.applicationId, 'owners')
      try {
        if (removed === undefined)
          await context.api('POST', path, owner.includes('@') ? { email: owner } : { userId: owner })
        else await context.api('DELETE', `${path}/${encodeURIComponent(removed)}`)
        return reply.redirect(doneLink(context, back, removed === undefined ? 'added' : 'removed'), 303)
      } catch (error) {
        return send(reply, context, application, { owner, ...formProblem(error) })
      }
    }),
  })
}

async function send(
  reply: FastifyReply,
  context: PortalContext,
  application: Application,
  entered?: Entered,
): Promise<FastifyReply> {
  const { applicationId } = application
  const { value } = await context.api<ClientAnswer<'owners'>>('GET', `/applications/${applicationId}/owners`)
  const action = context.link(applicationPath(applicationId, 'owners'))
  return sendApplicationPage(reply, context, {
    application,
    at: 'owners',
    status: entered?.status ?? 200,
    children: (
      <>
        <Done context={context} texts={texts} />
        <ProblemNotice problem={entered?.problem.message} />
        <section class="card" aria-labelledby="owners-title">
          <h2 id="owners-title">Owners</h2>
          <p>Its owners and the administrators of this tenant change the application. Other developers see it.</p>
          {value.length === 0 ? (
            <p id="no-owners">It has no owner: only administrators change it.</p>
          ) : (
            <Table
              id="owners"
              columns={[{ text: 'Name' }, { text: 'Kind' }, { text: 'Since' }, { text: '' }]}
              rows={value.map((owner) => rowOf(owner, { context, action }))}
            />
          )}
        </section>
        <section class="card" aria-labelledby="add-title">
          <h2 id="add-title">Add an owner</h2>
          <Form id="owner-form" action={action} token={context.token}>
            <Field
              id="owner"
              label="E-mail address"
              hint="Of a developer of this tenant."
              value={entered?.owner}
              maxLength={254}
            />
            <Button id="add-owner">Add</Button>
          </Form>
        </section>
      </>
    ),
  })
}

function rowOf(
  { ownerId, kind, name, addedAt }: Owner,
  { context, action }: { context: PortalContext; action: string },
) {
  const shown = displayName(name)
  const remove: VNode = (
    <Form
      id={`remove-${ownerId}`}
      action={action}
      token={context.token}
      hidden={{ remove: ownerId }}
      label={`Remove ${shown}`}
    >
      <Button id={`remove-${ownerId}-button`} kind="danger">
        Remove
      </Button>
    </Form>
  )
  const cells = [shown, kind === 'user' ? 'Person' : 'Application', date(Date.parse(addedAt)), remove]
  return { id: `owner-${ownerId}`, cells }
}
