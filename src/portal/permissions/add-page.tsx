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
      show(deps, reply, context, await applicationOfPage(request, context), { search: context.query.get('search') }),
    ),
    post: postForm(deps, async (request, reply, context, form) => {
      const application = await applicationOfPage(request, context)
      const ticked = form.all('permission')
      const search = form.get('search') ?? ''
      if (form.get('do') === 'search') return show(deps, reply, context, application, { search, ticked })
      const added = ticked.map(refOf)
      const known = added.flatMap((ref) => ref ?? [])
      if (known.length === 0 || known.length < added.length) {
        const problem = { message: 'Choose at least one permission of the list.', target: undefined }
        return show(deps, reply, context, application, { search, ticked, refused: { problem, status: 400 } })
      }
      const { applicationId, permissions } = application
      try {
        await context.api('PUT', `/applications/${applicationId}/permissions`, {
          permissions: [...permissions, ...known],
        })
      } catch (error) {
        return show(deps, reply, context, application, { search, ticked, refused: formProblem(error) })
      }
      return reply.redirect(doneLink(context, applicationPath(applicationId, 'permissions'), 'added'), 303)
    }),
  })
}

interface Looking {
  search: string | null
  /** Keys of what was chosen and not added yet. */
  ticked?: readonly string[]
  refused?: { problem: Problem; status: number }
}

function show(
  deps: PortalDependencies,
  reply: FastifyReply,
  context: PortalContext,
  application: Application,
  { search: words, ticked = [], refused }: Looking,
): FastifyReply {
  const { type, permissions, tenantId } = application
  const kind = type === 'native' || context.query.get('type') === 'delegated' ? 'delegated' : 'application'
  const search = (words ?? '').trim().slice(0, 200)
  const groupsWith = (keys: readonly string[]) =>
    choicesOf(deps.settings.catalogue, permissions, { kind, search, tenantId, ticked: new Set(keys) })
  const found = groupsWith([])
  const groups = ticked.length === 0 ? found : groupsWith(ticked)
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
          <Form id="add-form" action={context.address} token={context.token}>
            <Tools search={search} />
            {found.length > 0 ? null : (
              <Notice id="nothing-found">
                <p>No permission has all of these words. Look for a part of a name, such as “User” or “read”.</p>
              </Notice>
            )}
            {groups.map((group) => (
              <Group key={group.api} group={group} />
            ))}
          </Form>
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

/**
 * Above the rows, so that it is there however many they are. Both buttons send the ticks: a search shows them again.
 * Enter in the field searches, for that button is the first.
 */
function Tools({ search }: { search: string }): VNode {
  return (
    <div class="tools">
      <Field id="search" label="Search" type="search" value={search} required={false} maxLength={200} />
      <Button id="find" kind="plain" name="do" value="search">
        Search
      </Button>
      <Button id="add">Add permissions</Button>
    </div>
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
        checked={choice.configured || choice.ticked}
        disabled={choice.configured}
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
