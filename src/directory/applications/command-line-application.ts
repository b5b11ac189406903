// The application that `portcullis login` signs in as (decision 65). It is part of the product: made when it is
// missing, brought up to date when the product is, and nobody's to change. It belongs to the oldest tenant and may be
// used in any; in each an administrator consents first, as with every application, because of what its permissions are.

import { managementPermissions } from '../../config/routes/management-permissions.js'
import { appendAudit } from '../../ledger/append-audit.js'
import { commandLineClient } from '../../oauth/command-line-client.js'
import { createPublicKey } from '../../oauth/secrets/client-identifier.js'
import { replaceConfiguredPermissions, replaceRedirectUris } from '../../storage/sql/registrations/application-lists.js'
import { insertApplication, readApplications } from '../../storage/sql/registrations/applications.js'
import { insertInstallation } from '../../storage/sql/registrations/installations.js'
import { listTenants } from '../../storage/sql/registrations/tenants.js'
import { type Statements, type Store, StoreUnavailable } from '../../storage/sql/store.js'
import { registered } from '../ledger-events.js'
import { toRegistration } from '../rows.js'
import { type DirectoryWrites, recordApplication, requireApplication, type Writing, write } from '../writes.js'
import { changeOptions, defaultOptions } from './registration-options.js'

const { applicationId, name, redirectUri } = commandLineClient

/** Makes or fixes it, where there is a tenant. Others may hear of it later. Throws StoreUnavailable. */
export async function ensureCommandLineApplication(deps: DirectoryWrites, store: Store): Promise<void> {
  const isDone = () => store.snapshot((tx) => isAsItShouldBe(deps, tx))
  if (await isDone()) return
  await write(deps, (writing) => ensureInTransaction(deps, writing)).catch(async (error: unknown) => {
    if (!(error instanceof StoreUnavailable) || !(await isDone())) throw error
  })
}

/** The same inside a transaction of the caller's. */
export async function ensureInTransaction(deps: DirectoryWrites, writing: Writing): Promise<void> {
  const { tx, nowMs } = writing
  if (await isAsItShouldBe(deps, tx)) return
  const [tenant] = await listTenants(tx, 1)
  if (tenant === undefined) return
  const [before] = await readApplications(tx, 'id', applicationId)
  if (before === undefined) {
    const { columns } = changeOptions(defaultOptions('native'), { publisher: 'Portcullis', verified: true })
    await insertApplication(tx, {
      id: applicationId,
      public_key: createPublicKey(),
      name,
      ...columns,
      created_by: '',
      redirect_epochs: '',
      tenant_id: tenant.id,
      type: 'native',
      state: 'enabled',
      audience: 'any',
      created_at: nowMs,
      updated_at: nowMs,
    })
    await insertInstallation(tx, { application_id: applicationId, tenant_id: tenant.id, created_at: nowMs })
    await replaceRedirectUris(tx, applicationId, 'redirect', [redirectUri])
  }
  await replaceConfiguredPermissions(tx, applicationId, permissionsOf(deps))
  const record = await requireApplication(writing, applicationId)
  recordApplication(writing, record.application)
  if (before === undefined)
    await appendAudit({ ledger: deps.ledger, actor: { kind: 'system' } }, tx, registered(toRegistration(record)))
}

async function isAsItShouldBe(deps: DirectoryWrites, reader: Statements): Promise<boolean> {
  const [record] = await readApplications(reader, 'id', applicationId)
  if (record === undefined) return (await listTenants(reader, 1)).length === 0
  const has = new Set(record.configured.map(({ resource, permission_id: id }) => `${resource} ${id}`))
  const wanted = permissionsOf(deps)
  return has.size === wanted.length && wanted.every(({ resource, permission_id: id }) => has.has(`${resource} ${id}`))
}

/** All of the management API that people can have; what each may use is a question of their role. */
function permissionsOf({ catalogue }: Pick<DirectoryWrites, 'catalogue'>) {
  return managementPermissions(catalogue.own.id)
    .filter(({ kinds }) => kinds.includes('delegated'))
    .map(({ id, resource }) => ({ kind: 'delegated' as const, resource, permission_id: id }))
}
