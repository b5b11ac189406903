// What in a tenant somebody should look at: secrets that end, consents that wait, permissions that nobody uses, people
// without a second factor, sign-ins that fail. Read at this moment and bounded; it changes nothing.

import { needsAdministrator } from '../../directory/consents/consent-rules.js'
import { measuredPermissions } from '../../directory/permissions/measured-permissions.js'
import type { Stretch } from '../../history/history.js'
import { daySlots, hourSlots, slotOf, slotTimes } from '../../history/slots.js'
import { countApplicationsByState, listOwnedApplications } from '../../storage/sql/overview/application-counts.js'
import {
  listGrantUses,
  listSecretsThatEnd,
  listUnconsented,
  type PermissionOfApplication,
} from '../../storage/sql/overview/application-overview.js'
import { countMembers, listFailedSignIns, listWithoutSecondFactor } from '../../storage/sql/overview/people-overview.js'
import { usageCountedSince } from '../../storage/sql/usage/usage-reads.js'
import type { ManagementDependencies } from '../dependencies.js'
import type { Overview } from './overview-schemas.js'
import { refOf } from './permission-of-row.js'

type Deps = Pick<ManagementDependencies, 'store' | 'writes' | 'settings'>

/** Whose; absent: of all tenants. */
interface About {
  tenantId: string | undefined
}

const shown = 20
const soonMs = 30 * 86_400_000
/** Rows that one question looks at. */
const mostRead = 10_000

/** Applications of a tenant, and what about them waits. `ownerId`: whose they may be. Throws StoreUnavailable. */
export async function applicationOverview(
  { store, writes, settings }: Deps,
  { tenantId, ownerId }: About & { ownerId: string | undefined },
): Promise<Overview<'applications'>> {
  const nowMs = writes.now()
  const read = await store.snapshot(async (tx) => ({
    states: await countApplicationsByState(tx, { tenantId }),
    owned: ownerId === undefined ? [] : await listOwnedApplications(tx, { tenantId, ownerId }, shown),
    secrets: await listSecretsThatEnd(tx, { tenantId, nowMs, untilMs: nowMs + soonMs }, mostRead),
    unconsented: await listUnconsented(tx, { tenantId }, mostRead),
  }))
  const waiting = read.unconsented.filter((row) => needsAdministrator(settings.catalogue, refOf(row)))
  return {
    ...read.states,
    owned: read.owned.map(({ id, name, state }) => ({
      applicationId: id,
      name,
      state: state === 'disabled' ? 'disabled' : 'enabled',
    })),
    endingSecrets: {
      count: read.secrets.length,
      value: read.secrets.slice(0, shown).map((row) => ({
        applicationId: row.application_id,
        name: row.name,
        keyId: row.key_id,
        label: row.label,
        endsAt: time(row.ends_at),
        replaced: row.replaced,
      })),
    },
    waitingForConsent: byApplication(waiting),
  }
}

/** Who belongs to a tenant, and who proves who they are by a password alone. Throws StoreUnavailable. */
export async function peopleOverview({ store, writes }: Deps, { tenantId }: About): Promise<Overview<'people'>> {
  const read = await store.snapshot(async (tx) => ({
    counts: await countMembers(tx, { tenantId, nowMs: writes.now() }),
    without: await listWithoutSecondFactor(tx, { tenantId }, shown),
  }))
  const { people, invitations, withoutSecondFactor } = read.counts
  return {
    people,
    invitations,
    withoutSecondFactor: {
      count: withoutSecondFactor,
      value: read.without.map(({ user_id, ...rest }) => ({ userId: user_id, ...rest })),
    },
  }
}

/** Sign-ins that failed in a stretch that ends now; a few seconds behind. Throws StoreUnavailable. */
export async function signInOverview(
  { store, writes }: Deps,
  { tenantId, last }: About & { last: Stretch },
): Promise<Overview<'signIns'>> {
  const slots = last === '1h' ? hourSlots : daySlots
  const times = slotTimes(slots, writes.now())
  const from = times[0] ?? 0
  const failed = await listFailedSignIns(store.reader, { tenantId, sinceMs: from }, mostRead)
  const bySlot = new Map<number, number>()
  const byPerson = new Map<string | null, { failed: number; lastAt: number }>()
  for (const { at, user_id } of failed) {
    const slot = slotOf(slots, at)
    bySlot.set(slot, (bySlot.get(slot) ?? 0) + 1)
    const known = byPerson.get(user_id) ?? { failed: 0, lastAt: at }
    byPerson.set(user_id, { ...known, failed: known.failed + 1 })
  }
  const people = [...byPerson].sort(([, one], [, other]) => other.failed - one.failed).slice(0, shown)
  return {
    from: time(from),
    to: time((times.at(-1) ?? 0) + slots.slotMs),
    slotSeconds: slots.slotSeconds,
    count: failed.length,
    value: times.map((at) => ({ at: time(at), failed: bySlot.get(at) ?? 0 })),
    people: people.map(([userId, { failed: times_, lastAt }]) => ({ userId, failed: times_, lastAt: time(lastAt) })),
  }
}

/**
 * What administrators consented to and no application used for as long as the configuration says; by the rule of
 * directory/permissions/permission-use.ts. Throws StoreUnavailable.
 */
export async function unusedOverview(
  { store, writes, settings }: Deps,
  { tenantId }: About,
): Promise<Overview<'unusedPermissions'>> {
  const isMeasured = measuredPermissions(settings)
  const { unusedAfterMs } = settings.usage
  const { grants, countedSince } = await store.snapshot(async (tx) => ({
    grants: await listGrantUses(tx, { tenantId }, mostRead),
    countedSince: await usageCountedSince(tx),
  }))
  const unused = grants.filter((row) => {
    const since = Math.max(countedSince, row.granted_at, row.last_used_at ?? 0)
    return writes.now() - since >= unusedAfterMs && isMeasured(refOf(row))
  })
  return { unusedAfterSeconds: Math.round(unusedAfterMs / 1000), ...byApplication(unused) }
}

/** How many of the rows each application has, in their order. */
function byApplication(rows: readonly PermissionOfApplication[]) {
  const found = new Map<string, { applicationId: string; name: string; permissions: number }>()
  for (const { application_id, name } of rows) {
    const known = found.get(application_id) ?? { applicationId: application_id, name, permissions: 0 }
    found.set(application_id, { ...known, permissions: known.permissions + 1 })
  }
  return { count: found.size, value: [...found.values()].slice(0, shown) }
}

function time(ms: number): string {
  return new Date(ms).toISOString()
}
