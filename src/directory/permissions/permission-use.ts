// What an application has against what it uses: for each permission whether somebody consented, since when, when it
// last opened a route, and whether it is unused. Unused is only what was consented to and could have been seen here for
// the whole of the stated window; of anything else nobody knows, and so it is not suggested to be removed.

import { countUserConsents } from '../../storage/sql/consents/consent-counts.js'
import { readInstallations } from '../../storage/sql/registrations/installations.js'
import type { Statements } from '../../storage/sql/store.js'
import { type PermissionUseSum, sumPermissionUsage, usageCountedSince } from '../../storage/sql/usage/usage-reads.js'
import { includesPermission, isOpenidWord } from '../consents/consent-rules.js'
import type { PermissionRef, Registration } from '../records.js'
import { toInstallation } from '../rows.js'

export interface PermissionUse extends PermissionRef {
  configured: boolean
  /** Who consented: an administrator, people for themselves, or nobody. */
  consent: 'administrator' | 'people' | 'none'
  /** Epoch ms of the oldest consent. */
  consentedAt: number | undefined
  /** Epoch ms, as coarse as counts are written. */
  firstUsedAt: number | undefined
  lastUsedAt: number | undefined
  usesIn30Days: number
  usesIn90Days: number
  /** Whether a route here asks for it. Otherwise its use cannot be seen. */
  measured: boolean
  /** Epoch ms since when it could have been used and was not; undefined where that cannot be said. */
  unusedSince: number | undefined
  /** Unused for the stated window or longer. */
  unused: boolean
}

export interface PermissionUseOptions {
  measured: (permission: PermissionRef) => boolean
  /** The stated window. */
  unusedAfterMs: number
  /** Epoch milliseconds. */
  nowMs: number
}

const dayMs = 86_400_000

/**
 * The permissions of an application by resource, id and kind: what is configured and what was consented to, in one
 * tenant or, without `tenantId`, in all of them together. Reads what is written; call it in a transaction or a
 * snapshot.
 */
export async function readPermissionUse(
  statements: Statements,
  registration: Pick<Registration, 'applicationId' | 'configured'>,
  options: PermissionUseOptions & { tenantId?: string | undefined },
): Promise<PermissionUse[]> {
  const { applicationId, configured } = registration
  const { tenantId, nowMs } = options
  const today = Math.floor(nowMs / dayMs)
  const consents = await readConsents(statements, applicationId, tenantId)
  const days = { recentFrom: today - 29, quarterFrom: today - 89 }
  const uses = await sumPermissionUsage(statements, { applicationId, tenantId, ...days })
  const countedSince = await usageCountedSince(statements)
  const shown = [...configured]
  for (const { ref } of consents) if (!includesPermission(shown, ref)) shown.push(ref)
  return shown.sort(byName).map((ref) => {
    const consent = oldest(consents.filter((one) => includesPermission([one.ref], ref)))
    const use = addedUp(uses.filter((one) => includesPermission([refOf(one)], ref)))
    const since = { countedSince, consentedAt: consent?.at, lastUsedAt: use?.lastUsedAt }
    const base = { ...ref, configured: includesPermission(configured, ref), measured: options.measured(ref) }
    const unusedSince = base.measured ? sinceWhen(since) : undefined
    return {
      ...base,
      consent: consent?.by ?? 'none',
      consentedAt: consent?.at,
      firstUsedAt: use?.firstUsedAt,
      lastUsedAt: use?.lastUsedAt,
      usesIn30Days: use?.recent ?? 0,
      usesIn90Days: use?.quarter ?? 0,
      unusedSince,
      unused: unusedSince !== undefined && nowMs - unusedSince >= options.unusedAfterMs,
    }
  })
}

interface Consented {
  ref: PermissionRef
  by: 'administrator' | 'people'
  at: number
}

async function readConsents(statements: Statements, applicationId: string, tenantId?: string): Promise<Consented[]> {
  const installed = (await readInstallations(statements, applicationId, tenantId)).map(toInstallation)
  const people = await countUserConsents(statements, { applicationId, tenantId })
  const byAdministrators = installed.flatMap(({ granted }) =>
    granted.map(({ kind, resource, id, grantedAt }) => ({ ref: { kind, resource, id }, at: grantedAt })),
  )
  const byPeople = people.map(({ resource, permission_id, since }) => ({
    ref: { kind: 'delegated' as const, resource, id: permission_id },
    at: since,
  }))
  return [
    ...byAdministrators.map((one) => ({ ...one, by: 'administrator' as const })),
    ...byPeople.map((one) => ({ ...one, by: 'people' as const })),
  ].filter(({ ref }) => !isOpenidWord(ref))
}

/** The consent that has been there for longest; an administrator's counts for more than anybody's. */
function oldest(consents: readonly Consented[]): Consented | undefined {
  const [first, ...others] = consents
  if (first === undefined) return undefined
  const by = consents.some((one) => one.by === 'administrator') ? 'administrator' : 'people'
  return { ...first, by, at: Math.min(first.at, ...others.map(({ at }) => at)) }
}

/** The uses of one permission in several tenants as one. */
function addedUp(uses: readonly PermissionUseSum[]) {
  if (uses.length === 0) return undefined
  return {
    firstUsedAt: Math.min(...uses.map((one) => one.first_used_at)),
    lastUsedAt: Math.max(...uses.map((one) => one.last_used_at)),
    recent: uses.reduce((sum, one) => sum + one.recent, 0),
    quarter: uses.reduce((sum, one) => sum + one.quarter, 0),
  }
}

/** What nobody consented to cannot be used, and what happened before anything was counted is not known. */
function sinceWhen(at: { countedSince: number; consentedAt: number | undefined; lastUsedAt: number | undefined }) {
  if (at.consentedAt === undefined) return undefined
  return Math.max(at.countedSince, at.consentedAt, at.lastUsedAt ?? 0)
}

function refOf(row: PermissionUseSum): PermissionRef {
  return {
    kind: row.kind === 'application' ? 'application' : 'delegated',
    resource: row.resource,
    id: row.permission_id,
  }
}

function byName(a: PermissionRef, b: PermissionRef): number {
  const [one, other] = [a, b].map(({ resource, id, kind }) => [resource, id, kind].join('\n')) as [string, string]
  return one < other ? -1 : 1
}
