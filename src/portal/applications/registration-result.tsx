// The answer to a registration: all that the application needs, on one page, with the private key that nobody sees
// again.

import type { FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import type { Answer } from '../../management/schemas.js'
import { displayName } from '../../web/pages/display-name.js'
import { type Application, applicationPath } from '../application-page.js'
import type { PortalContext } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { sendFramed } from '../frame.js'
import { readSnippetFacts, Snippets } from '../snippets/snippets.js'
import { PrivateKey } from './credentials/private-key.js'
import { Identifiers } from './identifiers.js'
import { kindOf } from './kinds.js'

/** Sends it. Pages are never stored, so going back does not show it again. */
export async function sendRegistered(
  reply: FastifyReply,
  context: PortalContext,
  deps: Pick<PortalDependencies, 'settings' | 'authority' | 'clientDownload'>,
  created: Answer<'createdApplication'>,
): Promise<FastifyReply> {
  const { baseUrl } = deps.settings.server
  const { clientSecret, secret, ...application } = created
  const facts = await readSnippetFacts(deps, context, application)
  const name = displayName(application.name)
  return sendFramed(reply, context, {
    title: name,
    tab: `Registered: ${name}`,
    eyebrow: <a href={context.link('/portal/applications')}>Applications</a>,
    intro: 'It is registered.',
    activePath: '/portal/applications',
    status: 201,
    children: (
      <>
        {clientSecret === undefined ? null : (
          <PrivateKey
            application={application}
            baseUrl={baseUrl}
            clientSecret={clientSecret}
            endsAt={secret?.endsAt ?? application.createdAt}
          />
        )}
        <Identifiers application={application} baseUrl={baseUrl} />
        <Next context={context} application={application} />
        <Snippets context={context} facts={facts} />
      </>
    ),
  })
}

function Next({ context, application }: { context: PortalContext; application: Application }): VNode {
  const isServer = kindOf(application) === 'server'
  const to = (tab: Parameters<typeof applicationPath>[1]) =>
    context.link(applicationPath(application.applicationId, tab))
  return (
    <section class="card" aria-labelledby="next-steps">
      <h2 id="next-steps">Next steps</h2>
      <ol class="steps">
        <li>
          <a id="next-permissions" href={to('permissions')}>
            Choose its API permissions
          </a>
          : {isServer ? 'what it may do as itself.' : 'what it may do for the people who sign in.'}
        </li>
        <li>
          {isServer
            ? 'An administrator of the tenant consents to them; without consent it gets no token.'
            : 'People consent when they sign in, or an administrator does for all of them.'}
        </li>
        <li>
          <a id="next-try" href={to('try-it')}>
            Try it
          </a>
          : get a token and make a call, without leaving the portal.
        </li>
      </ol>
      <p>
        <a class="button plain" id="to-application" href={to('overview')}>
          To the application
        </a>
      </p>
    </section>
  )
}
