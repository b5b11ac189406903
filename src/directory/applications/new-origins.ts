// Redirect origins that came after a registration, until an administrator has looked at them (contract §8, decision
// 84): the holder of one of them gets proof of who signed in, so telling of it is not left to the person who added it.

import { appendAudit } from '../../ledger/append-audit.js'
import {
  deleteNewOrigins,
  keepNewestOrigins,
  type NewOriginRow,
  putNewOrigin,
  readNewOrigins,
} from '../../storage/sql/registrations/redirect-origins/new-origins.js'
import type { Statements } from '../../storage/sql/store.js'
import { type DirectoryWrites, requireApplication, type Writing, write } from '../writes.js'

export interface NewOrigin {
  applicationId: string
  applicationName: string
  /** Scheme, host and port; of a private-use scheme, the scheme. */
  origin: string
  /** The id of the person or application that added it; empty: the local socket. */
  addedBy: string
  /** Epoch ms. */
  addedAt: number
}

/** Of one application, of those that it uses no more; the ledger knows all. */
const mostKept = 100
const mostListed = 1000

/**
 * As part of the change that adds them. What people are sent to stays listed however many come after it: nobody hides
 * one behind a hundred others.
 */
export async function noteNewOrigins(
  { actor }: Pick<DirectoryWrites, 'actor'>,
  { tx, nowMs }: Writing,
  { applicationId, tenantId }: { applicationId: string; tenantId: string },
  { added, all }: { added: readonly string[]; all: readonly string[] },
): Promise<void> {
  if (added.length === 0) return
  const by = actor.kind === 'user' ? actor.userId : actor.kind === 'application' ? actor.applicationId : ''
  for (const origin of added) {
    const about = { application_id: applicationId, tenant_id: tenantId, origin }
    await putNewOrigin(tx, { ...about, added_by: by, added_at: nowMs, told_at: null })
  }
  await keepNewestOrigins(tx, applicationId, { most: mostKept, inUse: all })
}

/** Those of a tenant or of one application, the newest first. Throws StoreUnavailable. */
export async function listNewOrigins(
  statements: Statements,
  of: { tenantId: string } | { applicationId: string },
): Promise<NewOrigin[]> {
  return (await readNewOrigins(statements, of, mostListed)).map(toNewOrigin)
}

/**
 * (ApplicationNotFound) and StoreUnavailable.
 */
export async function dismissNewOrigins(deps: DirectoryWrites, applicationId: string, until: number): Promise<void> {
  await write(deps, async (writing) => {
    const { application } = await requireApplication(writing, applicationId)
    const origins = await deleteNewOrigins(writing.tx, { applicationId: application.id, until })
    if (origins.length === 0) return
    const about = { applicationId: application.id, tenantId: application.tenant_id }
    await appendAudit(deps, writing.tx, {
      event: 'application.redirect-origins-dismissed',
      ...about,
      details: { origins },
    })
  })
}

function toNewOrigin({ application_id, name, origin, added_by, added_at }: NewOriginRow & { name: string }): NewOrigin {
  return {
    applicationId: application_id,
    applicationName: name,
    origin,
    addedBy: added_by,
    addedAt: Number(added_at),
  }
}
