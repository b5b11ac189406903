// Withdrawing some of what a person allowed an application (C9): the rest stays. In one transaction the consents go,
// every grant forgets for good what it had of them, and the access tokens that are out are refused. Refresh tokens live
// on and give what is left (RFC 6749 §6), so the application goes on without its person.

import { appendAudit } from '../../ledger/append-audit.js'
import { holderId } from '../../revocation/holder.js'
import { deleteNamedConsents } from '../../storage/sql/consents/user-consents.js'
import { changeGrantsWith, type GrantContent, listGrantContents } from '../../storage/sql/grants/grants-of-holder.js'
import { readInstallations } from '../../storage/sql/registrations/installations.js'
import type { PermissionRef } from '../records.js'
import { DirectoryRefusal } from '../refusal.js'
import { toInstallation } from '../rows.js'
import { type DirectoryWrites, recordRevocations, type Writing, write } from '../writes.js'
import { notOver } from './consent-end.js'
import { includesPermission, openidResource } from './consent-rules.js'
import { listConsents, type UserConsent } from './consents.js'
import { remainingWords } from './remaining-words.js'
import { type Withdrawn, withdrawUserConsent } from './withdrawal.js'

interface Holder {
  userId: string
  applicationId: string
  tenantId: string
}

/**
 * Withdraws the permissions, as far as the person allowed them: of two clicks the second finds nothing to do. When
 * nothing is left, by the person or by an administrator, everything is withdrawn. Throws DirectoryRefusal
 * (ConsentOfTenant) for what an administrator allowed for everybody, StoreUnavailable.
 */
export async function withdrawUserPermissions(
  deps: DirectoryWrites,
  { permissions, ...holder }: Holder & { permissions: readonly PermissionRef[] },
): Promise<Withdrawn> {
  return write(deps, async (writing) => {
    const { tx, nowMs } = writing
    const [installed] = await readInstallations(tx, holder.applicationId, holder.tenantId)
    const forEverybody = installed === undefined ? [] : toInstallation(installed).granted
    const delegated = forEverybody.filter(({ kind }) => kind === 'delegated')
    for (const one of permissions) if (includesPermission(delegated, one)) throw ofTenant(one)
    const consents = await listConsents(tx, holder)
    const taken = consents.filter((one) => includesPermission(permissions, one))
    const rest = notOver(consents, nowMs).filter((one) => !includesPermission(taken, one))
    if (taken.length === 0) return { permissions: 0, grants: 0 }
    if (rest.length === 0 && delegated.length === 0) return withdrawUserConsent(deps, holder, writing)
    return { permissions: taken.length, grants: await withdrawSome(deps, writing, holder, taken) }
  })
}

/** How many grants had nothing else. */
async function withdrawSome(
  deps: DirectoryWrites,
  writing: Writing,
  holder: Holder,
  taken: readonly UserConsent[],
): Promise<number> {
  const { userId: user_id, applicationId: application_id, tenantId: tenant_id } = holder
  const named = taken.map(({ resource, id }) => ({ resource, permission_id: id }))
  await deleteNamedConsents(writing.tx, { user_id, application_id, tenant_id }, named)
  const ended = await narrowGrants(writing, holder, taken)
  // By the holder, not by each grant: one entry, however many there are, and tokens that were exchanged end with it.
  await recordRevocations(deps, writing, [{ what: 'holder', id: holderId(holder) }])
  if (ended > 0) {
    const details = { reason: 'consent-withdrawn', grants: ended }
    await appendAudit(deps, writing.tx, { event: 'grant.ended', ...holder, details })
  }
  const removed = taken.map(({ kind, resource, id }) => ({ kind, resource, id }))
  await appendAudit(deps, writing.tx, { event: 'consent.withdrawn', ...holder, details: { removed, partly: true } })
  return ended
}

async function narrowGrants({ tx, nowMs }: Writing, holder: Holder, taken: readonly PermissionRef[]): Promise<number> {
  let ended = 0
  for (const content of await listGrantContents(tx, holder)) {
    const withdrawn = withdrawnFrom(content, taken)
    if (withdrawn === undefined) continue
    const change = isEmpty(content, withdrawn) ? { state: 'ended' as const, ended_at: nowMs } : { withdrawn }
    const changed = await changeGrantsWith(tx, holder, content, change)
    if ('state' in change) ended += changed
  }
  return ended
}

/** All that was taken from it, in the order of what was granted; undefined: it had nothing of this. */
function withdrawnFrom(content: GrantContent, taken: readonly PermissionRef[]): string | undefined {
  const { resource, permissions, openid_scopes: openid, withdrawn } = content
  const isTaken = (of: string) => (id: string) => includesPermission(taken, { kind: 'delegated', resource: of, id })
  const now = [
    ...remainingWords(permissions, withdrawn).filter(isTaken(resource)),
    ...remainingWords(openid, withdrawn).filter(isTaken(openidResource)),
  ]
  return now.length === 0 ? undefined : [...remainingWords(withdrawn), ...now].join(' ')
}

/** A grant for an API is nothing without a permission, one for signing in nothing without `openid`. */
function isEmpty({ permissions, openid_scopes: openid }: GrantContent, withdrawn: string): boolean {
  if (permissions === '') return !remainingWords(openid, withdrawn).includes('openid')
  return remainingWords(permissions, withdrawn).length === 0
}

function ofTenant({ id }: PermissionRef): DirectoryRefusal {
  const message = `An administrator allowed ${id} for everybody in the tenant: a person cannot withdraw it.`
  return new DirectoryRefusal('ConsentOfTenant', message, 'permissions')
}
