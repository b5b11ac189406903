// Try it: a token of the application for its developers, what is in it, and calls with it (decision 0069).

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import type { Answer } from '../../management/schemas.js'
import { registerPage } from '../../web/page-routes.js'
import { type Problem, ProblemNotice } from '../../web/pages/problem.js'
import { applicationPath, sendApplicationPage } from '../application-page.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { formProblem } from '../form-problem.js'
import { type PermissionOverview, readOverview } from '../permissions/permission-overview.js'
import { keyOf } from '../permissions/permission-status.js'
import { firstCalls, guessedCall } from '../snippets/first-call.js'
import { CallConsole } from './call-console.js'
import { permissionsIn, readClaims } from './claims.js'
import { TestSignIn } from './test-sign-in.js'
import { scopeOf, TokenForms } from './token-form.js'
import { TokenView } from './token-view.js'
import { tryItScript } from './try-it-script.js'

const mostSuggestions = 4

interface Shown {
  overview: PermissionOverview
  /** What was requested: keys of permissions. */
  ticked?: readonly string[]
  token?: string
  problem?: Problem
  status?: number
}

/** `GET` and `POST /portal/applications/{id}/try-it`. */
export function registerTryIt(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: '/portal/applications/:id/try-it',
    routeId: 'portal-try-it',
    get: getPage(deps, async (request, reply, context) =>
      show(deps, reply, context, { overview: await readOverview(deps, request, context) }),
    ),
    post: postForm(deps, async (request, reply, context, form) => {
      const overview = await readOverview(deps, request, context)
      const resource = form.get('resource') ?? deps.settings.catalogue.own.id
      const ids = form.all('permission')
      const ticked = ids.map((id) => keyOf({ kind: 'application', resource, id }))
      const token = await issue(context, overview, scopeOf(resource, ids))
      return show(deps, reply, context, { overview, ticked, ...token })
    }),
  })
}

async function issue(
  context: PortalContext,
  { application }: PermissionOverview,
  scope: string,
): Promise<Pick<Shown, 'token' | 'problem' | 'status'>> {
  const path = `/applications/${application.applicationId}/token`
  try {
    const { access_token: token } = await context.api<Answer<'token'>>('POST', path, { scope })
    return { token }
  } catch (error) {
    return formProblem(error)
  }
}

function show(deps: PortalDependencies, reply: FastifyReply, context: PortalContext, shown: Shown): FastifyReply {
  const { settings } = deps
  const { overview, token, problem, status = 200 } = shown
  const { application } = overview
  const { baseUrl } = settings.server
  return sendApplicationPage(reply, context, {
    application,
    at: 'try-it',
    status,
    // Only the page with a token has somebody to call.
    ...(token === undefined ? {} : { scripts: [tryItScript.path], send: { connect: true } }),
    children: (
      <>
        <ProblemNotice problem={problem?.message} />
        {token === undefined ? null : (
          <>
            <TokenView token={token} {...readClaims(token)} />
            <CallConsole
              baseUrl={baseUrl}
              explain={`${context.link('/portal/explain?')}&request=`.replace('?&', '?')}
              paths={[...new Set([...requestedCall(context), ...pathsOpenTo(token, deps, application.applicationId)])]}
              authority={deps.authority}
            />
          </>
        )}
        {application.type === 'web' ? <GetToken deps={deps} context={context} shown={shown} /> : <Native />}
        {token === undefined && hasPeople(overview) ? (
          <TestSignIn context={context} baseUrl={baseUrl} overview={overview} authority={deps.authority} />
        ) : null}
      </>
    ),
  })
}

/** Where a link led here to call something: a path with what there is to fill in. */
function requestedCall({ query }: PortalContext): string[] {
  const call = query.get('call') ?? ''
  return /^\/[\w.~!$&()+,;=@{}:/-]{0,500}$/.test(call) ? [call] : []
}

/** A few calls that the token opens; one that says what is missing when it opens none. */
function pathsOpenTo(token: string, { settings }: PortalDependencies, applicationId: string): string[] {
  const held = permissionsIn(token)
  const open = firstCalls(settings, held, applicationId).map(({ path }) => path)
  return open.length === 0 ? [guessedCall(settings, held).path] : open.slice(0, mostSuggestions)
}

/** Whether people could sign in with it. */
function hasPeople({ application, configured }: PermissionOverview): boolean {
  const { type, redirectUris } = application
  return type === 'native' || redirectUris.length > 0 || configured.some(({ ref }) => ref.kind === 'delegated')
}

function GetToken({ deps, context, shown }: { deps: PortalDependencies; context: PortalContext; shown: Shown }): VNode {
  const { application, configured } = shown.overview
  const permissions = context.link(applicationPath(application.applicationId, 'permissions'))
  const own = configured.filter(({ ref }) => ref.kind === 'application')
  const granted = own.filter((line) => line.granted !== undefined)
  const waiting = own.length - granted.length
  const forms = (
    <TokenForms context={context} catalogue={deps.settings.catalogue} granted={granted} ticked={shown.ticked ?? []} />
  )
  return (
    <section class="card" aria-labelledby="get-title">
      <h2 id="get-title">{shown.token === undefined ? 'Get a token' : 'Get another token'}</h2>
      {granted.length === 0 ? (
        <p class="nothing" id="nothing-granted">
          {own.length === 0
            ? 'The application has no application permissions, so there is nothing that it could do as itself.'
            : 'None of its application permissions is granted yet.'}{' '}
          <a href={permissions}>{own.length === 0 ? 'Add permissions' : 'See what is missing'}</a>
        </p>
      ) : (
        <>
          <p>
            As the application itself, for five minutes. Tick what the token should allow; with nothing ticked it gets
            everything that is granted, as with <code>default</code>.
          </p>
          {shown.token === undefined ? (
            forms
          ) : (
            <details>
              <summary>Choose permissions</summary>
              {forms}
            </details>
          )}
          {waiting === 0 ? null : (
            <p class="fine" id="waiting">
              {waiting === 1 ? 'One more is' : `${waiting} more are`} configured and not granted:{' '}
              <a href={permissions}>API permissions</a>
            </p>
          )}
        </>
      )}
    </section>
  )
}

function Native(): VNode {
  return (
    <section class="card" aria-labelledby="native-title" id="native">
      <h2 id="native-title">This application acts for people only</h2>
      <p>
        A native application keeps no secret, so it gets no token as itself. Its tokens come from people who sign in:
        begin with the link below.
      </p>
    </section>
  )
}
