// What in a tenant waits for its developers and administrators.

import type { ComponentChildren } from 'preact'
import { displayName } from '../../web/pages/display-name.js'
import { applicationPath } from '../application-page.js'
import type { PortalContext } from '../context.js'
import { date, span } from '../dates.js'
import type { Administration, OverviewOfPerson } from './read-overview.js'
import type { Waiting } from './waiting.js'

const mostNamed = 5

/** For developers: secrets that end, permissions that wait for consent. */
export function developerWaiting(context: PortalContext, { applications }: OverviewOfPerson): Waiting[] {
  const { endingSecrets: secrets, waitingForConsent: waiting } = applications
  const pages = (page: Parameters<typeof applicationPath>[1]) => (id: string) => context.link(applicationPath(id, page))
  const [credentials, permissions] = [pages('credentials'), pages('permissions')]
  return [
    {
      id: 'secrets',
      count: secrets.count,
      text: plural(secrets.count, 'secret ends within 30 days', 'secrets end within 30 days'),
      href: credentials(secrets.value[0]?.applicationId ?? ''),
      details: named(
        byApplication(secrets.value).map(({ applicationId, name, endsAt, replaced, count }) => ({
          key: applicationId,
          href: credentials(applicationId),
          name,
          count,
          more: `${count === 1 ? '' : ` (${count})`} on ${date(Date.parse(endsAt))}${replaced ? ', another one follows' : ''}`,
        })),
        secrets.count,
      ),
    },
    {
      id: 'consent',
      count: waiting.count,
      text: plural(
        waiting.count,
        'application waits for an administrator’s consent',
        'applications wait for an administrator’s consent',
      ),
      href: permissions(waiting.value[0]?.applicationId ?? ''),
      details: named(
        waiting.value.map((one) => ({
          key: one.applicationId,
          href: permissions(one.applicationId),
          name: one.name,
          more: ` (${one.permissions})`,
        })),
        waiting.count,
      ),
    },
  ].filter(({ count }) => count > 0)
}

/** For administrators: requests, unused permissions, sign-ins that fail, people without a second factor. */
export function administratorWaiting(
  context: PortalContext,
  { people, signIns, unused, consentRequests, planRequests }: Administration,
  words: string,
): Waiting[] {
  const { withoutSecondFactor: without } = people
  return [
    {
      id: 'requests',
      count: consentRequests,
      text: plural(consentRequests, 'request for consent waits', 'requests for consent wait'),
      href: context.link('/portal/consents'),
    },
    {
      id: 'plan-requests',
      count: planRequests,
      text: plural(planRequests, 'request for a plan waits', 'requests for plans wait'),
      href: context.link('/portal/plan-requests'),
    },
    {
      id: 'unused',
      count: unused.count,
      text: plural(
        unused.count,
        `application did not use what it may for ${span(unused.unusedAfterSeconds * 1000)}`,
        `applications did not use what they may for ${span(unused.unusedAfterSeconds * 1000)}`,
      ),
      href: context.link(applicationPath(unused.value[0]?.applicationId ?? '', 'permissions')),
      details: named(
        unused.value.map((one) => ({
          key: one.applicationId,
          href: context.link(applicationPath(one.applicationId, 'permissions')),
          name: one.name,
          more: ` (${one.permissions})`,
        })),
        unused.count,
      ),
    },
    {
      id: 'sign-ins',
      count: signIns.count,
      text: plural(signIns.count, `sign-in failed ${words}`, `sign-ins failed ${words}`),
      href: context.link('/portal/audit/attempts?event=user.sign-in-failed'),
    },
    {
      id: 'second-factor',
      count: without.count,
      text: plural(without.count, 'person has no second factor', 'people have no second factor'),
      href: context.link('/portal/people'),
      details: named(
        without.value.map(({ userId, name, email, role }) => ({
          key: userId,
          href: context.link(`/portal/people/${userId}`),
          name: name === '' ? email : name,
          more: role === 'member' ? '' : ` (${role})`,
        })),
        without.count,
      ),
    },
  ].filter(({ count }) => count > 0)
}

interface Named {
  key: string
  href: string
  name: string
  more: string
  /** Of how many of them it tells; one when absent. */
  count?: number
}

type EndingSecret = OverviewOfPerson['applications']['endingSecrets']['value'][number]

/** One line for each application: the secret of it that ends first, and how many end. */
function byApplication(secrets: readonly EndingSecret[]): (EndingSecret & { count: number })[] {
  const found = new Map<string, EndingSecret & { count: number }>()
  for (const secret of secrets) {
    const known = found.get(secret.applicationId)
    found.set(secret.applicationId, { ...(known ?? secret), count: (known?.count ?? 0) + 1 })
  }
  return [...found.values()]
}

function named(all: readonly Named[], count: number): ComponentChildren {
  const shown = all.slice(0, mostNamed)
  const others = shown.reduce((left, one) => left - (one.count ?? 1), count)
  return (
    <>
      {shown.map(({ key, href, name, more }, index) => (
        <span key={key}>
          {index === 0 ? '' : ', '}
          <a href={href}>{displayName(name, 60)}</a>
          {more}
        </span>
      ))}
      {others > 0 ? ` and ${others} more` : ''}
    </>
  )
}

function plural(count: number, one: string, many: string): string {
  return count === 1 ? one : many
}
