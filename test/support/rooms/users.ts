// People on a Store of their own: the room's collaborators, a tenant, and short ways to somebody who can sign in.

import { randomBytes, randomUUID } from 'node:crypto'
import type { Role, Settings } from '../../../src/config/settings/settings.js'
import { createTenant } from '../../../src/directory/tenants/tenants.js'
import type { Attempt } from '../../../src/ledger/ledger.js'
import { deriveKey } from '../../../src/oauth/secrets/derived-key.js'
import { createRevocationView, type RevocationFollower } from '../../../src/revocation/revocation-view.js'
import { createInProcessCounters } from '../../../src/storage/counters/in-process.js'
import type { User } from '../../../src/users/records.js'
import { createUserWrites, type UserWrites } from '../../../src/users/writes.js'
import { createKnownUser } from '../people/known-password.js'
import { baseUrl, type DirectoryApp, openDirectory } from './directory.js'

export const goodPassword = 'seven unrelated green words'

const plainBrand: Settings['brand'] = {
  ...{ name: 'Portcullis', accent: undefined, accentDark: undefined, logo: undefined, logoDark: undefined },
  ...{ terms: undefined, privacy: undefined, support: undefined },
}

export interface UsersApp extends DirectoryApp {
  users: UserWrites
  view: RevocationFollower
  tenantId: string
  /** What was noted of failed attempts. */
  noted: Attempt[]
  /** The events of the ledger, oldest first. */
  events(): Promise<{ event: string; userId: string | null; details: string }[]>
  /** Somebody with `goodPassword`, in the tenant unless the role is `null`. */
  person(name: string, role?: Role | null): Promise<User>
  /** A grant of that person in that tenant, for an application of its own; its id. */
  grantFor(userId: string, tenantId?: string): Promise<string>
}

/** Opens everything and tears it down with the test. The limits are those of the configuration's defaults. */
export async function openUsers(
  t: { testdir(): string; teardown(work: () => unknown): void },
  options: { signIn?: Partial<Settings['signIn']>; mail?: Settings['mail'] } = {},
): Promise<UsersApp> {
  const views: RevocationFollower[] = []
  const testApp = await openDirectory(t, {
    followers: ({ feed }) => {
      views.push(createRevocationView({ feed, staleAfterMs: 60_000, horizonMs: 7_200_000 }))
      return views
    },
  })
  const noted: UsersApp['noted'] = []
  const master = randomBytes(32)
  const minute = 60_000
  const users = createUserWrites(testApp.writes, {
    store: testApp.store,
    derive: (purpose) => [deriveKey(master, purpose)],
    settings: {
      server: { baseUrl },
      mail: options.mail,
      brand: plainBrand,
      signIn: {
        ...{
          sessionIdleMs: 8 * 60 * minute,
          sessionMs: 7 * 24 * 60 * minute,
          passwordLength: 12,
          breachedPasswords: '',
        },
        perAccount: { limit: 10, periodMs: minute },
        perAddress: { limit: 60, periodMs: minute },
        overall: { limit: 600, periodMs: minute },
        deviceCodes: 'applications',
        language: 'en',
        recentMs: 600_000,
        administrators: 'any',
        secondFactor: { required: new Set(), graceMs: 0 },
        providers: new Map(),
        ...options.signIn,
      },
    },
    activity: { note: (event) => void noted.push(event), flush: async () => {} },
    counters: createInProcessCounters(),
    monotonic: () => testApp.clock.nowMs,
  })
  const { tenantId } = await createTenant(testApp.writes, { name: 'Contoso' })
  return {
    ...testApp,
    users,
    view: views[0] as RevocationFollower,
    tenantId,
    noted,
    async events() {
      const rows = await testApp.store.reader.selectFrom('ledger').selectAll().orderBy('position').execute()
      return rows.map((row) => ({ event: row.event, userId: row.user_id, details: row.details }))
    },
    person: (name, role = 'member') =>
      createKnownUser(users, {
        email: `${name.toLowerCase()}@example.test`,
        name: `${name} Example`,
        password: goodPassword,
        ...(role === null ? {} : { membership: { tenantId, role } }),
      }),
    async grantFor(userId, inTenant = tenantId) {
      const id = randomUUID()
      await testApp.store.transaction((tx) =>
        tx
          .insertInto('grants')
          .values({
            ...{ id, origin: 'code', user_id: userId, application_id: randomUUID(), tenant_id: inTenant },
            ...{ resource: 'r', permissions: 'p', openid_scopes: '', client_identifier: '', authentication: '{}' },
            ...{ state: 'active', created_at: 1, ended_at: null, refresh_sequence: 0 },
            ...{ idle_expires_at: 0, expires_at: 0 },
          })
          .execute(),
      )
      return id
    },
  }
}
