// The account page: who one is here, how one signs in, where one is signed in, and where one belongs. Everything that
// can be changed has a page of its own.

import type { FastifyInstance } from 'fastify'
import { listLinkedProviders } from '../../users/accounts/external-identities.js'
import { listPasskeys } from '../../users/credentials/passkeys.js'
import { listMemberships } from '../../users/memberships/memberships.js'
import { listSessions } from '../../users/sessions/sessions.js'
import { registerPage } from '../../web/page-routes.js'
import { sendPage } from '../../web/pages/send-page.js'
import type { IdentityDependencies } from '../dependencies.js'
import { type Person, shown } from '../sign-in/signed-in.js'
import { AccountPage, type Overview } from './account-page.js'
import { doneOf } from './done-notice.js'

/** Registers /account. */
export function registerOverview(scope: FastifyInstance, deps: IdentityDependencies): void {
  registerPage(scope, deps, {
    path: '/account',
    routeId: 'account',
    get: shown(deps, async (request, reply, person) => {
      const overview = await overviewOf(deps, person)
      return sendPage(reply, 200, <AccountPage {...overview} done={doneOf(request)} />)
    }),
  })
}

async function overviewOf(deps: IdentityDependencies, { user, acting }: Person): Promise<Omit<Overview, 'done'>> {
  const { reader } = deps.store
  const { userId } = user
  const [passkeys, linked, sessions, memberships] = await Promise.all([
    listPasskeys(reader, userId),
    listLinkedProviders(reader, userId),
    listSessions(acting, userId),
    listMemberships(reader, { userId }),
  ])
  const named = memberships.map(async ({ tenantId, role }) => {
    const tenant = await deps.directory.findTenant(tenantId)
    return { tenantId, role, tenant: tenant?.name ?? tenantId }
  })
  const hasProviders = deps.settings.signIn.providers.size + linked.length > 0
  return {
    user,
    passkeys: passkeys.length,
    sessions: sessions.length,
    memberships: await Promise.all(named),
    providers: hasProviders ? linked.length : undefined,
  }
}
