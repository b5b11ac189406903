// What one application may do in the tenant, and taking it away from everybody at once.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { VNode } from 'preact'
import { ApiError } from '../../http/answers/api-error.js'
import { Asker, Permissions } from '../../identity/consent/parts.js'
import { sentenceOf } from '../../identity/consent/sentences.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { applicationPath } from '../application-page.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import { date } from '../dates.js'
import type { PortalDependencies } from '../dependencies.js'
import { doneLink } from '../done-notice.js'
import { sendFramed } from '../frame.js'
import { granterNames } from '../permissions/granters.js'
import { appsPath, inboxPath } from './consent-tabs.js'
import { type Access, readAccess } from './read-access.js'

/** Registers it. */
export function registerAccessPage(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: `${appsPath}/:applicationId`,
    routeId: 'portal-consents-app',
    get: getPage(deps, async (request, reply, context) =>
      show(deps, reply, context, await read(deps, request, context)),
    ),
    post: postForm(deps, async (request, reply, context) => {
      const { applicationId } = (await read(deps, request, context)).registration
      await context.api('POST', '/consents/withdraw', { applicationId, tenantId: context.currentTenant.tenantId })
      return reply.redirect(doneLink(context, appsPath, 'withdrawn'), 303)
    }),
  })
}

/** Throws ApiError 404 for one that has no access here, whatever it is elsewhere. */
async function read(deps: PortalDependencies, request: FastifyRequest, context: PortalContext): Promise<Access> {
  const { applicationId } = request.params as { applicationId: string }
  const [access] = await readAccess(deps, context, applicationId)
  if (access === undefined) throw new ApiError(404, 'ApplicationNotFound', 'This application has no access here.')
  return access
}

async function show(
  { settings }: PortalDependencies,
  reply: FastifyReply,
  context: PortalContext,
  access: Access,
): Promise<FastifyReply> {
  const { registration, granted, since } = access
  const names = await granterNames(
    context,
    granted.map(({ grantedBy }) => grantedBy),
  )
  const { catalogue } = settings
  const tenant = displayName(context.currentTenant.name, 60)
  const isOwn = registration.tenantId === context.currentTenant.tenantId
  const by = [...new Set(granted.map(({ grantedBy }) => names.get(grantedBy) ?? 'an administrator'))].join(', ')
  return sendFramed(reply, context, {
    title: displayName(registration.name),
    tab: `Access of ${displayName(registration.name)}`,
    eyebrow: <a href={context.link(appsPath)}>Apps with access</a>,
    activePath: inboxPath,
    children: (
      <>
        <section class="card" aria-labelledby="access-title">
          <Asker registration={registration} />
          <h2 id="access-title">What it may do in {tenant}</h2>
          {granted.length === 0 ? null : (
            <>
              <p id="granted-by">Granted for everybody by {by}:</p>
              <Permissions id="granted" lines={granted.map((ref) => sentenceOf(catalogue, ref, 'everybody'))} kinds />
            </>
          )}
          <ByPeople access={access} lines={access.allowed.map((ref) => sentenceOf(catalogue, ref, 'everybody'))} />
          <p class="fine">Since {date(since)}.</p>
          {isOwn ? (
            <p>
              <a href={context.link(applicationPath(registration.applicationId, 'permissions'))}>Its API permissions</a>
            </p>
          ) : null}
        </section>
        <Withdraw context={context} access={access} tenant={tenant} />
      </>
    ),
  })
}

function ByPeople({ access, lines }: { access: Access; lines: ReturnType<typeof sentenceOf>[] }): VNode | null {
  const { people } = access
  if (people === 0) return null
  return (
    <>
      <p id="by-people">
        {people === 1 ? 'One person allowed it for themselves:' : `${people} people allowed it for themselves:`}
      </p>
      <Permissions id="allowed" lines={lines} kinds />
    </>
  )
}

function Withdraw({ context, access, tenant }: { context: PortalContext; access: Access; tenant: string }): VNode {
  const { applicationId, name } = access.registration
  return (
    <section class="card" aria-labelledby="withdraw-title">
      <h2 id="withdraw-title">Remove all access</h2>
      <p>
        Everything that is granted here ends for everybody in {tenant}, also what people allowed themselves. Its tokens
        for them are refused at once; people who need the application have to consent again.
      </p>
      <Form
        id="withdraw-form"
        action={context.link(`${appsPath}/${applicationId}`)}
        token={context.token}
        label={`Withdraw the access of ${displayName(name)}`}
      >
        <Button id="withdraw" kind="danger">
          Withdraw for everybody
        </Button>
      </Form>
    </section>
  )
}
