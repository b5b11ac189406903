// An API of the tenant: its identifier and name, its permissions with how much hangs on each, and adding, changing and
// removing them. What an application has stays: the API refuses to take it away.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ApiConsequences } from '../../../management/api-catalogue/api-consequences.js'
import type { ApiAnswer } from '../../../management/permissions/apis.js'
import { registerPage } from '../../../web/page-routes.js'
import { displayName } from '../../../web/pages/display-name.js'
import { Button, Field } from '../../../web/pages/elements.js'
import { Form } from '../../../web/pages/form.js'
import { ProblemNotice, problemAt } from '../../../web/pages/problem.js'
import { getPage, type PortalContext, postForm } from '../../context.js'
import { CopyValue } from '../../copy.js'
import type { PortalDependencies } from '../../dependencies.js'
import { Done, doneLink } from '../../done-notice.js'
import { formProblem } from '../../form-problem.js'
import { sendFramed } from '../../frame.js'
import { cataloguePath, ownApiPath, ownApisPath } from '../paths.js'
import { PermissionForm } from './permission-form.js'
import { changedPermissions, type PermissionInput, typedPermission } from './permission-input.js'
import { OwnPermissions } from './permission-table.js'

const texts = {
  created: 'It is defined. Add the permissions that it has.',
  renamed: 'The name is changed.',
  set: 'The permission is saved.',
  removed: 'The permission is removed.',
}

interface Refused extends ReturnType<typeof formProblem> {
  typed: PermissionInput | undefined
}

/** `GET` and `POST /portal/apis/own/{ownApiId}`. */
export function registerOwnApi(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: `${ownApisPath}/:ownApiId`,
    routeId: 'portal-own-api',
    get: getPage(deps, async (request, reply, context) => show(reply, context, await ownApiOfPage(request, context))),
    post: postForm(deps, async (request, reply, context, form) => {
      const api = await ownApiOfPage(request, context)
      const act = form.get('act') ?? ''
      const typed = act === 'set' ? typedPermission(form) : undefined
      if (typed?.kinds.length === 0) {
        const problem = { message: 'Say who can have it: tick at least one of the two.', target: undefined }
        return show(reply, context, api, { problem, status: 400, typed })
      }
      const changes =
        act === 'rename'
          ? { name: form.get('name') ?? '' }
          : { permissions: changedPermissions(api.permissions, typed ?? { removed: form.get('id') ?? '' }) }
      try {
        await context.api('PATCH', `/apis/${api.apiId}`, changes)
      } catch (error) {
        return show(reply, context, api, { ...formProblem(error), typed })
      }
      const word = act === 'rename' ? 'renamed' : act === 'set' ? 'set' : 'removed'
      return reply.redirect(doneLink(context, ownApiPath(api.apiId), word), 303)
    }),
  })
}

/** The API that the page's address names. Throws ApiError 404. */
export function ownApiOfPage(request: FastifyRequest, context: PortalContext): Promise<ApiAnswer> {
  const { ownApiId } = request.params as { ownApiId: string }
  return context.api<ApiAnswer>('GET', `/apis/${encodeURIComponent(ownApiId)}`)
}

async function show(
  reply: FastifyReply,
  context: PortalContext,
  api: ApiAnswer,
  refused?: Refused,
): Promise<FastifyReply> {
  const use = await context.api<ApiConsequences>('GET', `/apis/${api.apiId}/consequences`)
  const chosen = api.permissions.find(({ id }) => id === context.query.get('permission'))
  const problem = refused?.problem
  return sendFramed(reply, context, {
    title: displayName(api.name, 80),
    tab: `${displayName(api.name, 80)} · APIs`,
    activePath: cataloguePath,
    eyebrow: <a href={context.link(ownApisPath)}>APIs of this tenant</a>,
    status: refused?.status,
    children: (
      <>
        <Done context={context} texts={texts} />
        <ProblemNotice problem={problem} fields={['name']} />
        <section class="card" aria-labelledby="about-title">
          <h2 id="about-title">About it</h2>
          <p>Tokens for it name this identifier as their audience. The service behind it verifies them itself.</p>
          <CopyValue id="identifier" name="Identifier">
            {api.identifier}
          </CopyValue>
          <Form id="name-form" action={context.address} token={context.token} hidden={{ act: 'rename' }}>
            <Field
              id="name"
              label="Name"
              hint="People see it when they consent."
              maxLength={256}
              value={api.name}
              error={problemAt(problem, 'name')}
            />
            <Button id="rename" kind="plain">
              Change the name
            </Button>
          </Form>
        </section>
        <OwnPermissions context={context} api={api} use={use} />
        <PermissionForm context={context} typed={refused?.typed ?? chosen} isKnown={chosen !== undefined} />
        <section class="card" aria-labelledby="delete-title">
          <h2 id="delete-title">Delete it</h2>
          <p>
            {use.mayGo
              ? 'No application has one of its permissions.'
              : `Applications that have one of its permissions: ${use.applications}. They lose them first.`}
          </p>
          <p>
            <a class="button plain" id="delete" href={context.link(ownApiPath(api.apiId, '/delete'))}>
              Delete
            </a>
          </p>
        </section>
      </>
    ),
  })
}
