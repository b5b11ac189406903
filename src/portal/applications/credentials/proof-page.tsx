// /portal/applications/{id}/proof: by what an application proves itself, and the public keys that it signs with.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Body } from '../../../management/schemas.js'
import { registerPage } from '../../../web/page-routes.js'
import { Button } from '../../../web/pages/elements.js'
import { Form } from '../../../web/pages/form.js'
import { type Problem, ProblemNotice, problemAt } from '../../../web/pages/problem.js'
import { type Application, applicationOfPage, applicationPath, sendApplicationPage } from '../../application-page.js'
import { CancelLink } from '../../cancel-link.js'
import { Select, TextArea } from '../../choice-fields.js'
import { getPage, type PortalContext, postForm } from '../../context.js'
import type { PortalDependencies } from '../../dependencies.js'
import { doneLink } from '../../done-notice.js'
import { formProblem } from '../../form-problem.js'
import { keySet } from './key-set.js'
import { proofs } from './proof-card.js'

interface Entered {
  authMethod?: string | undefined
  jwks?: string | undefined
  problem?: Problem
  status?: number
}

/** Registers it. */
export function registerProof(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: '/portal/applications/:id/proof',
    routeId: 'portal-application-proof',
    get: getPage(deps, async (request, reply, context) => {
      return sendProof(reply, context, await applicationOfPage(request, context))
    }),
    post: postForm(deps, async (request, reply, context, form) => {
      const application = await applicationOfPage(request, context)
      const { applicationId } = application
      const entered = { authMethod: form.get('authMethod'), jwks: form.get('jwks')?.trim() }
      const changes = changesOf(entered)
      if ('problem' in changes) return sendProof(reply, context, application, { ...entered, ...changes })
      try {
        await context.api('PATCH', `/applications/${applicationId}`, changes)
        return reply.redirect(doneLink(context, applicationPath(applicationId, 'credentials'), 'proof'), 303)
      } catch (error) {
        return sendProof(reply, context, application, { ...entered, ...formProblem(error) })
      }
    }),
  })
}

function changesOf({ authMethod, jwks }: Entered): Body<'changeApplication'> | { problem: Problem; status: number } {
  const keys = keySet(jwks)
  return 'problem' in keys ? keys : { authMethod: authMethod as Application['authMethod'], jwks: keys.jwks }
}

function sendProof(
  reply: FastifyReply,
  context: PortalContext,
  application: Application,
  entered: Entered = {},
): FastifyReply {
  const { problem, status = 200 } = entered
  const { applicationId } = application
  const registered = application.jwks === null ? '' : JSON.stringify(application.jwks, null, 2)
  return sendApplicationPage(reply, context, {
    application,
    at: 'credentials',
    status,
    children: (
      <section class="card" aria-labelledby="proof">
        <h2 id="proof">Authentication method</h2>
        <ProblemNotice problem={problem} fields={['authMethod', 'jwks']} />
        <Form id="proof-form" action={context.link(`${applicationPath(applicationId)}/proof`)} token={context.token}>
          <Select
            id="authMethod"
            label="It proves itself by"
            options={Object.entries(proofs).map(([method, { name }]) => [method, name] as const)}
            value={entered.authMethod ?? application.authMethod}
            error={problemAt(problem, 'authMethod')}
          />
          <TextArea
            id="jwks"
            label="Public keys (JSON Web Key Set)"
            hint="1 to 10 keys for ES256, RS256 or EdDSA; one without a kid is named by its thumbprint. Never a private key. Required with a key of its own. Empty: none."
            rows={10}
            required={false}
            value={entered.jwks ?? registered}
            error={problemAt(problem, 'jwks')}
          />
          <div class="buttons">
            <Button id="save">Save</Button>
            <CancelLink context={context} to={applicationPath(applicationId, 'credentials')} />
          </div>
        </Form>
      </section>
    ),
  })
}
