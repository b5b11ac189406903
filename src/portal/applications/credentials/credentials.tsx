// /portal/applications/{id}/credentials: how the application proves who it is. Its private keys, rotated with an
// overlap; keys of its own that it signs with; others whose word counts.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { VNode } from 'preact'
import type { ClientAnswer } from '../../../management/applications/client-schemas.js'
import type { Answer } from '../../../management/schemas.js'
import { registerPage } from '../../../web/page-routes.js'
import { ProblemNotice } from '../../../web/pages/problem.js'
import { type Application, applicationOfPage, applicationPath, sendApplicationPage } from '../../application-page.js'
import { getPage, type PortalContext, postForm } from '../../context.js'
import type { PortalDependencies } from '../../dependencies.js'
import { Done } from '../../done-notice.js'
import { EmptyState } from '../../empty-state.js'
import { formProblem } from '../../form-problem.js'
import { type FederatedCredential, FederationCard } from './federation-card.js'
import { AddForm, type EnteredSecret, enteredSecret, RotateForm, secretBody } from './new-secret-forms.js'
import { PrivateKey } from './private-key.js'
import { ProofCard } from './proof-card.js'
import { SecretTable } from './secret-table.js'

const texts = {
  ended: 'The private key is ended. What was got with it is refused.',
  proof: 'That is how the application proves itself from now on.',
  trusted: 'Its tokens are accepted as proof from now on.',
  untrusted: 'The issuer is no longer trusted. Tokens obtained with it are refused.',
}

/** Registers it. */
export function registerCredentials(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: '/portal/applications/:id/credentials',
    routeId: 'portal-application-credentials',
    get: getPage(deps, async (request, reply, context) => {
      return sendCredentials(deps, reply, context, await readShown(request, context))
    }),
    post: postForm(deps, async (request, reply, context, form) => {
      const application = await applicationOfPage(request, context)
      const entered = enteredSecret(form)
      try {
        const path = `/applications/${application.applicationId}/secrets`
        const added = await context.api<Answer<'addedSecret'>>('POST', path, secretBody(entered))
        return sendNewSecret(deps, reply, context, { application, added })
      } catch (error) {
        const { problem, status } = formProblem(error)
        const shown = await readShown(request, context)
        return sendCredentials(deps, reply, context, { ...shown, entered: { ...entered, problem }, status })
      }
    }),
  })
}

interface Shown {
  application: Application
  credentials: readonly FederatedCredential[]
  entered?: EnteredSecret
  status?: number
}

async function readShown(request: FastifyRequest, context: PortalContext): Promise<Shown> {
  const application = await applicationOfPage(request, context)
  if (application.type === 'native') return { application, credentials: [] }
  const path = `/applications/${application.applicationId}/federatedCredentials`
  const { value } = await context.api<ClientAnswer<'federatedCredentials'>>('GET', path)
  return { application, credentials: value }
}

function sendCredentials(
  deps: PortalDependencies,
  reply: FastifyReply,
  context: PortalContext,
  { application, credentials, entered, status = 200 }: Shown,
): FastifyReply {
  return sendApplicationPage(reply, context, {
    application,
    at: 'credentials',
    status,
    children: (
      <>
        <Done context={context} texts={texts} />
        <ProblemNotice problem={entered?.problem} fields={['label', 'expiresInDays', 'overlapSeconds']} />
        {application.type === 'native' ? (
          <NoCredentials />
        ) : (
          <>
            <Credentials context={context} application={application} entered={entered} nowMs={deps.now()} />
            <FederationCard context={context} application={application} credentials={credentials} />
          </>
        )}
      </>
    ),
  })
}

function NoCredentials(): VNode {
  return (
    <EmptyState id="no-credentials" title="No private keys">
      <p>
        What runs on somebody’s device or in their browser can keep no secret, so this application has none. It sends
        its <code>client_id</code> alone, and PKCE protects each sign-in.
      </p>
    </EmptyState>
  )
}

function Credentials({
  context,
  application,
  entered,
  nowMs,
}: {
  context: PortalContext
  application: Application
  entered: EnteredSecret | undefined
  nowMs: number
}): VNode {
  const action = context.link(applicationPath(application.applicationId, 'credentials'))
  const forms = { action, token: context.token, entered }
  return (
    <>
      <section class="card" aria-labelledby="private-keys">
        <h2 id="private-keys">Private keys (client secrets)</h2>
        <SecretTable context={context} application={application} nowMs={nowMs} />
      </section>
      <section class="card" aria-labelledby="rotation">
        <h2 id="rotation">Rotate</h2>
        <p>Makes a new private key. The others stay good for the time that you choose, and end by themselves.</p>
        <RotateForm {...forms} />
        <details open={entered?.form === 'add'}>
          <summary>Add one without ending the others</summary>
          <AddForm {...forms} />
        </details>
      </section>
      <ProofCard context={context} application={application} />
    </>
  )
}

/** The one page that has the new private key. */
function sendNewSecret(
  { settings }: PortalDependencies,
  reply: FastifyReply,
  context: PortalContext,
  { application, added }: { application: Application; added: Answer<'addedSecret'> },
): FastifyReply {
  const { clientSecret, endsAt } = added
  return sendApplicationPage(reply, context, {
    application,
    at: 'credentials',
    status: 201,
    children: (
      <>
        <PrivateKey
          application={application}
          baseUrl={settings.server.baseUrl}
          clientSecret={clientSecret}
          endsAt={endsAt}
        />
        <p>
          <a
            class="button plain"
            id="to-credentials"
            href={context.link(applicationPath(application.applicationId, 'credentials'))}
          >
            Back to its credentials
          </a>
        </p>
      </>
    ),
  })
}
