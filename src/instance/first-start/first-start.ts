// The first start on an empty Store, in development: a tenant, its profile and subscriptions, one application whose
// permissions are consented, so that the banner's commands work as pasted, and the link with which its first owner sets
// up an account. Production starts empty; `portcullis set-up-link` makes the link there.

import { seedTenant } from '../../backend/seed.js'
import type { Settings } from '../../config/settings/settings.js'
import { type Acting, writesAs } from '../../directory/actor.js'
import { registerApplication } from '../../directory/applications/registration.js'
import { createTenant } from '../../directory/tenants/tenants.js'
import type { DirectoryWrites, Writing } from '../../directory/writes.js'
import { countOwners } from '../../storage/sql/people/memberships.js'
import { readApplications } from '../../storage/sql/registrations/applications.js'
import { listTenants } from '../../storage/sql/registrations/tenants.js'
import { type Store, StoreUnavailable } from '../../storage/sql/store.js'
import { createLink } from '../../users/accounts/one-time-links.js'
import type { UserWrites } from '../../users/writes.js'
import { demoPermissions } from './first-call.js'

const demoApplicationName = 'hello'
const demoTenantName = 'Contoso'

export interface FirstStart {
  store: Store
  writes: DirectoryWrites
  users: UserWrites
  settings: Settings
}

/** What is shown once and kept nowhere. */
export interface Demo {
  clientId: string
  clientSecret: string
  /** Makes the first owner; once, within 24 hours. */
  setUpLink: string
}

/**
 * Makes the demo tenant and application when there is no tenant at all. All of it is one transaction under the lock of
 * the change log: of several instances that start together one makes it, and a process that dies in the middle leaves
 * nothing. That others are slow to confirm it is no reason not to start: it would be there, and its credential lost.
 * Answers the credential and the link, which are shown once and kept nowhere; undefined on every later start. Throws
 * StoreUnavailable.
 */
export async function makeFirstStart(deps: FirstStart): Promise<Demo | undefined> {
  if (deps.settings.mode === 'production') return undefined
  if ((await listTenants(deps.store.reader, 1)).length > 0) return undefined
  let made: Demo | undefined
  const done = deps.writes.feed.commit(async (tx, record) => {
    made = undefined
    if ((await listTenants(tx, 1)).length > 0) return
    const open = { tx, record, nowMs: deps.writes.now() }
    const credential = await makeDemo(writesAs(deps.writes, bySystem), open)
    const { url } = await createLink(writesAs(deps.users, bySystem), { purpose: 'set-up' }, { open })
    made = { ...credential, setUpLink: url }
  })
  await done.catch(async (error: unknown) => {
    if (!(error instanceof StoreUnavailable) || !(await isMade(deps.store, made))) throw error
  })
  return made
}

async function isMade({ reader }: Store, demo: Demo | undefined): Promise<boolean> {
  return demo !== undefined && (await readApplications(reader, 'id', demo.clientId)).length > 0
}

/** Whether anybody owns anything yet. Throws StoreUnavailable. */
export async function hasOwner(store: Store): Promise<boolean> {
  return (await countOwners(store.reader, {})) > 0
}

const bySystem: Acting = { actor: { kind: 'system' } }

async function makeDemo(writes: DirectoryWrites, open: Writing): Promise<{ clientId: string; clientSecret: string }> {
  const { catalogue } = writes
  const tenant = await createTenant(writes, { name: demoTenantName }, open)
  await seedTenant(open.tx, tenant.tenantId, open.nowMs)
  const permissions = demoPermissions(catalogue).map(({ resource, id }) => ({
    kind: 'application' as const,
    resource,
    id,
  }))
  const input = {
    name: demoApplicationName,
    type: 'web',
    tenantId: tenant.tenantId,
    permissions,
    // A file may leave everything open.
    ...(permissions.length === 0 ? {} : { consentBy: 'first start' }),
  } as const
  const { registration, secret } = await registerApplication(writes, input, { open })
  if (secret === undefined) throw new Error('the demo application got no secret')
  return { clientId: registration.applicationId, clientSecret: secret.secret }
}
