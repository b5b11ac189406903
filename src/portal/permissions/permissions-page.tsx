// API permissions of an application: what it may ask for, whether that was granted here, and whether it is used.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { VNode } from 'preact'
import { ApiError } from '../../http/answers/api-error.js'
import type { ApplicationRequests } from '../../management/consents/access-requests.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import type { Problem } from '../../web/pages/problem.js'
import { ProblemNotice } from '../../web/pages/problem.js'
import { sendApplicationPage } from '../application-page.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { Done, doneLink } from '../done-notice.js'
import { formProblem } from '../form-problem.js'
import { removeUnused } from '../usage/permission-use.js'
import { ConsentCard } from './consent-card.js'
import { granterNames } from './granters.js'
import { OperationsCard } from './operations-card.js'
import { readOverview } from './permission-overview.js'
import { refOf } from './permission-status.js'
import { PermissionTable } from './permission-table.js'
import { RequestsCard } from './requests-card.js'
import { UnusedCard } from './unused-card.js'

const texts = {
  requested: 'Requested. Your administrators decide; until then the application does not get what waits for them.',
  added: 'Added. The application gets them in its tokens once they are granted.',
  removed: 'Removed. Tokens that were out are refused from now on; new ones do not have it.',
  granted: 'Admin consent is granted. The next token of the application has these permissions.',
  withdrawn: 'The request is taken back. Its permissions stay listed; nobody decides about them now.',
  unused: 'What was not used is removed. Tokens that were out are refused from now on; new ones have the rest.',
}

/** `GET /portal/applications/{id}/permissions`; POST removes what is not used, or takes back a request of one's own. */
export function registerPermissions(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: '/portal/applications/:id/permissions',
    routeId: 'portal-permissions',
    get: getPage(deps, async (request, reply, context) => show(deps, request, reply, context)),
    post: postForm(deps, async (request, reply, context, form) => {
      const { application, path } = await readOverview(deps, request, context)
      const isTakingBack = form.get('act') === 'take-back'
      try {
        if (isTakingBack) await takeBack(context, application.applicationId, form.get('request') ?? '')
        else {
          const permissions = form.all('permission').flatMap((key) => refOf(key) ?? [])
          await removeUnused(context, application.applicationId, permissions)
        }
      } catch (error) {
        return show(deps, request, reply, context, refusalOf(error))
      }
      return reply.redirect(doneLink(context, path, isTakingBack ? 'withdrawn' : 'unused'), 303)
    }),
  })
}

async function takeBack(context: PortalContext, applicationId: string, requestId: string): Promise<void> {
  await context.api('DELETE', `/applications/${applicationId}/consentRequests/${encodeURIComponent(requestId)}`)
}

/** A request that somebody else, or another window, ended first is said above the list, which has what became of it. */
function refusalOf(error: unknown): { problem: Problem; status: number } {
  if (!(error instanceof ApiError) || error.code !== 'ConsentRequestNotFound') return formProblem(error)
  const message = 'That request is not there any more. The list below has what there is.'
  return { problem: { message, target: undefined }, status: error.status }
}

async function show(
  deps: PortalDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  context: PortalContext,
  refused?: { problem: Problem; status: number },
): Promise<FastifyReply> {
  const overview = await readOverview(deps, request, context)
  const { application, path, configured, others, unusedAfter } = overview
  const granters = [...configured, ...others].flatMap(({ granted }) => granted?.by ?? [])
  const requestsPath = `/applications/${application.applicationId}/consentRequests`
  const { value: requests } = await context.api<ApplicationRequests>('GET', requestsPath)
  const rows = { context, path, unusedAfter, names: await granterNames(context, granters) }
  return sendApplicationPage(reply, context, {
    application,
    at: 'permissions',
    status: refused?.status,
    children: (
      <>
        <Done context={context} texts={texts} />
        <ProblemNotice problem={refused?.problem.message} />
        <section class="card" aria-labelledby="permissions-title">
          <div class="toolbar middle">
            <h2 id="permissions-title">API permissions</h2>
            <a class="button small" id="add-permission" href={context.link(`${path}/add`)}>
              Add permission
            </a>
          </div>
          <p>
            What the application may ask for. What is not on this list it never gets, no matter who consents; so
            configure the least that it needs.
          </p>
          {configured.length === 0 ? (
            <p class="nothing" id="no-permissions">
              There are no permissions yet.{' '}
              {application.type === 'web' ? 'Without one it gets no token as itself.' : 'It can only sign people in.'}
            </p>
          ) : (
            <PermissionTable id="configured" lines={configured} {...rows} />
          )}
        </section>
        <UnusedCard context={context} overview={overview} />
        <OperationsCard overview={overview} />
        {configured.length === 0 ? null : (
          <ConsentCard baseUrl={deps.settings.server.baseUrl} context={context} overview={overview} />
        )}
        <RequestsCard requests={requests} context={context} path={path} />
        {others.length === 0 ? null : (
          <section class="card" aria-labelledby="others-title">
            <h2 id="others-title">Other permissions granted</h2>
            <p>
              Granted for {displayName(context.currentTenant.name, 60)} and not on the list above: because they are part
              of signing in, or because the API does not have them any more.
            </p>
            <PermissionTable id="others" lines={others} {...rows} />
          </section>
        )}
        {application.type === 'web' ? <AboutDefault /> : null}
      </>
    ),
  })
}

function AboutDefault(): VNode {
  return (
    <section class="card" aria-labelledby="default-title">
      <h2 id="default-title">What a token gets</h2>
      <p>
        A token request with <code>requested_scopes=default</code> gets all <strong>application permissions</strong> of
        one API that are on this list and granted. A request that names permissions gets these or is refused, so that an
        application notices when something is missing.
      </p>
      <p class="fine">
        A token with only what the job at hand needs is safer: <code>requested_scopes=assets_read,assets_create</code>.
        Delegated permissions come with people who sign in, and never reach further than the person.
      </p>
    </section>
  )
}
