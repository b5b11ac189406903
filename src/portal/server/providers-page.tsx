// /portal/server/providers: the providers through which people may sign in, as the configuration has them.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { ProviderAnswers } from '../../management/server/provider-schemas.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { getPage, type PortalContext } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { EmptyState } from '../empty-state.js'
import { sendFramed } from '../frame.js'
import { Table } from '../table.js'

type Provider = ProviderAnswers<'provider'>

/** The list, and the entry of the navigation. */
export const providersPath = '/portal/server/providers'

const columns = [{ text: 'Provider' }, { text: 'Issuer' }, { text: 'Whom nobody knows yet' }] as const

/** Registers it. */
export function registerProvidersPage(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: providersPath,
    routeId: 'portal-server-providers',
    get: getPage(deps, async (_request, reply, context) => show(deps, reply, context)),
  })
}

async function show(deps: PortalDependencies, reply: FastifyReply, context: PortalContext): Promise<FastifyReply> {
  const { value } = await context.api<ProviderAnswers<'providers'>>('GET', '/providers')
  return sendFramed(reply, context, {
    title: 'Providers',
    activePath: providersPath,
    intro: 'Other OpenID providers through which people sign in here, in whatever tenant they are.',
    children: (
      <>
        {value.length === 0 ? (
          <EmptyState
            id="no-providers"
            title="People sign in with a password or a passkey only"
            action={
              <a class="button" href="/docs/sign-in">
                How to add a provider
              </a>
            }
          >
            <p>
              Providers stand in the configuration, {deps.settings.file}, under <code>signIn.providers</code>. A change
              counts after the next start.
            </p>
          </EmptyState>
        ) : (
          <section class="card" aria-label="Providers">
            <Table id="providers" columns={columns} rows={value.map((provider) => rowOf(context, provider))} />
            <p class="fine">
              They stand in {deps.settings.file}, under <code>signIn.providers</code>. Nobody can be signed in through a
              provider who is not linked with it or let in by it.
            </p>
          </section>
        )}
      </>
    ),
  })
}

function rowOf(context: PortalContext, provider: Provider) {
  const { name, label, issuer } = provider
  return {
    id: `provider-${name}`,
    cells: [
      <>
        <a href={context.link(`${providersPath}/${encodeURIComponent(name)}`)}>{displayName(label)}</a>
        <span class="under">{name}</span>
      </>,
      <code key="issuer">{issuer}</code>,
      newPeople(provider),
    ],
  }
}

/** What becomes of somebody who has no account here. */
export function newPeople({ createUsers, tenantId, role }: Provider): string {
  return createUsers ? `gets an account in ${tenantId ?? 'no tenant'}, as ${role}` : 'is not let in'
}
