// Add permission: what there is of one kind, searched without scripts, with what is configured already.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import type { PermissionKind } from '../../directory/records.js'
import { registerPage } from '../../web/page-routes.js'
import { Button, Field, Notice } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { type Problem, ProblemNotice } from '../../web/pages/problem.js'
import { type Application, applicationOfPage, applicationPath, sendApplicationPage } from '../application-page.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { doneLink } from '../done-notice.js'
import { formProblem } from '../form-problem.js'
import { type Choice, type ChoiceGroup, choicesOf } from './choices.js'
import { PermissionId } from './permission-id.js'
import { refOf } from './permission-status.js'

/** `GET` and `POST /portal/applications/{id}/permissions/add`. */
export function registerAddPermission(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: '/portal/applications/:id/permissions/add',
    routeId: 'portal-permissions-add',
    get: getPage(deps, async (request, reply, context) =>
      show(deps, reply, context, await applicationOfPage(request, context), undefined),
    ),
    post: postForm(deps, async (request, reply, context, form) => {
      const application = await applicationOfPage(request, context)
      const added = form.all('permission').map(refOf)
      const known = added.flatMap((ref) => ref ?? [])
      if (known.length === 0 || known.length < added.length) {
        const problem = { message: 'Choose at least one permission of the list.', target: undefined }
        return show(deps, reply, context, application, { problem, status: 400 })
      }
      const { applicationId, permissions } = application
      try {
        await context.api('PUT', `/applications/${applicationId}/permissions`, {
          permissions: [...permissions, ...known],
        })
      } catch (error) {
        return show(deps, reply, context, application, formProblem(error))
      }
      return reply.redirect(doneLink(context, applicationPath(applicationId, 'permissions'), 'added'), 303)
    }),
  })
}

function show(
  deps: PortalDependencies,
  reply: FastifyReply,
  context: PortalContext,
  application: Application,
  refused: { problem: Problem; status: number } | undefined,
): FastifyReply {
  const { type, permissions } = application
  const kind = type === 'native' || context.query.get('type') === 'delegated' ? 'delegated' : 'application'
  const search = (context.query.get('search') ?? '').trim().slice(0, 200)
  const groups = choicesOf(deps.settings.catalogue, permissions, { kind, search, tenantId: application.tenantId })
  return sendApplicationPage(reply, context, {
    application,
    at: 'permissions',
    status: refused?.status,
    children: (
      <>
        <ProblemNotice problem={refused?.problem.message} />
        <section class="card" aria-labelledby="add-title">
          <h2 id="add-title">Add permission</h2>
          {type === 'native' ? (
            <p id="native">
              A native application keeps no secret, so it only acts for people who sign in: it has delegated permissions
              only.
            </p>
          ) : (
            <Kinds context={context} application={application} kind={kind} />
          )}
          <Search context={context} application={application} kind={kind} search={search} />
          {groups.length === 0 ? (
            <Notice id="nothing-found">
              <p>No permission has all of these words. Look for a part of a name, such as “User” or “read”.</p>
            </Notice>
          ) : (
            <Form id="add-form" action={context.address} token={context.token}>
              {groups.map((group) => (
                <Group key={group.api} group={group} />
              ))}
              <Button id="add">Add permissions</Button>
            </Form>
          )}
        </section>
      </>
    ),
  })
}

interface Shown {
  context: PortalContext
  application: Application
  kind: PermissionKind
}

const texts = {
  application: [
    'Application permissions',
    'It acts as itself, without a person: a service or a scheduled job. They always need the consent of an administrator.',
  ],
  delegated: ['Delegated permissions', 'It acts for a person who signed in, and never reaches further than they do.'],
} as const

function Kinds({ context, application, kind }: Shown): VNode {
  const path = `${applicationPath(application.applicationId, 'permissions')}/add`
  return (
    <>
      <nav aria-label="Kind of permission">
        <ul class="tabs">
          {(['application', 'delegated'] as const).map((one) => (
            <li key={one}>
              <a
                id={`kind-${one}`}
                href={context.link(`${path}?type=${one}`)}
                {...(one === kind ? { 'aria-current': 'page' as const } : {})}
              >
                {texts[one][0]}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <p>{texts[kind][1]}</p>
    </>
  )
}

/** A form of GET: its answer is this page again, at an address of its own. */
function Search({ context, application, kind, search }: Shown & { search: string }): VNode {
  const path = `${applicationPath(application.applicationId, 'permissions')}/add`
  const tenant = new URLSearchParams(context.link('?').slice(1)).get('tenant')
  return (
    <form class="inline" method="get" action={path} id="search-form" aria-label="Search permissions">
      <input type="hidden" name="type" value={kind} />
      {tenant === null ? null : <input type="hidden" name="tenant" value={tenant} />}
      <Field id="search" label="Search" type="search" value={search} required={false} maxLength={200} />
      <Button id="find" kind="plain">
        Search
      </Button>
    </form>
  )
}

function Group({ group: { api, resource, choices } }: { group: ChoiceGroup }): VNode {
  return (
    <fieldset class="choices">
      <legend>
        {api} <span class="fine">{resource}</span>
      </legend>
      {choices.map((choice) => (
        <OneChoice key={choice.key} choice={choice} />
      ))}
    </fieldset>
  )
}

function OneChoice({ choice }: { choice: Choice }): VNode {
  const id = choice.key.replace(/[^A-Za-z0-9.-]+/g, '_')
  return (
    <label class={choice.configured ? 'choice there' : 'choice'} for={id}>
      <input
        type="checkbox"
        id={id}
        name="permission"
        value={choice.key}
        {...(choice.configured ? { checked: true, disabled: true } : {})}
      />
      <span class="what">
        <span class="name">
          <PermissionId id={choice.ref.id} />
          {choice.needsAdministrator && choice.ref.kind === 'delegated' ? (
            <span class="tag">Admin consent required</span>
          ) : null}
          {choice.configured ? <span class="tag good">Configured already</span> : null}
        </span>
        <span class="soft">{choice.description}</span>
      </span>
    </label>
  )
}
