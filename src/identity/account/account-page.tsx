// What the account page looks like: who one is, how one signs in, what applications may do, and where one belongs.

import type { VNode } from 'preact'
import type { Role } from '../../config/settings/settings.js'
import { isAdministrator } from '../../users/memberships/roles.js'
import type { User } from '../../users/records.js'
import { useTexts } from '../../web/language/texts.js'
import { displayName } from '../../web/pages/display-name.js'
import { Facts } from '../../web/pages/elements.js'
import { Page } from '../../web/pages/layout.js'
import { ListItem } from '../../web/pages/list-item.js'
import { Done, type DoneWord } from './done-notice.js'

/** What the page says; `done` names what was just changed. */
export interface Overview {
  user: User
  passkeys: number
  /** Undefined: there is none to link. */
  providers: number | undefined
  sessions: number
  memberships: readonly { tenant: string; role: Role; tenantId: string }[]
  done: DoneWord | undefined
}

/** The page, a card a subject. */
export function AccountPage(overview: Overview): VNode {
  const { account } = useTexts()
  return (
    <Page title={account.title} width="wide" user={overview.user}>
      <Done done={overview.done} />
      <AboutYou {...overview} />
      <SigningIn {...overview} />
      <Applications {...overview} />
      <Organisations {...overview} />
      <p class="fine">
        <a id="delete-account" href="/account/delete">
          {account.delete}
        </a>
      </p>
    </Page>
  )
}

function AboutYou({ user }: Overview): VNode {
  const { frame, account } = useTexts()
  const verified = user.emailVerified ? <span class="tag good">{account.verified}</span> : null
  const from = user.idProvider === 'local' ? [] : [[account.accountFrom, user.idProvider] as const]
  return (
    <section class="card" aria-labelledby="details-heading">
      <Head id="details" title={account.aboutYou} href="/account/details" link={account.change} />
      <Facts
        id="details"
        rows={[
          [account.name, displayName(user.name)],
          [
            frame.email,
            <>
              {user.email === '' ? account.none : displayName(user.email, 254)} {verified}
            </>,
          ],
          ...from,
        ]}
      />
    </section>
  )
}

function SigningIn({ user, passkeys, providers, sessions }: Overview): VNode {
  const { frame, account } = useTexts()
  return (
    <section class="card" aria-labelledby="signing-in-heading">
      <Head id="signing-in" title={account.signingIn} />
      <ul class="list">
        <Way
          name={frame.password}
          state={user.hasPassword ? account.passwordSet : account.passwordNone}
          href="/account/password"
          link={account.change}
          id="password"
        />
        <Way
          name={account.secondStep}
          state={user.hasSecondFactor ? account.secondStepOn : account.secondStepOff}
          href="/account/second-factor"
          link={user.hasSecondFactor ? account.manage : account.turnOn}
          id="second-factor"
        />
        <Way
          name={account.passkeys}
          state={account.countedPasskeys(passkeys)}
          href="/account/passkeys"
          link={account.manage}
          id="passkeys"
        />
        {providers === undefined ? null : (
          <Way
            name={account.providers}
            state={account.countedProviders(providers)}
            href="/account/providers"
            link={account.manage}
            id="providers"
          />
        )}
        <Way
          name={account.sessions}
          state={account.countedSessions(sessions)}
          href="/account/sessions"
          link={account.manage}
          id="sessions"
        />
      </ul>
    </section>
  )
}

function Applications({ memberships }: Overview): VNode {
  const { account, consent } = useTexts()
  return (
    <section class="card" aria-labelledby="apps-heading">
      <Head id="apps" title={account.applications} href="/account/apps" link={consent.apps.title} />
      <p class="fine">{account.applicationsText}</p>
      {memberships.some(({ role }) => isAdministrator(role)) ? (
        <p>
          <a id="consent-requests" href="/consent-requests">
            {account.consentRequests}
          </a>
        </p>
      ) : null}
    </section>
  )
}

function Organisations({ memberships }: Overview): VNode {
  const { frame, account } = useTexts()
  return (
    <section class="card" aria-labelledby="memberships-heading">
      <Head id="memberships" title={account.organisations} />
      {memberships.length === 0 ? (
        <p class="fine">{account.noOrganisation}</p>
      ) : (
        <ul class="list">
          {memberships.map(({ tenant, tenantId, role }) => (
            <ListItem key={tenantId} name={displayName(tenant)} about={account.roleHere(frame.roles[role])}>
              <a
                class="button plain small"
                id={`portal-${tenantId}`}
                href={`/portal?tenant=${tenantId}`}
                aria-label={account.portalOf(displayName(tenant))}
              >
                {account.toPortal}
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
