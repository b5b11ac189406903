// The management calls of the ledger, page by page.

import type {
  ActivityEntries,
  AuditEvents,
  CheckpointAnswer,
  VerificationAnswer,
} from '../../management/audit/audit-schemas.js'
import { CommandFailure, exitCodes } from '../output/exit.js'
import { type LocalClient, pathOfLink } from './local-client.js'

export type AuditEvent = AuditEvents['value'][number]
export type ActivityEntry = ActivityEntries['value'][number]

/** What to ask for; absent: everything. */
export interface AuditFilter {
  tenantId?: string | undefined
  applicationId?: string | undefined
  userId?: string | undefined
  event?: string | undefined
  /** Parts of names, as people type them. */
  application?: string | undefined
  person?: string | undefined
  search?: string | undefined
  from?: string | undefined
  to?: string | undefined
  order?: 'newest' | 'oldest'
}

/** A long ledger takes a while: a million rows are about a minute. */
const patienceMs = 30 * 60_000

/** Pages of the ledger (`auditEvents`) or of the activity log, as long as there are more and the caller wants them. */
export async function* auditPages<Entry>(
  client: LocalClient,
  list: 'auditEvents' | 'activity',
  filter: AuditFilter,
  top: number,
): AsyncGenerator<Entry[]> {
  const query = new URLSearchParams({ $top: String(top) })
  for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, value)
  let path: string | undefined = `/${list}?${query}`
  while (path !== undefined) {
    const page = (await client.call('GET', path)) as { value: Entry[]; nextLink?: string }
    yield page.value
    path = page.nextLink === undefined ? undefined : pathOfLink(page.nextLink)
  }
}

/** A checkpoint of the ledger as it is; undefined for callers who are no operators. */
export async function signedCheckpoint(client: LocalClient): Promise<CheckpointAnswer | undefined> {
  try {
    return (await client.call('GET', '/auditEvents/checkpoint')) as CheckpointAnswer
  } catch (error) {
    if (error instanceof CommandFailure && error.exitCode === exitCodes.denied) return undefined
    throw error
  }
}

/** What to verify of the ledger; the fields of the call (`verificationBody`). */
export interface VerificationRequest {
  checkpoints?: readonly string[] | undefined
  from?: string | undefined
  most?: number | undefined
}

/** Verifies on the server: what the request says, which is for operators, or all of it with the server's own lines. */
export async function verifyOnServer(client: LocalClient, request?: VerificationRequest): Promise<VerificationAnswer> {
  const path = '/auditEvents/verification'
  const answer =
    request === undefined
      ? await client.call('GET', path, undefined, { patienceMs })
      : await client.call('POST', path, request, { patienceMs })
  return answer as VerificationAnswer
}
