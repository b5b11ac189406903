// /portal/branding/remove: takes the brand of the tenant away, after a question.

import type { FastifyInstance } from 'fastify'
import type { Consequences } from '../../management/stopping/consequence-schemas.js'
import { isAdministrator } from '../../users/memberships/roles.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { readConsequences } from '../acts/consequences.js'
import { type Question, sendQuestion } from '../acts/question.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { doneLink } from '../done-notice.js'
import { brandApi, brandingPath } from './brand-page.js'

const path = `${brandingPath}/remove`

/** Registers it. */
export function registerBrandRemoval(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path,
    routeId: 'portal-branding-remove',
    get: getPage(deps, async (_request, reply, context) => {
      // Others find there whom to turn to.
      if (!isAdministrator(context.currentTenant.role)) return reply.redirect(context.link(brandingPath), 303)
      const counts = await readConsequences(context, `/tenants/${context.currentTenant.tenantId}/consequences`)
      return sendQuestion(reply, context, question(context, counts))
    }),
    post: postForm(deps, async (_request, reply, context) => {
      await context.api('DELETE', brandApi(context))
      return reply.redirect(doneLink(context, brandingPath, 'removed'), 303)
    }),
  })
}

function question({ link, currentTenant }: PortalContext, counts: Consequences | undefined): Question {
  return {
    activePath: brandingPath,
    question: `Remove the branding of ${displayName(currentTenant.name)}?`,
    eyebrow: <a href={link(brandingPath)}>Branding</a>,
    what: (
      <p>
        Its name, logos, colours and links are deleted, and the pages look like this server’s again. Nothing stops:
        people sign in as before. To have it back, it has to be entered and uploaded again.
      </p>
    ),
    ...(counts === undefined ? {} : { counts: [['Applications of the tenant', String(counts.applications)]] as const }),
    button: 'Remove the branding',
    path,
    back: brandingPath,
  }
}
