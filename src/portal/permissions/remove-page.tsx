// Remove a permission: what that means for this one, and one button. For what is configured it takes it out of the
// configuration, and so out of every tenant; for what is only granted it withdraws the consent in this tenant.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { VNode } from 'preact'
import { includesPermission } from '../../directory/consents/consent-rules.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Facts } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { answered, ConsequenceFacts, readConsequences } from '../acts/consequences.js'
import { sendApplicationPage } from '../application-page.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import { date } from '../dates.js'
import type { PortalDependencies } from '../dependencies.js'
import { doneLink } from '../done-notice.js'
import { type PermissionOverview, readOverview } from './permission-overview.js'
import { type PermissionStatus, refOf } from './permission-status.js'

/** `GET` and `POST /portal/applications/{id}/permissions/remove?permission=…`. */
export function registerRemovePermission(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: '/portal/applications/:id/permissions/remove',
    routeId: 'portal-permissions-remove',
    get: getPage(deps, async (request, reply, context) => {
      const overview = await readOverview(deps, request, context)
      const found = find(overview, request, context)
      // Somebody was faster, or the address was shortened.
      if (found === undefined) return reply.redirect(context.link(overview.path), 303)
      return show(reply, context, overview, found)
    }),
    post: postForm(deps, async (request, reply, context) => {
      const overview = await readOverview(deps, request, context)
      const found = find(overview, request, context)
      if (found !== undefined) await remove(context, overview, found)
      return reply.redirect(doneLink(context, overview.path, 'removed'), 303)
    }),
  })
}

interface Found {
  line: PermissionStatus
  isConfigured: boolean
}

function find(
  { configured, others }: PermissionOverview,
  _request: FastifyRequest,
  { query }: PortalContext,
): Found | undefined {
  const requested = refOf(query.get('permission'))
  const line = [...configured, ...others].find(
    ({ ref }) => requested !== undefined && includesPermission([ref], requested),
  )
  return line === undefined ? undefined : { line, isConfigured: configured.includes(line) }
}

async function remove(
  context: PortalContext,
  { application }: PermissionOverview,
  { line, isConfigured }: Found,
): Promise<void> {
  const { applicationId } = application
  if (isConfigured) {
    const permissions = application.permissions.filter((one) => !includesPermission([line.ref], one))
    await context.api('PUT', `/applications/${applicationId}/permissions`, { permissions })
    return
  }
  const { tenantId } = context.currentTenant
  await context.api('POST', '/consents/withdraw', { applicationId, tenantId, permissions: [line.ref] })
}

async function show(
  reply: FastifyReply,
  context: PortalContext,
  overview: PermissionOverview,
  found: Found,
): Promise<FastifyReply> {
  const { application, path } = overview
  const { line } = found
  const tenant = displayName(context.currentTenant.name, 60)
  const lastUsed = line.use?.lastUsedAt ?? null
  const isGranted = line.granted !== undefined
  const subject = `/applications/${application.applicationId}/consequences`
  const counts = isGranted ? await readConsequences(context, subject) : undefined
  return sendApplicationPage(reply, context, {
    application,
    at: 'permissions',
    children: (
      <section class="card" aria-labelledby="remove-title">
        <h2 id="remove-title">
          Remove <code>{line.ref.id}</code>?
        </h2>
        <p>{line.description}</p>
        <Facts
          id="about-permission"
          rows={[
            ['API', line.api],
            ['Type', line.ref.kind === 'application' ? 'Application' : 'Delegated'],
            ['Status', line.granted === undefined ? 'Not granted' : `Granted for ${tenant}`],
            ['Last used', lastUsed === null ? 'Not seen' : date(Date.parse(lastUsed))],
          ]}
        />
        <p>
          <Meaning found={found} tenant={tenant} />
        </p>
        <ConsequenceFacts counts={counts} />
        <Form id="remove-form" action={context.address} token={context.token} hidden={answered}>
          <div class="buttons">
            <a class="button plain" id="keep" href={context.link(path)}>
              Keep it
            </a>
            <Button id="remove" kind="danger">
              Remove
            </Button>
          </div>
        </Form>
      </section>
    ),
  })
}

function Meaning({ found: { line, isConfigured }, tenant }: { found: Found; tenant: string }): VNode {
  if (!isConfigured) return <>The consent for {tenant} is withdrawn. Tokens that are out are refused at once.</>
  if (line.granted === undefined) return <>It was not granted for {tenant}, so nothing that works there stops.</>
  return (
    <>
      The consent for it ends in every tenant, and tokens of the application that are out are refused at once; it gets
      new ones without this permission. Adding it again takes consent again.
    </>
  )
}
