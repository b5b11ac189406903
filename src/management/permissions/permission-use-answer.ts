// The permissions of an application against their use, as the API shows them.

import { includesPermission } from '../../directory/consents/consent-rules.js'
import { measuredPermissions } from '../../directory/permissions/measured-permissions.js'
import {
  type PermissionUse,
  type PermissionUseOptions,
  readPermissionUse,
} from '../../directory/permissions/permission-use.js'
import type { Registration } from '../../directory/records.js'
import { DirectoryRefusal } from '../../directory/refusal.js'
import { toRegistration } from '../../directory/rows.js'
import { readApplications } from '../../storage/sql/registrations/applications.js'
import type { Statements } from '../../storage/sql/store.js'
import { usageCountedSince } from '../../storage/sql/usage/usage-reads.js'
import type { ManagementDependencies } from '../dependencies.js'
import { readOperationUse } from './operation-use.js'
import type { PermissionUseAnswer } from './usage-schemas.js'

const dayMs = 86_400_000

type Measures = Omit<PermissionUseOptions, 'nowMs'>

/** What decides whether a permission is unused, by the configuration. */
export function measuring({ settings }: Pick<ManagementDependencies, 'settings'>): Measures {
  return { measured: measuredPermissions(settings), unusedAfterMs: settings.usage.unusedAfterMs }
}

/**
 * An application in a tenant (absent: its home). Of an application of another tenant only what was consented to there
 * is shown; where it is not installed it does not exist. Throws DirectoryRefusal and StoreUnavailable.
 */
export async function permissionUseAnswer(
  { store, writes, settings }: Pick<ManagementDependencies, 'store' | 'writes' | 'settings'>,
  measures: Measures,
  params: { applicationId: string; tenantId: string | undefined },
): Promise<PermissionUseAnswer> {
  const nowMs = writes.now()
  const read = async (tx: Statements) => {
    const registration = await requireRegistration(tx, params.applicationId)
    const tenantId = params.tenantId ?? registration.tenantId
    const options = { ...measures, nowMs }
    return {
      registration,
      tenantId,
      countedSince: await usageCountedSince(tx),
      here: await readPermissionUse(tx, registration, { ...options, tenantId }),
      everywhere: await readPermissionUse(tx, registration, options),
    }
  }
  const { registration, tenantId, countedSince, here, everywhere } = await store.snapshot(read)
  const isHome = registration.tenantId === tenantId
  const shown = isHome ? here : here.filter(({ consent }) => consent !== 'none')
  if (!isHome && shown.length === 0) throw notFound()
  const about = { applicationId: registration.applicationId, tenantId, permissions: shown }
  const today = Math.floor(nowMs / dayMs)
  const operations = await readOperationUse(store.reader, settings, { ...about, today })
  const removable = isHome ? everywhere.filter(({ unused, configured }) => unused && configured) : []
  return {
    applicationId: registration.applicationId,
    tenantId,
    countedSince: time(countedSince),
    unusedAfterSeconds: Math.round(measures.unusedAfterMs / 1000),
    value: shown.map((use) => ({ ...line(use), neededElsewhere: isHome && isNeeded(use, everywhere) })),
    operations,
    removable: removable.map(({ kind, resource, id }) => ({ kind, resource, id })),
  }
}

/** Unused here, but not in all tenants together. */
function isNeeded(use: PermissionUse, everywhere: readonly PermissionUse[]): boolean {
  const all = everywhere.find((one) => includesPermission([one], use))
  const isUnusedHere = use.unused || use.consent === 'none'
  return isUnusedHere && all !== undefined && all.consent !== 'none' && !all.unused
}

function line(use: PermissionUse): Omit<PermissionUseAnswer['value'][number], 'neededElsewhere'> {
  const { consentedAt, firstUsedAt, lastUsedAt, unusedSince, ...rest } = use
  const times = { consentedAt, firstUsedAt, lastUsedAt, unusedSince }
  const texts = Object.fromEntries(
    Object.entries(times).map(([name, ms]) => [name, ms === undefined ? null : time(ms)]),
  )
  return { ...rest, ...(texts as Record<keyof typeof times, string | null>) }
}

async function requireRegistration(tx: Statements, applicationId: string): Promise<Registration> {
  const [record] = await readApplications(tx, 'id', applicationId)
  if (record === undefined) throw notFound()
  return toRegistration(record)
}

function notFound(): DirectoryRefusal {
  return new DirectoryRefusal('ApplicationNotFound', 'There is no such application.')
}

function time(ms: number): string {
  return new Date(ms).toISOString()
}
