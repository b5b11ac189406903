// What waits of a deleted application for as long as it can be restored (decision 129): its rows, out of the tables
// that anything else reads. So whatever looks for an application meets one that is not there.

import { appendAudit } from '../../ledger/append-audit.js'
import type { ApplicationRow } from '../../storage/sql/registrations/applications.js'
import { listBeyond, listOverdue, removeOverdue } from '../../storage/sql/registrations/deleted/deleted-lists.js'
import {
  type DeletedLine,
  insertDeleted,
  readDeleted,
  removeDeleted,
} from '../../storage/sql/registrations/deleted/deleted-rows.js'
import type { KeptRows } from '../../storage/sql/registrations/deleted/kept-rows.js'
import type { Store } from '../../storage/sql/store.js'
import { deletedBy } from '../applications/application-quota.js'
import { DirectoryRefusal } from '../refusal.js'
import { type DirectoryWrites, type Writing, write } from '../writes.js'
import { momentOf } from './moment.js'

/** Of one tenant, where no quota says how many applications it has. */
const mostOfTenant = 1_000
const batch = 100

/**
 * Keeps the rows, which the caller has deleted, until `purgeAt`. Of a tenant the newest so many are kept, as many as it
 * may have applications: the oldest beyond them leave for good.
 */
export async function keepDeleted(
  deps: DirectoryWrites,
  writing: Writing,
  { application, kept, purgeAt }: { application: ApplicationRow; kept: KeptRows; purgeAt: number },
): Promise<void> {
  const { id, public_key, tenant_id, name, publisher, type } = application
  await insertDeleted(writing.tx, {
    id,
    public_key,
    tenant_id,
    name,
    publisher,
    type,
    verified: Number(application.verified),
    deleted_at: writing.nowMs,
    deleted_by: deletedBy(deps.actor) ?? '',
    purge_at: purgeAt,
    kept: JSON.stringify(kept),
  })
  const beyond = await listBeyond(writing.tx, tenant_id, deps.quotas?.applications ?? mostOfTenant)
  for (const line of beyond) {
    if (await removeDeleted(writing.tx, line.id)) await recordPurge(deps, writing, line, 'room')
  }
}

/**
 * Deletes one for good before its time. Throws DirectoryRefusal (ApplicationNotFound) for one that cannot be restored,
 * and StoreUnavailable.
 */
export async function purgeDeleted(
  deps: DirectoryWrites,
  which: { id: string; tenantId: string | undefined },
): Promise<void> {
  await write(deps, async (writing) => {
    const row = await readDeleted(writing.tx, { ...which, ...momentOf(deps, writing) })
    if (row === undefined || !(await removeDeleted(writing.tx, row.id))) throw noDeleted()
    await recordPurge(deps, writing, row, 'request')
  })
}

/**
 * Deletes for good whose time is over, in transactions of a hundred: what they were told when they were deleted, or the
 * setting of now, whichever ends first. Throws StoreUnavailable.
 */
export async function purgeOverdue(deps: DirectoryWrites, store: Pick<Store, 'reader'>): Promise<void> {
  for (let rows = batch; rows === batch; ) {
    const overdue = await listOverdue(store.reader, momentOf(deps, { nowMs: deps.now() }), batch)
    rows = overdue.length
    if (rows === 0) return
    await write(deps, async (writing) => {
      const moment = momentOf(deps, writing)
      // Looked at again: an instance whose clock is behind may have restored it, and it may have been deleted again.
      for (const line of overdue) {
        if (await removeOverdue(writing.tx, line.id, moment)) await recordPurge(deps, writing, line, 'time')
      }
    })
  }
}

/** For one that is not there, or no longer. */
export function noDeleted(): DirectoryRefusal {
  return new DirectoryRefusal('ApplicationNotFound', 'There is no such deleted application.')
}

/** `request`: somebody wanted it; `time`: it could have been restored until now; `room`: newer ones took its place. */
async function recordPurge(
  deps: DirectoryWrites,
  { tx }: Writing,
  { id, name, tenant_id: tenantId }: Pick<DeletedLine, 'id' | 'name' | 'tenant_id'>,
  why: 'request' | 'time' | 'room',
): Promise<void> {
  await appendAudit(deps, tx, { event: 'application.purged', applicationId: id, tenantId, details: { name, why } })
}
