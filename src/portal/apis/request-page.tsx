// Request access: which application needs which permissions of an API, and why. What it does not list yet is listed,
// and what waits for an administrator is requested from them; administrators go on to the page where they consent.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { CatalogueApi } from '../../management/api-catalogue/catalogue-schemas.js'
import type { RequestedAccessAnswer } from '../../management/consents/access-requests.js'
import { parseGuid } from '../../oauth/secrets/guid.js'
import { isAdministrator } from '../../users/memberships/roles.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { type Problem, ProblemNotice } from '../../web/pages/problem.js'
import { type Application, applicationPath, readApplication } from '../application-page.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { doneLink } from '../done-notice.js'
import { formProblem } from '../form-problem.js'
import { sendFramed } from '../frame.js'
import { refOf } from '../permissions/permission-status.js'
import { apiOfPage, ownApplications } from './api-page.js'
import { apiPath, cataloguePath } from './paths.js'
import { ChooseApplication, ChoosePermissions } from './request-form.js'

interface Refused {
  problem: Problem
  status: number
  ticked: readonly string[]
  reason: string
}

/** `GET` and `POST /portal/apis/{apiId}/request`. */
export function registerRequestAccess(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: '/portal/apis/:apiId/request',
    routeId: 'portal-api-request',
    get: getPage(deps, async (request, reply, context) => show(reply, context, await apiOfPage(request, context))),
    post: postForm(deps, async (request, reply, context, form) => {
      const api = await apiOfPage(request, context)
      const ticked = form.all('permission')
      const reason = form.get('reason') ?? ''
      const permissions = ticked.flatMap((key) => refOf(key) ?? [])
      const applicationId = parseGuid(context.query.get('application') ?? '') ?? ''
      if (permissions.length === 0) {
        const problem = { message: 'Choose at least one permission.', target: undefined }
        return show(reply, context, api, { problem, status: 400, ticked, reason })
      }
      const at = applicationPath(applicationId, 'permissions')
      try {
        if (isAdministrator(context.currentTenant.role)) {
          await list(context, applicationId, permissions)
          return reply.redirect(context.link(`${at}/consent`), 303)
        }
        const path = `/applications/${applicationId}/consentRequests`
        const answer = await context.api<RequestedAccessAnswer>('POST', path, { permissions, reason })
        return reply.redirect(doneLink(context, at, answer.request === null ? 'added' : 'requested'), 303)
      } catch (error) {
        return show(reply, context, api, { ...formProblem(error), ticked, reason })
      }
    }),
  })
}

/** An administrator needs nobody to ask. */
async function list(context: PortalContext, applicationId: string, added: readonly { id: string }[]): Promise<void> {
  const path = `/applications/${applicationId}`
  const { permissions } = await context.api<Application>('GET', path)
  await context.api('PUT', `${path}/permissions`, { permissions: [...permissions, ...added] })
}

async function show(
  reply: FastifyReply,
  context: PortalContext,
  api: CatalogueApi,
  refused?: Refused,
): Promise<FastifyReply> {
  const applications = await ownApplications(context)
  const [only, another] = applications
  const chosen = parseGuid(context.query.get('application') ?? '') ?? (another === undefined ? only?.applicationId : '')
  const application = chosen === undefined || chosen === '' ? undefined : await readApplication(context, chosen)
  const name = displayName(api.name, 80)
  return sendFramed(reply, context, {
    title: 'Request access',
    tab: `Request access · ${name}`,
    activePath: cataloguePath,
    eyebrow: <a href={context.link(apiPath(api.apiId))}>{name}</a>,
    intro: isAdministrator(context.currentTenant.role)
      ? 'The permissions are added to the application; then you see what you consent to.'
      : 'The permissions are added to the application, and your administrators decide about those that need them.',
    status: refused?.status,
    children: (
      <>
        <ProblemNotice problem={refused?.problem.message} />
        <ChooseApplication context={context} apiId={api.apiId} applications={applications} chosen={application} />
        {application === undefined ? null : (
          <ChoosePermissions
            context={context}
            api={api}
            application={application}
            ticked={refused?.ticked ?? []}
            reason={refused?.reason ?? ''}
          />
        )}
      </>
    ),
  })
}
