// /portal/applications/{id}: what the application is, how to call with it, and what can be done with all of it.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import type { FormFields } from '../../web/form-token.js'
import { registerPage } from '../../web/page-routes.js'
import { Button, Facts, Field } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { ListItem } from '../../web/pages/list-item.js'
import { type Problem, ProblemNotice, problemAt } from '../../web/pages/problem.js'
import { type Application, applicationOfPage, applicationPath, sendApplicationPage } from '../application-page.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import { dateTime } from '../dates.js'
import type { PortalDependencies } from '../dependencies.js'
import { Done, doneLink } from '../done-notice.js'
import { formProblem } from '../form-problem.js'
import { NewOriginsNotice } from '../redirect-origins/notice.js'
import { readNewOrigins } from '../redirect-origins/read-new-origins.js'
import { readSnippetFacts, Snippets } from '../snippets/snippets.js'
import { DeviceCodes } from './device-codes.js'
import { Identifiers } from './identifiers.js'
import { kindOf, kinds } from './kinds.js'
import { PkceCard, readPkceUse } from './pkce-card.js'

const texts = {
  restored:
    'The application is restored. Tokens of before stay refused: people sign in again, programs get new tokens.',
  details: 'The details are saved.',
  disabled: 'The application is disabled: it gets no token, and those that it has are refused.',
  enabled: 'The application is enabled again. It needs new tokens.',
  'pkce-required': 'PKCE is required from now on.',
  'pkce-not-required': 'Sign-ins without PKCE are let in again.',
  'codes-off': 'Device codes are switched off: nobody signs in to it with one.',
  'codes-allowed': 'People may sign in to it with a device code again.',
  'signed-out': 'Every token of the application is refused from now on. People and programs have to sign in anew.',
}

interface Entered {
  name?: string | undefined
  publisher?: string | undefined
  problem?: Problem
  status?: number
}

/** Registers it. */
export function registerOverview(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: '/portal/applications/:id',
    routeId: 'portal-application',
    get: getPage(deps, async (request, reply, context) => {
      return send(deps, reply, context, await applicationOfPage(request, context))
    }),
    post: postForm(deps, async (request, reply, context, form) => {
      const application = await applicationOfPage(request, context)
      const path = applicationPath(application.applicationId)
      const { changes, done } = changesIn(form)
      try {
        await context.api('PATCH', `/applications/${application.applicationId}`, changes)
        return reply.redirect(doneLink(context, path, done), 303)
      } catch (error) {
        return send(deps, reply, context, application, { ...changes, ...formProblem(error) })
      }
    }),
  })
}

type Changes =
  | Pick<Entered, 'name' | 'publisher'>
  | { state: Application['state'] }
  | { requirePkce: boolean }
  | { deviceCodes: Application['deviceCodes'] }

function changesIn(form: FormFields): { changes: Changes; done: keyof typeof texts } {
  const state = form.get('state')
  const deviceCodes = form.get('deviceCodes')
  if (deviceCodes === 'off' || deviceCodes === 'allowed') {
    return { changes: { deviceCodes }, done: deviceCodes === 'off' ? 'codes-off' : 'codes-allowed' }
  }
  if (state === 'enabled' || state === 'disabled') return { changes: { state }, done: state }
  const pkce = form.get('requirePkce')
  if (pkce !== undefined) {
    const requirePkce = pkce === 'true'
    return { changes: { requirePkce }, done: requirePkce ? 'pkce-required' : 'pkce-not-required' }
  }
  return { changes: { name: form.get('name') ?? '', publisher: form.get('publisher') ?? '' }, done: 'details' }
}

async function send(
  deps: PortalDependencies,
  reply: FastifyReply,
  context: PortalContext,
  application: Application,
  entered: Entered = {},
): Promise<FastifyReply> {
  const pkceUse = await readPkceUse(context, application)
  const { baseUrl } = deps.settings.server
  const newOrigins = await readNewOrigins(context, application.applicationId)
  const facts = await readSnippetFacts(deps, context, application)
  return sendApplicationPage(reply, context, {
    application,
    at: 'overview',
    status: entered.status ?? 200,
    children: (
      <>
        <Done context={context} texts={texts} />
        <NewOriginsNotice context={context} origins={newOrigins} />
        <ProblemNotice problem={entered.problem} fields={['name', 'publisher']} />
        <Identifiers application={application} baseUrl={baseUrl} />
        <Snippets context={context} facts={facts} />
        <Details context={context} application={application} entered={entered} />
        <PkceCard context={context} application={application} use={pkceUse} />
        <Ending context={context} application={application} />
      </>
    ),
  })
}

function Details({
  context,
  application,
  entered,
}: {
  context: PortalContext
  application: Application
  entered: Entered
}): VNode {
  const { name = application.name, publisher = application.publisher, problem } = entered
  const rows = [
    ['Kind', kinds[kindOf(application)].title],
    ['May be used in', application.audience === 'any' ? 'any tenant that installs it' : 'this tenant'],
    ['PKCE', application.requirePkce ? 'required' : 'not required'],
    ['Publisher', application.verified ? 'verified by an operator' : 'not verified'],
    ['Registered', dateTime(Date.parse(application.createdAt))],
    ['Last changed', dateTime(Date.parse(application.updatedAt))],
  ] as const
  return (
    <section class="card" aria-labelledby="details">
      <h2 id="details">Details</h2>
      <Facts rows={rows} id="facts" />
      <Form id="details-form" action={context.link(applicationPath(application.applicationId))} token={context.token}>
        <Field
          id="name"
          label="Name"
          hint="People see it when they sign in, and administrators when they consent."
          value={name}
          maxLength={120}
          error={problemAt(problem, 'name')}
        />
        <Field
          id="publisher"
          label="Publisher"
          hint="Who makes it. People see it beside the name; changing it takes the verification back."
          value={publisher}
          required={false}
          maxLength={120}
          error={problemAt(problem, 'publisher')}
        />
        <Button id="save" kind="plain">
          Save
        </Button>
      </Form>
    </section>
  )
}

/** What takes something away, the mildest first. */
function Ending({ context, application }: { context: PortalContext; application: Application }): VNode {
  const { applicationId, state } = application
  const path = applicationPath(applicationId)
  const isEnabled = state === 'enabled'
  return (
    <section class="card" aria-labelledby="ending">
      <h2 id="ending">Danger zone</h2>
      <ul class="list">
        <DeviceCodes context={context} application={application} />
        <ListItem
          name="Sign out everywhere"
          about="Refuses every token that it has now. It may ask for new ones at once."
        >
          <a class="button plain small" id="sign-out-everywhere" href={context.link(`${path}/sign-out-everywhere`)}>
            Sign out everywhere
          </a>
        </ListItem>
        <ListItem
          name={isEnabled ? 'Disable' : 'Enable'}
          about={
            isEnabled
              ? 'Refuses its tokens, and gives it no new ones until it is enabled again. Nothing is lost.'
              : 'It is disabled: it gets no tokens. Enabled, it may ask for new ones.'
          }
        >
          <Form
            id="state-form"
            action={context.link(path)}
            token={context.token}
            hidden={{ state: isEnabled ? 'disabled' : 'enabled' }}
          >
            <button type="submit" id="change-state" class="plain small">
              {isEnabled ? 'Disable' : 'Enable'}
            </button>
          </Form>
        </ListItem>
        <ListItem name="Delete" about="Stops it at once and takes it off every list.">
          <a class="button danger small" id="delete" href={context.link(`${path}/delete`)}>
            Delete
          </a>
        </ListItem>
      </ul>
    </section>
  )
}
