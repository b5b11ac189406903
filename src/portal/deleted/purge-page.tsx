// /portal/deleted-applications/{id}/purge: deletes a deleted application for good, after its name was typed.

import type { FastifyInstance, FastifyReply } from 'fastify'
import { ApiError } from '../../http/answers/api-error.js'
import type { DeletedDetails } from '../../management/deleted/deleted-schemas.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { type Question, sendQuestion, typedWrong } from '../acts/question.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { doneLink } from '../done-notice.js'
import { applicationsPath, deletedPath } from './deleted-page.js'
import { readDeletedOf } from './restore-page.js'

/** Registers it. */
export function registerPurge(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: `${deletedPath}/:deletedId/purge`,
    routeId: 'portal-deleted-purge',
    get: getPage(deps, async (request, reply, context) => {
      const deleted = await readDeletedOf(request, context)
      if (deleted.mayDecide) return show(reply, context, deleted)
      throw new ApiError(403, 'RoleRequired', deleted.restoreRefusal?.message ?? 'You do not decide about it.')
    }),
    post: postForm(deps, async (request, reply, context, form) => {
      const deleted = await readDeletedOf(request, context)
      const refused = typedWrong(form.get('typed'), displayName(deleted.name, 120))
      if (refused !== undefined) return show(reply, context, deleted, refused)
      await context.api('DELETE', `/deletedApplications/${deleted.applicationId}`)
      return reply.redirect(doneLink(context, deletedPath, 'purged'), 303)
    }),
  })
}

function show(
  reply: FastifyReply,
  context: PortalContext,
  { applicationId, name, credentials, consents }: DeletedDetails,
  refused?: Question['refused'],
): FastifyReply {
  return sendQuestion(reply, context, {
    activePath: applicationsPath,
    question: `Delete ${displayName(name)} for good?`,
    eyebrow: <a href={context.link(deletedPath)}>Deleted applications</a>,
    what: (
      <p>
        It cannot be restored any more: its identifiers, credentials, permissions and owners go. What it did stays in
        the audit.
      </p>
    ),
    counts: [
      ['Applications', '1'],
      ['Credentials', String(credentials)],
      ['Consents of this tenant', String(consents)],
    ],
    button: 'Delete for good',
    typed: { label: 'Name of the application', text: displayName(name, 120) },
    path: `${deletedPath}/${applicationId}/purge`,
    back: deletedPath,
    refused,
  })
}
