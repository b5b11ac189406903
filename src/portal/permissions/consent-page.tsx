// Grant admin consent: what is new and what is gone, before an administrator says yes for the whole tenant (contract
// §4).

import type { FastifyInstance, FastifyReply } from 'fastify'
import { Permissions } from '../../identity/consent/parts.js'
import { sentenceOf } from '../../identity/consent/sentences.js'
import { isAdministrator } from '../../users/memberships/roles.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { type Problem, ProblemNotice } from '../../web/pages/problem.js'
import { sendApplicationPage } from '../application-page.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { doneLink } from '../done-notice.js'
import { formProblem } from '../form-problem.js'
import { type PermissionOverview, readOverview } from './permission-overview.js'
import { type PermissionStatus, refOf } from './permission-status.js'

/** `GET` and `POST /portal/applications/{id}/permissions/consent`. */
export function registerGrantConsent(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: '/portal/applications/:id/permissions/consent',
    routeId: 'portal-permissions-consent',
    get: getPage(deps, async (request, reply, context) => {
      const overview = await readOverview(deps, request, context)
      // Others find the link for their administrator there.
      if (!isAdministrator(context.currentTenant.role)) return reply.redirect(context.link(overview.path), 303)
      return show(deps, reply, context, overview)
    }),
    post: postForm(deps, async (request, reply, context, form) => {
      const overview = await readOverview(deps, request, context)
      const { applicationId } = overview.application
      // What was on the page and nothing else: what a developer added since then was not seen.
      const permissions = form.all('permission').flatMap((key) => refOf(key) ?? [])
      const { tenantId } = context.currentTenant
      try {
        await context.api('POST', `/applications/${applicationId}/consents`, { tenantId, permissions })
      } catch (error) {
        return show(deps, reply, context, overview, formProblem(error))
      }
      return reply.redirect(doneLink(context, overview.path, 'granted'), 303)
    }),
  })
}

function show(
  { settings }: PortalDependencies,
  reply: FastifyReply,
  context: PortalContext,
  overview: PermissionOverview,
  refused?: { problem: Problem; status: number },
): FastifyReply {
  const { application, path, configured, others } = overview
  const fresh = configured.filter(({ granted }) => granted === undefined)
  const kept = configured.filter(({ granted }) => granted !== undefined)
  const tenant = displayName(context.currentTenant.name, 60)
  const lines = (list: readonly PermissionStatus[]) =>
    list.map(({ ref }) => sentenceOf(settings.catalogue, ref, 'everybody'))
  return sendApplicationPage(reply, context, {
    application,
    at: 'permissions',
    status: refused?.status,
    children: (
      <>
        <ProblemNotice problem={refused?.problem.message} />
        <section class="card" aria-labelledby="grant-title">
          <h2 id="grant-title">Grant admin consent for {tenant}</h2>
          {fresh.length === 0 ? (
            <p id="nothing-new">Everything that is configured has been granted: there is nothing to consent to.</p>
          ) : (
            <>
              <p>
                You consent for everybody in {tenant}: nobody else has to. It takes effect with the next token, and you
                can take it back at any time.
              </p>
              <h3>New</h3>
              <Permissions id="new-permissions" lines={lines(fresh)} kinds />
            </>
          )}
          {kept.length === 0 ? null : (
            <details>
              <summary>Granted already: {kept.length}</summary>
              <Permissions id="kept-permissions" lines={lines(kept)} kinds />
            </details>
          )}
          {others.length === 0 ? null : (
            <>
              <h3>Gone</h3>
              <p class="fine">
                Granted earlier and not configured any more. It stays granted until somebody removes it on the page
                before.
              </p>
              <Permissions id="gone-permissions" lines={lines(others)} kinds gone />
            </>
          )}
          <Form id="grant-form" action={context.address} token={context.token}>
            {fresh.map(({ key }) => (
              <input key={key} type="hidden" name="permission" value={key} />
            ))}
            <div class="buttons">
              <a class="button plain" id="not-now" href={context.link(path)}>
                Not now
              </a>
              {fresh.length === 0 ? null : <Button id="grant">Grant admin consent</Button>}
            </div>
          </Form>
        </section>
      </>
    ),
  })
}
