// /portal/applications/{id}/federation: issuers whose word for the application counts, so that it keeps no secret;
// adding one, and …/{credentialId}/remove, which asks first.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../../http/answers/api-error.js'
import type { ClientAnswer } from '../../../management/applications/client-schemas.js'
import { registerPage } from '../../../web/page-routes.js'
import { displayName } from '../../../web/pages/display-name.js'
import { Button, Field } from '../../../web/pages/elements.js'
import { Form } from '../../../web/pages/form.js'
import { type Problem, ProblemNotice, problemAt } from '../../../web/pages/problem.js'
import { type Application, applicationOfPage, applicationPath, sendApplicationPage } from '../../application-page.js'
import { CancelLink } from '../../cancel-link.js'
import { TextArea } from '../../choice-fields.js'
import { getPage, type PortalContext, postForm } from '../../context.js'
import type { PortalDependencies } from '../../dependencies.js'
import { doneLink } from '../../done-notice.js'
import { formProblem } from '../../form-problem.js'
import { sendConfirmation } from '../confirmation.js'
import { keySet } from './key-set.js'

const fields = ['name', 'issuer', 'subject', 'audience', 'jwks'] as const
type Entered = { [field in (typeof fields)[number]]?: string | undefined } & { problem?: Problem; status?: number }

/** Registers both. */
export function registerFederation(scope: FastifyInstance, deps: PortalDependencies): void {
  registerAdding(scope, deps)
  registerRemoving(scope, deps)
}

function registerAdding(scope: FastifyInstance, deps: PortalDependencies): void {
  const { baseUrl } = deps.settings.server
  registerPage(scope, deps, {
    path: '/portal/applications/:id/federation',
    routeId: 'portal-application-federation',
    get: getPage(deps, async (request, reply, context) => {
      return sendForm(reply, context, { application: await applicationOfPage(request, context), baseUrl, entered: {} })
    }),
    post: postForm(deps, async (request, reply, context, form) => {
      const application = await applicationOfPage(request, context)
      const { applicationId } = application
      const entered: Entered = Object.fromEntries(fields.map((field) => [field, form.get(field)?.trim()]))
      const keys = keySet(entered.jwks)
      if ('problem' in keys) return sendForm(reply, context, { application, baseUrl, entered: { ...entered, ...keys } })
      const { name = '', issuer = '', subject = '', audience } = entered
      const said = { name, issuer, subject, ...(audience === undefined ? {} : { audience }) }
      try {
        const body = keys.jwks === null ? said : { ...said, jwks: keys.jwks }
        await context.api('POST', `/applications/${applicationId}/federatedCredentials`, body)
        return reply.redirect(doneLink(context, applicationPath(applicationId, 'credentials'), 'trusted'), 303)
      } catch (error) {
        return sendForm(reply, context, { application, baseUrl, entered: { ...entered, ...formProblem(error) } })
      }
    }),
  })
}

function registerRemoving(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: '/portal/applications/:id/federation/:credentialId/remove',
    routeId: 'portal-application-federation-remove',
    get: getPage(deps, async (request, reply, context) => {
      const { application, credential } = await readCredential(request, context)
      const { applicationId } = application
      return sendConfirmation(reply, context, application, {
        at: 'credentials',
        path: `${applicationPath(applicationId)}/federation/${credential.id}/remove`,
        question: `Stop trusting “${displayName(credential.name)}”?`,
        what: (
          <p>
            Tokens of <code>{credential.issuer}</code> for <code>{credential.subject}</code> prove nothing any more, and
            what was got with them is refused at once.
          </p>
        ),
        button: 'Remove',
      })
    }),
    post: postForm(deps, async (request, reply, context) => {
      const { application, credential } = await readCredential(request, context)
      const { applicationId } = application
      await context.api('DELETE', `/applications/${applicationId}/federatedCredentials/${credential.id}`)
      return reply.redirect(doneLink(context, applicationPath(applicationId, 'credentials'), 'untrusted'), 303)
    }),
  })
}

async function readCredential(request: FastifyRequest, context: PortalContext) {
  const { credentialId } = request.params as { credentialId: string }
  const application = await applicationOfPage(request, context)
  const path = `/applications/${application.applicationId}/federatedCredentials`
  const { value } = await context.api<ClientAnswer<'federatedCredentials'>>('GET', path)
  const credential = value.find((each) => each.id === credentialId)
  if (credential === undefined) throw new ApiError(404, 'FederatedCredentialNotFound', 'There is no such credential.')
  return { application, credential }
}

interface FormPage {
  application: Application
  baseUrl: string
  entered: Entered
}

function sendForm(
  reply: FastifyReply,
  context: PortalContext,
  { application, baseUrl, entered }: FormPage,
): FastifyReply {
  const { problem, status = 200 } = entered
  const path = applicationPath(application.applicationId)
  const field = (id: (typeof fields)[number]) => ({ id, value: entered[id], error: problemAt(problem, id) })
  return sendApplicationPage(reply, context, {
    application,
    at: 'credentials',
    status,
    children: (
      <section class="card" aria-labelledby="federation">
        <h2 id="federation">Trust another issuer</h2>
        <p>
          The platform that the application runs on gives it a token; the application sends that as{' '}
          <code>client_assertion</code> and needs no private key. All three are compared letter by letter.
        </p>
        <ProblemNotice problem={problem} fields={fields} />
        <Form id="federation-form" action={context.link(`${path}/federation`)} token={context.token}>
          <Field {...field('name')} label="Name" hint="Where it runs, such as “build pipeline”." maxLength={120} />
          <Field
            {...field('issuer')}
            label="Issuer"
            hint="Its https address, exactly as it stands in iss of its tokens."
            maxLength={512}
          />
          <Field
            {...field('subject')}
            label="Subject"
            hint="Who the tokens are about: sub, such as system:serviceaccount:shop:billing."
            maxLength={1024}
          />
          <Field
            {...field('audience')}
            label="Audience (optional)"
            hint={`Who they are for: aud. Left empty: ${baseUrl}.`}
            required={false}
            maxLength={1024}
          />
          <TextArea
            {...field('jwks')}
            label="Its public keys (optional)"
            hint="A JSON Web Key Set. Left empty: the keys are fetched from the issuer."
            required={false}
          />
          <div class="buttons">
            <Button id="trust">Trust it</Button>
            <CancelLink context={context} to={applicationPath(application.applicationId, 'credentials')} />
          </div>
        </Form>
      </section>
    ),
  })
}
