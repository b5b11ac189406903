// /portal/server/providers/{provider}: one provider as it is configured, a test of it step by step, and the last
// sign-ins through it that failed, with the reason.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { VNode } from 'preact'
import type { ActivityEntries } from '../../management/audit/audit-schemas.js'
import type { ProviderAnswers } from '../../management/server/provider-schemas.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Facts } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import { CopyValue } from '../copy.js'
import type { PortalDependencies } from '../dependencies.js'
import { sendFramed } from '../frame.js'
import { FailedSignIns } from './failed-sign-ins.js'
import { newPeople, providersPath } from './providers-page.js'

type Provider = ProviderAnswers<'provider'>
type Check = ProviderAnswers<'check'>

const titles: Readonly<Record<Check['steps'][number]['step'], string>> = {
  discovery: 'It answers',
  issuer: 'It is who it should be',
  endpoints: 'Its endpoints',
  keys: 'Its keys',
  client: 'It takes this server as a client',
}

/** Registers it. */
export function registerProviderPage(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: `${providersPath}/:provider`,
    routeId: 'portal-server-provider',
    get: getPage(deps, async (request, reply, context) => show(deps, request, { reply, context })),
    post: postForm(deps, async (request, reply, context) => {
      const check = await context.api<Check>('POST', `${pathOf(request)}/check`)
      return show(deps, request, { reply, context, check })
    }),
  })
}

/** Below the API. */
function pathOf(request: FastifyRequest): string {
  const { provider } = request.params as { provider: string }
  return `/providers/${encodeURIComponent(provider)}`
}

async function show(
  deps: PortalDependencies,
  request: FastifyRequest,
  { reply, context, check }: { reply: FastifyReply; context: PortalContext; check?: Check },
): Promise<FastifyReply> {
  const provider = await context.api<Provider>('GET', pathOf(request))
  const query = new URLSearchParams({
    event: 'user.sign-in-failed',
    search: `"provider":${JSON.stringify(provider.name)}`,
    $top: '20',
  })
  const failed = await context.api<ActivityEntries>('GET', `/activity/server?${query}`)
  return sendFramed(reply, context, {
    title: displayName(provider.label),
    eyebrow: <a href={context.link(providersPath)}>Providers</a>,
    activePath: providersPath,
    children: (
      <>
        <About deps={deps} provider={provider} />
        <section class="card" aria-labelledby="test-title">
          <h2 id="test-title">Test</h2>
          {check === undefined ? (
            <p>
              Fetches its document and its keys, and sends it a code that is none, to see whether it takes this server’s
              client ID and secret. Nobody is signed in.
            </p>
          ) : (
            <Result check={check} />
          )}
          <Form id="check-form" action={context.address} token={context.token}>
            <Button id="check">{check === undefined ? 'Test it now' : 'Test it again'}</Button>
          </Form>
        </section>
        <FailedSignIns entries={failed.value} />
      </>
    ),
  })
}

function About({ deps, provider }: { deps: PortalDependencies; provider: Provider }): VNode {
  const { name, issuer, clientId, hasSecret, scope, rolesClaim, ownAuthorities, redirectUri } = provider
  return (
    <section class="card" aria-labelledby="about-title">
      <h2 id="about-title">As it is configured</h2>
      <Facts
        id="provider"
        rows={[
          ['Issuer', <code key="issuer">{issuer}</code>],
          ['Client ID there', <code key="client">{clientId}</code>],
          ['Proves itself with', hasSecret ? 'a client secret' : 'nothing: a public client'],
          [
            'Redirect URI to register there',
            <CopyValue key="uri" id="redirect-uri" name="Redirect URI">
              {redirectUri}
            </CopyValue>,
          ],
          ['Scope', <code key="scope">{scope}</code>],
          ['Who may use it', 'everybody whose account is linked with it, in every tenant'],
          ['Whom nobody knows yet', newPeople(provider)],
          ['Roles', rolesClaim === null ? 'are given here' : `by its claim ${rolesClaim}`],
          ['Certificates', ownAuthorities ? 'of authorities of its own (ca)' : 'of the system’s authorities'],
          ['Stands in', `${deps.settings.file}, signIn.providers.${name}`],
        ]}
      />
    </section>
  )
}

function Result({ check: { steps, ok } }: { check: Check }): VNode {
  return (
    <>
      <p id="result" role="status">
        <strong>
          {ok ? 'People can sign in through it, as far as can be tried.' : 'People cannot sign in through it.'}
        </strong>
      </p>
      <ol class="trace" id="steps">
        {steps.map(({ step, state, message, advice }) => (
          <li key={step} class={state === 'ok' ? 'ok' : 'not-ok'} id={`step-${step}`}>
            <div>
              <strong>{titles[step]}</strong>
              <span class="line">
                {state === 'fail' ? 'No: ' : state === 'unknown' ? 'Not known: ' : ''}
                {message}
              </span>
              {advice === null ? null : <span class="line soft">{advice}</span>}
            </div>
          </li>
        ))}
      </ol>
    </>
  )
}
