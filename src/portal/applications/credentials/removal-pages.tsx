// /portal/applications/{id}/sign-out-everywhere and …/delete: what ends an application's tokens, and what ends the
// application.

import type { FastifyInstance } from 'fastify'
import { registerPage } from '../../../web/page-routes.js'
import { displayName } from '../../../web/pages/display-name.js'
import { type Application, applicationOfPage, applicationPath } from '../../application-page.js'
import { getPage, postForm } from '../../context.js'
import { span } from '../../dates.js'
import type { PortalDependencies } from '../../dependencies.js'
import { doneLink } from '../../done-notice.js'
import { sendConfirmation } from '../confirmation.js'

/** Registers both. */
export function registerRemoval(scope: FastifyInstance, deps: PortalDependencies): void {
  registerSignOut(scope, deps)
  registerDelete(scope, deps)
}

function registerSignOut(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: '/portal/applications/:id/sign-out-everywhere',
    routeId: 'portal-application-sign-out',
    get: getPage(deps, async (request, reply, context) => {
      const application = await applicationOfPage(request, context)
      return sendConfirmation(reply, context, application, {
        at: 'overview',
        path: `${applicationPath(application.applicationId)}/sign-out-everywhere`,
        question: 'Sign it out everywhere?',
        what: (
          <p>
            Every access token and every refresh token that it has now is refused: here at once, and everywhere within a
            second after you are told so. Its private keys stay good, so it may ask for new tokens.
          </p>
        ),
        button: 'Sign out everywhere',
      })
    }),
    post: postForm(deps, async (request, reply, context) => {
      const { applicationId } = await applicationOfPage(request, context)
      await context.api('POST', '/revocations', { what: 'application', id: applicationId })
      return reply.redirect(doneLink(context, applicationPath(applicationId), 'signed-out'), 303)
    }),
  })
}

function registerDelete(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: '/portal/applications/:id/delete',
    routeId: 'portal-application-delete',
    get: getPage(deps, async (request, reply, context) => {
      const application = await applicationOfPage(request, context)
      return sendConfirmation(reply, context, application, deletion(deps, application))
    }),
    post: postForm(deps, async (request, reply, context, form) => {
      const application = await applicationOfPage(request, context)
      const typed = form.get('typed')?.normalize('NFC').trim()
      if (typed !== displayName(application.name, 120)) {
        const error = 'This is not what stands above.'
        return sendConfirmation(reply, context, application, { ...deletion(deps, application, error), status: 400 })
      }
      await context.api('DELETE', `/applications/${application.applicationId}`)
      const done = deps.settings.applications.restorableMs === 0 ? 'deleted' : 'deleted-restorable'
      return reply.redirect(doneLink(context, '/portal/applications', done), 303)
    }),
  })
}

function deletion({ settings }: PortalDependencies, { applicationId, name }: Application, error?: string) {
  const { restorableMs } = settings.applications
  return {
    at: 'overview',
    path: `${applicationPath(applicationId)}/delete`,
    question: 'Delete this application?',
    what: (
      <>
        <p>
          Its tokens are refused at once, in every tenant that uses it, and never come back. What it did stays in the
          audit.
        </p>
        <p>
          {restorableMs === 0
            ? 'This server keeps nothing of it: it cannot be restored.'
            : `For ${span(restorableMs)} it can be restored, with its redirect URIs, permissions, plan and owners; private keys and the consents of this tenant only when somebody chooses so. Other tenants and people have to allow it again.`}
        </p>
        <p>
          To delete it, type its name: <strong>{displayName(name, 120)}</strong>
        </p>
      </>
    ),
    button: restorableMs === 0 ? 'Delete for good' : 'Delete',
    typed: { label: 'Name of the application', error },
  } as const
}
