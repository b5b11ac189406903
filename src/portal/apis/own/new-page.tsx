// Defining an API: its name, and the short name that its identifier ends with and keeps.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { ApiAnswer } from '../../../management/permissions/apis.js'
import { isAtLeast } from '../../../users/memberships/roles.js'
import { registerPage } from '../../../web/page-routes.js'
import { Button, Field } from '../../../web/pages/elements.js'
import { Form } from '../../../web/pages/form.js'
import { PageError } from '../../../web/pages/page-error.js'
import { type Problem, ProblemNotice, problemAt } from '../../../web/pages/problem.js'
import { getPage, type PortalContext, postForm } from '../../context.js'
import type { PortalDependencies } from '../../dependencies.js'
import { doneLink } from '../../done-notice.js'
import { formProblem } from '../../form-problem.js'
import { sendFramed } from '../../frame.js'
import { cataloguePath, ownApiPath, ownApisPath } from '../paths.js'

interface Refused {
  problem: Problem
  status: number
  name: string
  shortName: string
}

/** `GET` and `POST /portal/apis/own/new`. */
export function registerNewApi(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: `${ownApisPath}/new`,
    routeId: 'portal-own-api-new',
    get: getPage(deps, async (_request, reply, context) => show(reply, context)),
    post: postForm(deps, async (_request, reply, context, form) => {
      const [name, shortName] = [form.get('name') ?? '', form.get('shortName') ?? '']
      try {
        const made = await context.api<ApiAnswer>('POST', '/apis', { name, shortName, permissions: [] })
        return reply.redirect(doneLink(context, ownApiPath(made.apiId), 'created'), 303)
      } catch (error) {
        return show(reply, context, { ...formProblem(error), name, shortName })
      }
    }),
  })
}

function show(reply: FastifyReply, context: PortalContext, refused?: Refused): FastifyReply {
  if (!isAtLeast(context.currentTenant.role, 'developer')) throw notForMembers()
  const problem = refused?.problem
  return sendFramed(reply, context, {
    title: 'Define an API',
    activePath: cataloguePath,
    eyebrow: <a href={context.link(ownApisPath)}>APIs of this tenant</a>,
    intro: 'Its permissions come next. Nobody can call it before an administrator or a person has consented to one.',
    status: refused?.status,
    children: (
      <section class="card" aria-label="New API">
        <ProblemNotice problem={problem} fields={['name', 'shortName']} />
        <Form id="api-form" action={context.address} token={context.token}>
          <Field
            id="name"
            label="Name"
            hint="People see it when they consent."
            maxLength={256}
            value={refused?.name}
            error={problemAt(problem, 'name')}
          />
          <Field
            id="shortName"
            label="Short name"
            hint="The end of its identifier, such as orders. Small letters, digits and hyphens; it stays as it is."
            maxLength={40}
            value={refused?.shortName}
            error={problemAt(problem, 'shortName')}
          />
          <Button id="define">Define</Button>
        </Form>
      </section>
    ),
  })
}

function notForMembers(): PageError {
  return new PageError({
    status: 403,
    title: 'You don’t have access',
    what: 'The developers, administrators and owners of a tenant define APIs.',
    remedy: 'Ask an administrator of the tenant for the role developer.',
    links: [{ href: cataloguePath, text: 'Go to APIs' }],
    reason: 'role_required',
  })
}
