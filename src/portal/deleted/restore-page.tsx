// /portal/deleted-applications/{id}/restore: brings a deleted application back, with what is chosen.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ComponentChildren, VNode } from 'preact'
import { ApiError } from '../../http/answers/api-error.js'
import type { DeletedDetails } from '../../management/deleted/deleted-schemas.js'
import { isAdministrator } from '../../users/memberships/roles.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { type Problem, ProblemNotice } from '../../web/pages/problem.js'
import { applicationPath } from '../application-page.js'
import { CancelLink } from '../cancel-link.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { doneLink } from '../done-notice.js'
import { formProblem } from '../form-problem.js'
import { sendFramed } from '../frame.js'
import { applicationsPath, deletedPath } from './deleted-page.js'
import { WhatReturns } from './what-returns.js'

interface Chosen {
  credentials: boolean
  consents: boolean
}

/** Registers it. */
export function registerRestore(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: `${deletedPath}/:deletedId/restore`,
    routeId: 'portal-deleted-restore',
    get: getPage(deps, async (request, reply, context) => {
      const chosen = { credentials: false, consents: false }
      return show(reply, context, await readRestorable(request, context), { chosen })
    }),
    post: postForm(deps, async (request, reply, context, form) => {
      const deleted = await readRestorable(request, context)
      const chosen = { credentials: form.get('credentials') === 'yes', consents: form.get('consents') === 'yes' }
      try {
        await context.api('POST', `/deletedApplications/${deleted.applicationId}/restore`, { ...chosen })
      } catch (error) {
        const { problem, status } = formProblem(error, {})
        return show(reply, context, deleted, { chosen, problem, status })
      }
      return reply.redirect(doneLink(context, applicationPath(deleted.applicationId), 'restored'), 303)
    }),
  })
}

/** The deleted application that the address names. Throws ApiError: 404. */
export async function readDeletedOf(request: FastifyRequest, context: PortalContext): Promise<DeletedDetails> {
  const { deletedId } = request.params as { deletedId: string }
  return context.api<DeletedDetails>('GET', `/deletedApplications/${encodeURIComponent(deletedId)}`)
}

/** As readDeletedOf; throws ApiError 403 for whom the API would refuse, with its reason. */
async function readRestorable(request: FastifyRequest, context: PortalContext): Promise<DeletedDetails> {
  const deleted = await readDeletedOf(request, context)
  if (deleted.restoreRefusal === null) return deleted
  throw new ApiError(403, deleted.restoreRefusal.code, deleted.restoreRefusal.message)
}

interface Shown {
  chosen: Chosen
  problem?: Problem
  status?: number
}

function show(
  reply: FastifyReply,
  context: PortalContext,
  deleted: DeletedDetails,
  { chosen, problem, status = 200 }: Shown,
): FastifyReply {
  const { applicationId, name } = deleted
  return sendFramed(reply, context, {
    title: `Restore ${displayName(name)}?`,
    eyebrow: <a href={context.link(deletedPath)}>Deleted applications</a>,
    activePath: applicationsPath,
    status,
    children: (
      <section class="card" aria-label="Restore">
        <ProblemNotice problem={problem} />
        <p>
          Tokens of before stay refused, people are prompted again, and other tenants decide again whether they let it
          in. This comes back:
        </p>
        <WhatReturns deleted={deleted} />
        <Form id="restore-form" action={context.link(`${deletedPath}/${applicationId}/restore`)} token={context.token}>
          <fieldset class="choices">
            <legend>What else comes back</legend>
            <Choices context={context} deleted={deleted} chosen={chosen} />
          </fieldset>
          <div class="buttons">
            <Button id="restore">Restore</Button>
            <CancelLink context={context} to={deletedPath} />
          </div>
        </Form>
      </section>
    ),
  })
}

function Choices({
  context,
  deleted,
  chosen,
}: {
  context: PortalContext
  deleted: DeletedDetails
  chosen: Chosen
}): VNode {
  const { credentials, consents, hasRegistrationToken, redirectUris } = deleted
  const hasCredentials = credentials > 0 || hasRegistrationToken
  const mayConsent = consents > 0 && isAdministrator(context.currentTenant.role)
  return (
    <>
      {hasCredentials ? (
        <Choice id="credentials" name={`Its credentials (${credentials})`} checked={chosen.credentials}>
          Anyone who has them gets tokens again. Leave them out if it was deleted because one of them leaked: it gets
          new ones.
        </Choice>
      ) : null}
      {mayConsent ? (
        <Choice id="consents" name={`Consents of this tenant (${consents})`} checked={chosen.consents}>
          You consent anew to what is marked “for everybody here” above
          {redirectUris.length === 0
            ? '.'
            : ', and confirm its redirect addresses for everybody: nobody is prompted about them.'}
        </Choice>
      ) : null}
      {hasCredentials || mayConsent ? null : <p class="soft">There is nothing else.</p>}
    </>
  )
}

function Choice({
  id,
  name,
  checked,
  children,
}: {
  id: keyof Chosen
  name: string
  checked: boolean
  children: ComponentChildren
}): VNode {
  return (
    <label class="choice" for={id}>
      <input type="checkbox" id={id} name={id} value="yes" checked={checked} />
      <span class="what">
        <span class="name">{name}</span>
        <span class="soft">{children}</span>
      </span>
    </label>
  )
}
