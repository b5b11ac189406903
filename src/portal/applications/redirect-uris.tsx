// /portal/applications/{id}/redirect-uris: the three lists of addresses that people may be sent to, each matched on its
// own.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import { correctedRedirectUri } from '../../directory/applications/redirect-uri-lists.js'
import type { FormFields } from '../../web/form-token.js'
import { registerPage } from '../../web/page-routes.js'
import { Button, Field } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { type Problem, ProblemNotice } from '../../web/pages/problem.js'
import { type Application, applicationOfPage, applicationPath, sendApplicationPage } from '../application-page.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { Done, doneLink } from '../done-notice.js'
import { formProblem } from '../form-problem.js'
import { NewOriginsNotice } from '../redirect-origins/notice.js'
import { readNewOrigins } from '../redirect-origins/read-new-origins.js'
import { authorizeLink } from './authorize-link.js'

const texts = {
  added: 'The address is added. It counts from now on.',
  removed: 'Address removed. Nobody is redirected there any more.',
}

const lists = {
  redirectUris: {
    title: 'Redirect URIs',
    what: 'Where people come back to after they signed in, with a code: send as',
    parameter: 'redirect_uri',
  },
  adminConsentRedirectUris: {
    title: 'Admin consent redirect URIs',
    what: 'Where an administrator comes back to after they consented for everybody. Optional. At the admin consent page:',
    parameter: 'redirect_uri',
  },
  logoutRedirectUris: {
    title: 'Logout redirect URIs',
    what: 'Where people come to after they signed out. Optional. Send as',
    parameter: 'post_logout_redirect_uri',
  },
} as const

type ListName = keyof typeof lists

interface Entered {
  list?: ListName
  uri?: string
  problem?: Problem
  status?: number
}

/** Registers it. */
export function registerRedirectUris(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: '/portal/applications/:id/redirect-uris',
    routeId: 'portal-application-redirect-uris',
    get: getPage(deps, async (request, reply, context) => {
      return send(deps, reply, context, await applicationOfPage(request, context))
    }),
    post: postForm(deps, async (request, reply, context, form) => {
      const application = await applicationOfPage(request, context)
      const { list, remove, uri } = requestOf(form)
      const others = application[list].filter((each) => each !== (remove ?? uri))
      const path = applicationPath(application.applicationId, 'redirect-uris')
      if (remove === undefined && uri === '') {
        const problem = { message: 'Type the address to add.', target: list }
        return send(deps, reply, context, application, { list, uri, problem, status: 400 })
      }
      try {
        const next = remove === undefined ? [...others, uri] : others
        await context.api('PATCH', `/applications/${application.applicationId}`, { [list]: next })
        return reply.redirect(doneLink(context, path, remove === undefined ? 'added' : 'removed'), 303)
      } catch (error) {
        return send(deps, reply, context, application, { list, uri, ...formProblem(error) })
      }
    }),
  })
}

function requestOf(form: FormFields): { list: ListName; remove: string | undefined; uri: string } {
  const named = form.get('list') ?? ''
  const list = Object.hasOwn(lists, named) ? (named as ListName) : 'redirectUris'
  return { list, remove: form.get('remove'), uri: form.get('corrected') ?? form.get(list)?.trim() ?? '' }
}

async function send(
  { settings }: PortalDependencies,
  reply: FastifyReply,
  context: PortalContext,
  application: Application,
  entered: Entered = {},
): Promise<FastifyReply> {
  const newOrigins = await readNewOrigins(context, application.applicationId)
  return sendApplicationPage(reply, context, {
    application,
    at: 'redirect-uris',
    intro: 'People are never redirected anywhere else. Addresses are compared exactly.',
    status: entered.status ?? 200,
    children: (
      <>
        <Done context={context} texts={texts} />
        <NewOriginsNotice context={context} origins={newOrigins} />
        <ProblemNotice problem={entered.problem} fields={Object.keys(lists)} />
        {(Object.keys(lists) as ListName[]).map((list) => (
          <List
            key={list}
            context={context}
            application={application}
            list={list}
            entered={entered}
            baseUrl={settings.server.baseUrl}
          />
        ))}
      </>
    ),
  })
}

interface ListProps {
  context: PortalContext
  application: Application
  list: ListName
  entered: Entered
  baseUrl: string
}

function List({ context, application, list, entered, baseUrl }: ListProps): VNode {
  const { title, what, parameter } = lists[list]
  const uris = application[list]
  const action = context.link(applicationPath(application.applicationId, 'redirect-uris'))
  const own = entered.list === list ? entered : {}
  return (
    <section class="card" aria-labelledby={`${list}-title`}>
      <h2 id={`${list}-title`}>{title}</h2>
      <p class="fine">
        {what} <code>{parameter}</code>.
      </p>
      {list === 'redirectUris' ? <Pages type={application.type} /> : null}
      {uris.length === 0 ? (
        <p>There is none.</p>
      ) : (
        <ul class="list" id={`${list}-list`}>
          {uris.map((uri, index) => (
            <li key={uri}>
              <code class="what">{uri}</code>
              {list === 'redirectUris' ? (
                <a
                  class="button plain small"
                  href={authorizeLink(application, uri, baseUrl)}
                  aria-label={`Test ${uri}`}
                >
                  Test
                </a>
              ) : null}
              <Form id={`${list}-remove-${index}`} action={action} token={context.token} hidden={{ list, remove: uri }}>
                <button type="submit" class="plain small" aria-label={`Remove ${uri}`}>
                  Remove
                </button>
              </Form>
            </li>
          ))}
        </ul>
      )}
      <AddForm list={list} action={action} token={context.token} type={application.type} entered={own} />
    </section>
  )
}

/** What a page in a browser has to know: which addresses let it read the answers to its token requests. */
function Pages({ type }: Pick<Application, 'type'>): VNode {
  return (
    <p class="fine" id="pages">
      {type === 'native' ? (
        <>
          A page in a browser may request tokens from the origins of these addresses: https, and{' '}
          <code>http://localhost</code> or <code>http://127.0.0.1</code> with its port. A program is sent back to{' '}
          <code>http://127.0.0.1</code> at any port, whichever stands here.
        </>
      ) : (
        <>
          A page in a browser may request tokens from the https origins of these addresses. A single-page application
          that you develop on <code>http://localhost</code> has no server to keep a secret: register it as native.
        </>
      )}
    </p>
  )
}

function AddForm({
  list,
  action,
  token,
  type,
  entered: { uri, problem },
}: {
  list: ListName
  action: string
  token: string
  type: Application['type']
  entered: Entered
}): VNode {
  const error = problem?.target === list ? problem.message : undefined
  const corrected = error === undefined ? undefined : correctedRedirectUri(uri ?? '', type)
  return (
    <div class="adding">
      <Form id={`${list}-add`} action={action} token={token} hidden={{ list }}>
        <Field id={list} label="Add an address" maxLength={2048} value={uri} error={error} />
        <Button id={`${list}-add-button`} kind="plain">
          Add
        </Button>
        {corrected === undefined ? null : (
          <Button id={`${list}-corrected`} name="corrected" value={corrected}>
            Use {corrected}
          </Button>
        )}
      </Form>
    </div>
  )
}
