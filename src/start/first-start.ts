// The first start on an empty Store, in development: a tenant, its profile and subscriptions, and one application whose
// permissions are consented, so that the banner's commands work as pasted. Production starts empty.

import { seedTenant } from '../backend/seed.js'
import type { Settings } from '../config/settings.js'
import { registerApplication } from '../directory/registration.js'
import { createTenant } from '../directory/tenants.js'
import type { DirectoryWrites } from '../directory/writes.js'
import type { Store } from '../memory/store/store.js'
import { listTenants } from '../memory/store/tenants.js'

const demoApplicationName = 'hello'
const demoTenantName = 'Contoso'

export interface FirstStart {
  store: Store
  writes: DirectoryWrites
  settings: Settings
}

/**
 * Makes the demo tenant and application when there is no tenant at all. Answers the credential, which is shown once and
 * kept nowhere; undefined on every later start. Throws StoreUnavailable.
 */
export async function makeFirstStart(
  deps: FirstStart,
): Promise<{ clientId: string; clientSecret: string } | undefined> {
  if (deps.settings.mode === 'production') return undefined
  if ((await listTenants(deps.store.reader, 1)).length > 0) return undefined
  const tenant = await createTenant(deps.writes, { name: demoTenantName })
  await deps.store.transaction((tx) => seedTenant(tx, tenant.tenantId, deps.writes.now()))
  const permissions = deps.settings.catalogue.permissions
    .filter(
      (permission) =>
        permission.kinds.includes('application') && permission.resource === deps.settings.catalogue.own.id,
    )
    .map(({ resource, id }) => ({ kind: 'application' as const, resource, id }))
  const { registration, secret } = await registerApplication(deps.writes, {
    name: demoApplicationName,
    type: 'web',
    tenantId: tenant.tenantId,
    permissions,
    consentBy: 'first start',
  })
  if (secret === undefined) throw new Error('the demo application got no secret')
  return { clientId: registration.applicationId, clientSecret: secret.secret }
}
