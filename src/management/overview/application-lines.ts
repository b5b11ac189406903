// The applications of a tenant with what a list of them should say: state, kind, owners, last use, the end of the
// secret, what waits for consent. Sorted as people sort names, with a count, so that pages have numbers, whatever their
// number.

import { findApplicationLogos } from '../../directory/brands/application-logos.js'
import { needsAdministrator } from '../../directory/consents/consent-rules.js'
import { ApiError } from '../../http/answers/api-error.js'
import { parseClientIdentifier } from '../../oauth/secrets/client-identifier.js'
import {
  listApplicationRows,
  readApplicationDetails,
  readOwnerNames,
} from '../../storage/sql/overview/application-lines.js'
import { listUnconsented } from '../../storage/sql/overview/application-overview.js'
import type { ManagementDependencies } from '../dependencies.js'
import type { LinesQuery, Overview } from './overview-schemas.js'
import { refOf } from './permission-of-row.js'

const mostWaiting = 5_000
const [defaultTop, mostTop] = [50, 200]

/** Some of them; of one tenant, or without `tenantId` of all. Throws ApiError 400 and StoreUnavailable. */
export async function applicationLines(
  { store, writes, settings }: Pick<ManagementDependencies, 'store' | 'writes' | 'settings'>,
  { search = '', state, tenantId, ...query }: Omit<LinesQuery, 'tenantId'> & { tenantId: string | undefined },
): Promise<Overview<'applicationLines'>> {
  const [skip, top] = [Number(query.$skip ?? '0'), Number(query.$top ?? defaultTop)]
  if (top < 1 || top > mostTop)
    throw new ApiError(400, 'InvalidRequest', `$top is 1 to ${mostTop}.`, { target: '$top' })
  const nowMs = writes.now()
  return store.snapshot(async (tx) => {
    const wanted = { tenantId, state, search, identifier: parseClientIdentifier(search) }
    const { count, rows } = await listApplicationRows(tx, wanted, { skip, limit: top })
    const ids = rows.map(({ id }) => id)
    const details = await readApplicationDetails(tx, ids, nowMs)
    const owners = await readOwnerNames(tx, ids)
    const logos = await findApplicationLogos(tx, ids)
    const unconsented = ids.length === 0 ? [] : await listUnconsented(tx, { tenantId, ids }, mostWaiting)
    const waiting = unconsented.filter((one) => needsAdministrator(settings.catalogue, refOf(one)))
    return {
      count,
      value: rows.map((row) => {
        const more = details.get(row.id)
        return {
          applicationId: row.id,
          publicKey: row.public_key,
          name: row.name,
          kind: row.type === 'native' ? 'native' : more?.hasRedirectUris === true ? 'web' : 'server',
          state: row.state === 'disabled' ? 'disabled' : 'enabled',
          createdAt: time(Number(row.created_at)),
          lastUsedAt: more?.lastUsedAt === undefined ? null : time(more.lastUsedAt),
          hasSecrets: row.type !== 'native' && row.auth_method === 'secret',
          secretEndsAt: more?.secretEndsAt === undefined ? null : time(more.secretEndsAt),
          waitingPermissions: waiting.filter((one) => one.application_id === row.id).length,
          owners: [...(owners.get(row.id) ?? [])],
          logo: logos.get(row.id) ?? null,
        }
      }),
    }
  })
}

function time(ms: number): string {
  return new Date(ms).toISOString()
}
