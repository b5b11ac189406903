// A directory on a Store of its own in a temporary folder, with a catalogue and, on request, a registered application.

import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { managementPermissions } from '../../../src/config/routes/management-permissions.js'
import type { Catalogue, PermissionDefinition } from '../../../src/config/settings/settings.js'
import { type RegistrationInput, registerApplication } from '../../../src/directory/applications/registration.js'
import { withdrawInTransaction } from '../../../src/directory/consents/admin-consent.js'
import { createDirectory } from '../../../src/directory/directory.js'
import { documentPermissions } from '../../../src/directory/documents/document-registration.js'
import { createLiveCatalogue } from '../../../src/directory/permissions/live-catalogue.js'
import { createAssignedPlans } from '../../../src/directory/plans/assigned-plans.js'
import type { Directory, Registration } from '../../../src/directory/records.js'
import { createTenant } from '../../../src/directory/tenants/tenants.js'
import { type DirectoryWrites, write } from '../../../src/directory/writes.js'
import { createLedger } from '../../../src/ledger/chain.js'
import { createLedgerKeys, type LedgerKeys } from '../../../src/ledger/ledger-keys.js'
import type { AssignedPlans } from '../../../src/limits/effective-plan.js'
import { createEmbeddedFeed } from '../../../src/storage/changes/embedded-feed.js'
import type { Feed, Follower } from '../../../src/storage/changes/feed.js'
import type { Store } from '../../../src/storage/sql/store.js'
import { createToolDefinitions, type ToolDefinitions } from '../../../src/tool-definitions/tool-definitions.js'
import { quickFolder } from '../storage/quick-folder.js'
import { openNewStore } from '../storage/temporary-store.js'

export const baseUrl = 'https://portcullis.test'
/** The own API, as in contract §3. */
export const ownResource = `${baseUrl}/api/v2`
export const otherResource = 'https://things.test'

/** What `t` of tap offers and this file needs. */
interface Test {
  testdir(): string
  teardown(work: () => unknown): void
}

export interface DirectoryApp {
  /** Where the Store's file is. */
  folder: string
  store: Store
  feed: Feed
  directory: Directory & Follower
  assignedPlans: AssignedPlans
  toolDefinitions: ToolDefinitions
  writes: DirectoryWrites
  /** Of the ledger that `writes` appends to. */
  ledgerKeys: LedgerKeys
  peppers: readonly Uint8Array[]
  catalogue: Catalogue
  /** Moves the clock that everything here reads. */
  clock: { nowMs: number }
  now: () => number
  /** A web application (unless `more` says otherwise) in a new tenant, consented to User.Read.All and assets_read. */
  registerDemo(
    more?: Partial<RegistrationInput>,
  ): Promise<{ registration: Registration; secret: string; keyId: string; tenantId: string }>
}

