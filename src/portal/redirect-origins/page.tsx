// /portal/redirect-origins: where applications of the tenant send people since somebody changed their redirect URIs,
// until an administrator says that they have looked at it.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import { ApiError } from '../../http/answers/api-error.js'
import { isAdministrator } from '../../users/memberships/roles.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { type Problem, ProblemNotice } from '../../web/pages/problem.js'
import { applicationPath } from '../application-page.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import { dateTime } from '../dates.js'
import type { PortalDependencies } from '../dependencies.js'
import { Done, doneLink } from '../done-notice.js'
import { EmptyState } from '../empty-state.js'
import { formProblem } from '../form-problem.js'
import { sendFramed } from '../frame.js'
import { granterNames } from '../permissions/granters.js'
import { Table } from '../table.js'
import { newOriginsPath } from './notice.js'
import { type NewOrigin, readNewOrigins } from './read-new-origins.js'

const texts = { dismissed: 'Dismissed. The audit log still lists these origins.' }

/** Registers it. */
export function newOriginPages(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: newOriginsPath,
    routeId: 'portal-redirect-origins',
    get: getPage(deps, async (_request, reply, context) => show(deps, reply, context)),
    post: postForm(deps, async (_request, reply, context, form) => {
      const id = encodeURIComponent(form.get('application') ?? '')
      const until = new URLSearchParams({ until: form.get('until') ?? '' })
      try {
        await context.api('DELETE', `/applications/${id}/newRedirectOrigins?${until}`)
      } catch (error) {
        return show(deps, reply, context, formProblem(error))
      }
      return reply.redirect(doneLink(context, newOriginsPath, 'dismissed'), 303)
    }),
  })
}

async function show(
  deps: PortalDependencies,
  reply: FastifyReply,
  context: PortalContext,
  refused?: { problem: Problem; status: number },
): Promise<FastifyReply> {
  if (!isAdministrator(context.currentTenant.role)) {
    throw new ApiError(403, 'RoleRequired', 'This list is for the administrators of the tenant.')
  }
  const origins = await readNewOrigins(context)
  const names = await namesOf(deps, context, origins)
  const applications = [...new Set(origins.map(({ applicationId }) => applicationId))]
  return sendFramed(reply, context, {
    title: 'New redirect origins',
    activePath: '/portal/applications',
    eyebrow: <a href={context.link('/portal/applications')}>Applications</a>,
    intro: 'After signing in, people are sent to these sites, which were added after the application was registered.',
    status: refused?.status,
    children: (
      <>
        <Done context={context} texts={texts} />
        <ProblemNotice problem={refused?.problem.message} />
        {origins.length === 0 ? (
          <EmptyState id="no-new-origins" title="Nothing new">
            <p>
              When somebody gives an application a redirect URI on another site, administrators find it here. All who
              use the application have to confirm once more before they are sent there.
            </p>
          </EmptyState>
        ) : (
          applications.map((id) => (
            <Origins
              key={id}
              context={context}
              names={names}
              own={origins.filter(({ applicationId }) => applicationId === id)}
            />
          ))
        )}
      </>
    ),
  })
}

/** What to say after “by”. */
async function namesOf({ directory }: PortalDependencies, context: PortalContext, origins: readonly NewOrigin[]) {
  const names = new Map([['', 'the operator of this server']])
  const people: string[] = []
  for (const id of new Set(origins.map(({ addedBy }) => addedBy))) {
    const application = id === '' ? undefined : await directory.findRegistration(id)
    if (application !== undefined) names.set(id, displayName(application.name))
    else if (id !== '') people.push(id)
  }
  return new Map([...names, ...(await granterNames(context, people, 'somebody who has left'))])
}

function Origins({
  context,
  own,
  names,
}: {
  context: PortalContext
  own: readonly NewOrigin[]
  names: ReadonlyMap<string, string>
}): VNode | null {
  const [newest] = own
  if (newest === undefined) return null
  const { applicationId, applicationName, addedAt } = newest
  const name = displayName(applicationName)
  return (
    <section class="card" aria-labelledby={`of-${applicationId}`}>
      <h2 id={`of-${applicationId}`}>
        <a href={context.link(applicationPath(applicationId, 'redirect-uris'))}>{name}</a>
      </h2>
      <Table
        id={`origins-${applicationId}`}
        columns={[{ text: 'Origin' }, { text: 'Added' }, { text: 'By' }]}
        rows={own.map((one) => ({
          id: `origin-${applicationId}-${own.indexOf(one)}`,
          cells: [
            <code key="origin">{one.origin}</code>,
            dateTime(Date.parse(one.addedAt)),
            names.get(one.addedBy) ?? 'somebody who has left',
          ],
        }))}
      />
      <p class="fine">If you do not know one of them, remove its redirect URIs and see who owns the application.</p>
      <Form
        id={`dismiss-${applicationId}`}
        action={context.link(newOriginsPath)}
        token={context.token}
        hidden={{ application: applicationId, until: addedAt }}
        label={`Dismiss those of ${name}`}
      >
        <Button id={`dismiss-${applicationId}-button`} kind="plain">
          I know them all
        </Button>
      </Form>
    </section>
  )
}
