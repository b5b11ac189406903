// The registrations in memory: what the token path reads, without a statement for what was read before. The room owns
// applications, secrets, permissions, installations, consents and tenants; it knows nothing of requests. Reads are
// here, cached and kept right by the change log; writes are in registration.ts, secrets.ts, permissions.ts and
// tenants.ts, each one transaction of rows and their change. What a disabled application means is for those who ask to
// decide.

import { browserOrigins } from '../oauth/requests/browser-origin.js'
import { parseClientIdentifier } from '../oauth/secrets/client-identifier.js'
import { parseGuid } from '../oauth/secrets/guid.js'
import type { Change, Follower } from '../storage/changes/feed.js'
import { readApplications } from '../storage/sql/registrations/applications.js'
import { readInstallations } from '../storage/sql/registrations/installations.js'
import { listBrowserRedirectUris } from '../storage/sql/registrations/redirect-origins.js'
import { readTenant } from '../storage/sql/registrations/tenants.js'
import type { Statements, Store } from '../storage/sql/store.js'
import { createSecretUse } from './credentials/secret-use.js'
import { createGuardedCache } from './guarded-cache.js'
import type { Directory, Installation, PermissionRef, Registration, Tenant } from './records.js'
import { toInstallation, toRegistration, toTenant } from './rows.js'
import { readToolRules, type TenantToolRules } from './tools/tool-rules.js'

const defaultCapacity = 10_000

/**
 * The cached directory. Add it to the Feed before start(). `capacity` bounds each of its caches; `documentPermissions`
 * says what clients that nobody registered may ask for at the moment, nothing when absent.
 */
export function createDirectory(options: {
  store: Store
  capacity?: number
  documentPermissions?: () => readonly PermissionRef[]
}): Directory & Follower {
  const { store, capacity = defaultCapacity, documentPermissions = () => [] } = options
  const configure = configuredByDocument(documentPermissions)
  const use = createSecretUse(store)
  const registrations = createGuardedCache<Registration>({ capacity, load: (id) => loadRegistration(store, 'id', id) })
  /** Public key to application identifier: a pair never changes, so only "there is none" is ever forgotten. */
  const publicKeys = createGuardedCache<string>({
    capacity,
    load: async (publicKey) => (await loadRegistration(store, 'public_key', publicKey))?.applicationId,
  })
  const installations = createGuardedCache<Installation>({ capacity, load: (key) => loadInstallation(store, key) })
  /** All of them at once: a flood of invented origins meets a set in memory, and no statement. */
  const origins = createGuardedCache<ReadonlySet<string>>({
    capacity: 1,
    load: async () => browserOrigins(await listBrowserRedirectUris(store.reader), 'native'),
  })
  const tenants = createGuardedCache<Tenant>({ capacity, load: (id) => loadTenant(store, id) })

  const toolRules = createGuardedCache<TenantToolRules>({
    capacity,
    load: (id) => store.snapshot((tx) => readToolRules(tx, id)),
  })

  const findByPublicKey = async (publicKey: string) => {
    const applicationId = await publicKeys.find(publicKey)
    return applicationId === undefined ? undefined : registrations.find(applicationId)
  }

  return {
    name: 'directory',
    async load(_snapshot: Statements): Promise<void> {
      for (const cache of [registrations, publicKeys, installations, tenants, toolRules, origins])
        cache.forget(() => true)
    },
    apply({ entry }: Change): void {
      if (entry.kind === 'tenant')
        for (const cache of [tenants, toolRules]) cache.forget((key) => key === entry.tenantId)
      if (entry.kind !== 'application') return
      origins.forget(() => true)
      registrations.forget((key) => key === entry.applicationId)
      publicKeys.forget(() => false)
      installations.forget((key) => key.startsWith(`${entry.applicationId} `))
    },
    findRegistration(clientIdentifier) {
      const applicationId = parseGuid(clientIdentifier)
      if (applicationId !== undefined) {
        const found = registrations.find(applicationId)
        return found instanceof Promise ? found.then(configure) : configure(found)
      }
      const publicKey = parseClientIdentifier(clientIdentifier)
      return publicKey === undefined ? undefined : findByPublicKey(publicKey)
    },
    findInstallation(applicationId, tenantId) {
      const [application, tenant] = [parseGuid(applicationId), parseGuid(tenantId)]
      if (application === undefined || tenant === undefined) return undefined
      return installations.find(`${application} ${tenant}`)
    },
    findTenant(tenantId) {
      const tenant = parseGuid(tenantId)
      return tenant === undefined ? undefined : tenants.find(tenant)
    },
    findToolRules(tenantId) {
      // A token names its tenant as it is kept, so nothing has to be parsed for a call of a tool.
      const kept = toolRules.kept(tenantId)
      if (kept !== undefined) return kept
      const tenant = parseGuid(tenantId)
      return tenant === undefined ? undefined : toolRules.find(tenant)
    },
    isBrowserOrigin: async (origin) => (await origins.find('all'))?.has(origin) === true,
    noteSecretUse: use.note,
    flush: use.flush,
  }
}

/**
 * What clients that nobody registered may ask for is what the configuration says now, not what it said when they were
 * allowed; the same record for as long as that stays the same.
 */
function configuredByDocument(documentPermissions: () => readonly PermissionRef[]) {
  const made = new WeakMap<Registration, Registration>()
  return (found: Registration | undefined): Registration | undefined => {
    if (found?.document === undefined) return found
    const configured = documentPermissions()
    const before = made.get(found)
    if (before?.configured === configured) return before
    const now = { ...found, configured }
    made.set(found, now)
    return now
  }
}

async function loadRegistration(store: Store, column: 'id' | 'public_key', value: string) {
  const [record] = await store.snapshot((tx) => readApplications(tx, column, value))
  return record === undefined ? undefined : toRegistration(record)
}

async function loadInstallation(store: Store, key: string): Promise<Installation | undefined> {
  const [applicationId = '', tenantId = ''] = key.split(' ')
  const [record] = await store.snapshot((tx) => readInstallations(tx, applicationId, tenantId))
  return record === undefined ? undefined : toInstallation(record)
}

async function loadTenant(store: Store, id: string): Promise<Tenant | undefined> {
  const row = await store.snapshot((tx) => readTenant(tx, id))
  return row === undefined ? undefined : toTenant(row)
}
