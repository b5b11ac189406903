// /portal/applications/{id}/secrets/{keyId}/end: ends one private key at once, after a question.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../../../http/answers/api-error.js'
import { registerPage } from '../../../web/page-routes.js'
import { displayName } from '../../../web/pages/display-name.js'
import { applicationOfPage, applicationPath } from '../../application-page.js'
import { getPage, type PortalContext, postForm } from '../../context.js'
import { dateTime } from '../../dates.js'
import type { PortalDependencies } from '../../dependencies.js'
import { doneLink } from '../../done-notice.js'
import { sendConfirmation } from '../confirmation.js'

/** Registers it. */
export function registerEndSecret(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: '/portal/applications/:id/secrets/:keyId/end',
    routeId: 'portal-secret-end',
    get: getPage(deps, async (request, reply, context) => {
      const { application, secret } = await readSecret(request, context)
      const used =
        secret.lastUsedAt === null ? 'was never used' : `was last used ${dateTime(Date.parse(secret.lastUsedAt))}`
      return sendConfirmation(reply, context, application, {
        at: 'credentials',
        path: `${applicationPath(application.applicationId)}/secrets/${secret.keyId}/end`,
        question: `End “${displayName(secret.label)}” now?`,
        what: (
          <>
            <p>
              Its key ID is <code>{secret.keyId}</code>, and it {used}. Programs that still use it get no more tokens,
              and the tokens that were got with it are refused at once.
            </p>
            {secret.safeToDelete ? <p>Nobody seems to use it: it is safe to revoke.</p> : null}
          </>
        ),
        button: 'End it now',
      })
    }),
    post: postForm(deps, async (request, reply, context) => {
      const { application, secret } = await readSecret(request, context)
      await context.api('DELETE', `/applications/${application.applicationId}/secrets/${secret.keyId}`)
      return reply.redirect(doneLink(context, applicationPath(application.applicationId, 'credentials'), 'ended'), 303)
    }),
  })
}

async function readSecret(request: FastifyRequest, context: PortalContext) {
  const { keyId } = request.params as { keyId: string }
  const application = await applicationOfPage(request, context)
  const secret = application.secrets.find((each) => each.keyId === keyId)
  if (secret === undefined) throw new ApiError(404, 'SecretNotFound', 'The application has no such secret.')
  return { application, secret }
}
