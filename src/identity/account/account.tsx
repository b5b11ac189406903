// The account page: who one is here, how one signs in, where one is signed in, and where one belongs. Everything that can be
// changed has a page of its own.

import type { FastifyInstance } from 'fastify'
import type { VNode } from 'preact'
import type { Role } from '../../config/settings.js'
import { listLinkedProviders } from '../../users/external-identities.js'
import { listMemberships } from '../../users/memberships.js'
import { listPasskeys } from '../../users/passkeys.js'
import type { User } from '../../users/records.js'
import { isAdministrator } from '../../users/roles.js'
import { listSessions } from '../../users/sessions.js'
import type { PageDependencies } from '../browser/browser.js'
import { registerPage } from '../browser/page-routes.js'
import { displayName } from '../pages/display-name.js'
import { Facts } from '../pages/elements.js'
import { Page } from '../pages/layout.js'
import { sendPage } from '../pages/send-page.js'
import { type Person, shown } from '../sign-in/signed-in.js'
import { Done, doneOf } from './done.js'

interface Overview {
  user: User
  passkeys: number
  /** Undefined: there is none to link. */
  providers: number | undefined
  sessions: number
  memberships: readonly { tenant: string; role: Role; tenantId: string }[]
  done: string | undefined
}

/** Registers /account. */
export function registerOverview(scope: FastifyInstance, deps: PageDependencies): void {
  registerPage(scope, deps, {
    path: '/account',
    routeId: 'account',
    get: shown(deps, async (request, reply, person) => {
      const overview = await overviewOf(deps, person)
      return sendPage(reply, 200, <AccountPage {...overview} done={doneOf(request)} />)
    }),
  })
}

async function overviewOf(deps: PageDependencies, { user, acting }: Person): Promise<Omit<Overview, 'done'>> {
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
    ...{ user, passkeys: passkeys.length, sessions: sessions.length, memberships: await Promise.all(named) },
    providers: hasProviders ? linked.length : undefined,
  }
}

function AccountPage({ user, passkeys, providers, sessions, memberships, done }: Overview): VNode {
  const verified = user.emailVerified ? <span class="tag good">verified</span> : null
  const from = user.idProvider === 'local' ? [] : [['Account from', user.idProvider] as const]
  return (
    <Page title="Your account" width="wide" user={user}>
      <Done done={done} />
      <section class="card" aria-labelledby="details-heading">
        <Head id="details" title="About you" href="/account/details" link="Change" />
        <Facts
          id="details"
          rows={[
            ['Name', displayName(user.name)],
            [
              'E-mail address',
              <>
                {user.email === '' ? 'none' : displayName(user.email, 254)} {verified}
              </>,
            ],
            ...from,
          ]}
        />
      </section>
      <section class="card" aria-labelledby="signing-in-heading">
        <Head id="signing-in" title="Signing in" />
        <ul class="list">
          <Way
            name="Password"
            state={user.hasPassword ? 'Set' : 'None'}
            href="/account/password"
            link="Change"
            id="password"
          />
          <Way
            name="Second step"
            state={user.hasSecondFactor ? 'On: a code of your authenticator app' : 'Off'}
            href="/account/second-factor"
            link={user.hasSecondFactor ? 'Manage' : 'Turn on'}
            id="second-factor"
          />
          <Way
            name="Passkeys"
            state={counted(passkeys, 'passkey')}
            href="/account/passkeys"
            link="Manage"
            id="passkeys"
          />
          {providers === undefined ? null : (
            <Way
              name="Linked providers"
              state={counted(providers, 'provider')}
              href="/account/providers"
              link="Manage"
              id="providers"
            />
          )}
          <Way
            name="Sessions"
            state={`Signed in with ${counted(sessions, 'browser')}`}
            href="/account/sessions"
            link="Manage"
            id="sessions"
          />
        </ul>
      </section>
      <section class="card" aria-labelledby="apps-heading">
        <Head id="apps" title="Applications" href="/account/apps" link="Apps with access" />
        <p class="fine">What you allowed applications to do for you, and how to take it back.</p>
        {memberships.some(({ role }) => isAdministrator(role)) ? (
          <p>
            <a id="consent-requests" href="/consent-requests">
              Requests for an administrator’s consent
            </a>
          </p>
        ) : null}
      </section>
      <section class="card" aria-labelledby="memberships-heading">
        <Head id="memberships" title="Organisations" />
        {memberships.length === 0 ? (
          <p class="fine">You belong to no organisation yet.</p>
        ) : (
          <ul class="list">
            {memberships.map(({ tenant, tenantId, role }) => (
              <li key={tenantId}>
                <span class="what">
                  <span class="name">{displayName(tenant)}</span>
                </span>
                <span class="tag">{role}</span>
              </li>
            ))}
          </ul>
        )}
      </section>
      <p class="fine">
        <a id="delete-account" href="/account/delete">
          Delete this account
        </a>
      </p>
    </Page>
  )
}

function Head({ id, title, href, link }: { id: string; title: string; href?: string; link?: string }): VNode {
  return (
    <div class="card-head">
      <h2 id={`${id}-heading`}>{title}</h2>
      {href === undefined ? null : (
        <a id={`${id}-change`} href={href} aria-label={`${link}: ${title}`}>
          {link}
        </a>
      )}
    </div>
  )
}

function Way({
  id,
  name,
  state,
  href,
  link,
}: {
  id: string
  name: string
  state: string
  href: string
  link: string
}): VNode {
  return (
    <li>
      <span class="what">
        <span class="name">{name}</span>
        <span class="fine">{state}</span>
      </span>
      <a class="button plain small" id={`${id}-link`} href={href} aria-label={`${link}: ${name}`}>
        {link}
      </a>
    </li>
  )
}

function counted(count: number, what: string): string {
  if (count === 0) return `No ${what}`
  return count === 1 ? `1 ${what}` : `${count} ${what}s`
}
