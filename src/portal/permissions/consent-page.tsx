// Grant admin consent: what is new and what is gone, before an administrator says yes for the whole tenant (contract §4).

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
import type { PortalDependencies } from '../dependencies.js'
import { doneLink } from '../done.js'
import { formProblem } from '../form-problem.js'
import { acted, type Visit, visited } from '../visit.js'
import { readStandings, type Standings } from './read-standings.js'
import { refOf, type Standing } from './standing.js'

/** `GET` and `POST /portal/applications/{id}/permissions/consent`. */
export function registerGrantConsent(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: '/portal/applications/:id/permissions/consent',
    routeId: 'portal-permissions-consent',
    get: visited(deps, async (request, reply, visit) => {
      const standings = await readStandings(deps, request, visit)
      // Others find the link for their administrator there.
      if (!isAdministrator(visit.place.role)) return reply.redirect(visit.link(standings.path), 303)
      return show(deps, reply, visit, standings)
    }),
    post: acted(deps, async (request, reply, visit, form) => {
      const standings = await readStandings(deps, request, visit)
      const { applicationId } = standings.application
      // What was on the page and nothing else: what a developer added since then was not seen.
      const permissions = form.all('permission').flatMap((key) => refOf(key) ?? [])
      const { tenantId } = visit.place
      try {
        await visit.api('POST', `/applications/${applicationId}/consents`, { tenantId, permissions })
      } catch (error) {
        return show(deps, reply, visit, standings, formProblem(error))
      }
      return reply.redirect(doneLink(visit, standings.path, 'granted'), 303)
    }),
  })
}

function show(
  { settings }: PortalDependencies,
  reply: FastifyReply,
  visit: Visit,
  standings: Standings,
  refused?: { problem: Problem; status: number },
): FastifyReply {
  const { application, path, configured, others } = standings
  const fresh = configured.filter(({ granted }) => granted === undefined)
  const kept = configured.filter(({ granted }) => granted !== undefined)
  const tenant = displayName(visit.place.name, 60)
  const lines = (list: readonly Standing[]) => list.map(({ ref }) => sentenceOf(settings.catalogue, ref, 'everybody'))
  return sendApplicationPage(reply, visit, {
    application,
    at: 'permissions',
    ...(refused === undefined ? {} : { status: refused.status }),
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
                You consent for everybody in {tenant}: nobody else is asked again. It takes effect with the next token,
                and you can take it back at any time.
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
          <Form id="grant-form" action={visit.address} token={visit.token}>
            {fresh.map(({ key }) => (
              <input key={key} type="hidden" name="permission" value={key} />
            ))}
            <div class="buttons">
              <a class="button plain" id="not-now" href={visit.link(path)}>
                Not now
              </a>
              {fresh.length === 0 ? null : (
                <Button id="grant" kind="plain">
                  Grant admin consent
                </Button>
              )}
            </div>
          </Form>
        </section>
      </>
    ),
  })
}