/** Opens everything and tears it down with the test. `followers` are added to the Feed after the directory. */
export async function openDirectory(
  t: Test,
  options: {
    followers?: (testApp: { store: Store; feed: Feed }) => readonly Follower[]
    capacity?: number
    /** Opens the Store, which is then closed with the test; a file in `folder` unless given. */
    openStore?: (() => Promise<Store>) | undefined
  } = {},
): Promise<DirectoryApp> {
  const clock = { nowMs: Date.UTC(2026, 10, 21, 10) }
  const now = () => clock.nowMs
  const folder = quickFolder(t)
  const store = await (options.openStore?.() ?? openNewStore(join(folder, 'portcullis.db')))
  const feed = createEmbeddedFeed({ store, pollMs: 50, now, monotonic: () => performance.now() })
  t.teardown(async () => {
    await feed.stop()
    await store.close()
  })
  const catalogue = createLiveCatalogue(testCatalogue(), store)
  const directory = createDirectory({
    ...{ store, capacity: options.capacity ?? 500 },
    documentPermissions: () => documentPermissions(catalogue),
  })
  feed.follow(directory)
  feed.follow(catalogue)
  const ledgerKeys = createLedgerKeys([randomBytes(32)])
  const ledger = createLedger({ keys: ledgerKeys, now })
  const assignedPlans = createAssignedPlans()
  feed.follow(assignedPlans)
  const toolDefinitions = createToolDefinitions({
    ...{ store, feed, ledger, now, onChanged() {}, onWaiting() {} },
    onError(error) {
      throw error
    },
  })
  feed.follow(toolDefinitions)
  for (const follower of options.followers?.({ store, feed }) ?? []) feed.follow(follower)
  await feed.start()
  const peppers = [randomBytes(32)]
  const writes: DirectoryWrites = {
    ...{ ledger, actor: { kind: 'operator' }, feed, now, catalogue, peppers },
    tokenLifetimeMs: 3_600_000,
    restorableMs: 30 * 86_400_000,
  }
  const registerDemo: DirectoryApp['registerDemo'] = async (more = {}) => {
    const tenantId = more.tenantId ?? (await createTenant(writes, { name: 'Contoso' })).tenantId
    const made = await registerApplication(writes, {
      name: 'demo',
      type: 'web',
      tenantId,
      permissions: ['User.Read.All', 'assets_read'].map((id) => ({
        kind: more.type === 'native' ? 'delegated' : 'application',
        resource: ownResource,
        id,
      })),
      consentBy: 'test',
      ...more,
    })
    const { secret = '', keyId = '' } = made.secret ?? {}
    return { registration: made.registration, secret, keyId, tenantId }
  }
  return {
    ledgerKeys,
    folder,
    store,
    feed,
    directory,
    assignedPlans,
    toolDefinitions,
    writes,
    peppers,
    catalogue,
    clock,
    now,
    registerDemo,
  }
}

/** Withdraws what administrators consented to, by default in the home tenant; `all` is everything there. */
export async function withdrawConsent(
  writes: DirectoryWrites,
  applicationId: string,
  consent: Parameters<typeof withdrawInTransaction>[3],
): Promise<void> {
  await write(writes, (writing) => withdrawInTransaction(writes, writing, applicationId, consent))
}

/** The contract's permissions in short, and one of another resource. */
export function testCatalogue(): Catalogue {
  const own = { id: ownResource, name: 'Portcullis', own: true }
  const other = { id: otherResource, name: 'Things', own: false }
  const define = (id: string, more: Partial<PermissionDefinition> = {}): PermissionDefinition => {
    const kinds = ['application', 'delegated'] as const
    return {
      id,
      resource: own.id,
      kinds,
      describe: `Allows ${id}.`,
      adminConsent: true,
      role: 'member',
      covers: [],
      ...more,
    }
  }
  const permissions = [
    define('User.Read', { kinds: ['delegated'], adminConsent: false }),
    define('User.Read.All'),
    define('User.ReadWrite.All', { covers: ['User.Read.All'] }),
    define('Subscription.Read.All'),
    define('Subscription.ReadWrite.All', { covers: ['Subscription.Read.All'] }),
    define('assets_read'),
    define('assets_create'),
    define('assets_delete'),
    define('things_read', { resource: other.id, kinds: ['application'] }),
    ...managementPermissions(own.id),
  ]
  const find: Catalogue['find'] = (kind, resource, id) =>
    permissions.find((each) => each.kinds.includes(kind) && each.resource === resource && each.id === id)
  const resourcesOf: Catalogue['resourcesOf'] = (id) =>
    permissions.filter((each) => each.id === id).map((each) => each.resource)
  const satisfying: Catalogue['satisfying'] = (kind, resource, id) =>
    permissions
      .filter((each) => each.kinds.includes(kind) && each.resource === resource)
      .filter((each) => each.id === id || each.covers.includes(id))
      .map((each) => each.id)
  const resources = new Map([own, other].map((each) => [each.id, each]))
  return { own, language: 'en', resources, permissions, find, resourcesOf, satisfying }
}
