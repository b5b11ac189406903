// What the account page looks like: who one is, how one signs in, what applications may do, and where one belongs.

import type { VNode } from 'preact'
import type { Role } from '../../config/settings/settings.js'
import { isAdministrator } from '../../users/memberships/roles.js'
import type { User } from '../../users/records.js'
import { displayName } from '../../web/pages/display-name.js'
import { Facts } from '../../web/pages/elements.js'
import { Page } from '../../web/pages/layout.js'
import { ListItem } from '../../web/pages/list-item.js'
import { Done } from './done-notice.js'

/** What the page says; `done` names what was just changed. */
export interface Overview {
  user: User
  passkeys: number
  /** Undefined: there is none to link. */
  providers: number | undefined
  sessions: number
  memberships: readonly { tenant: string; role: Role; tenantId: string }[]
  done: string | undefined
}

/** The page, a card a subject. */
export function AccountPage(overview: Overview): VNode {
  return (
    <Page title="Your account" width="wide" user={overview.user}>
      <Done done={overview.done} />
      <AboutYou {...overview} />
      <SigningIn {...overview} />
      <Applications {...overview} />
      <Organisations {...overview} />
      <p class="fine">
        <a id="delete-account" href="/account/delete">
          Delete this account
        </a>
      </p>
    </Page>
  )
}

function AboutYou({ user }: Overview): VNode {
  const verified = user.emailVerified ? <span class="tag good">verified</span> : null
  const from = user.idProvider === 'local' ? [] : [['Account from', user.idProvider] as const]
  return (
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
  )
}

function SigningIn({ user, passkeys, providers, sessions }: Overview): VNode {
  return (
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
  )
}

function Applications({ memberships }: Overview): VNode {
  return (
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
  )
}

function Organisations({ memberships }: Overview): VNode {
  return (
    <section class="card" aria-labelledby="memberships-heading">
      <Head id="memberships" title="Organisations" />
      {memberships.length === 0 ? (
        <p class="fine">You belong to no organisation yet.</p>
      ) : (
        <ul class="list">
          {memberships.map(({ tenant, tenantId, role }) => (
            <ListItem key={tenantId} name={displayName(tenant)} about={`You are ${role} here.`}>
              <a
                class="button plain small"
                id={`portal-${tenantId}`}
                href={`/portal?tenant=${tenantId}`}
                aria-label={`Portal of ${displayName(tenant)}`}
              >
                To the portal
              </a>
            </ListItem>
          ))}
        </ul>
      )}
    </section>
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
    <ListItem name={name} about={state}>
      <a class="button plain small" id={`${id}-link`} href={href} aria-label={`${link}: ${name}`}>
        {link}
      </a>
    </ListItem>
  )
}

function counted(count: number, what: string): string {
  if (count === 0) return `No ${what}`
  return count === 1 ? `1 ${what}` : `${count} ${what}s`
}
