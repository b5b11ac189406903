// What grows: for each dimension how a server gets its population, and what is requested of it.

import type { Variant } from '../servers.js'
import { guid, type Population, populate } from './population.js'

export interface Dimension {
  name: string
  /** Units of the small case and of the large one. */
  small: number
  large: number
  /** What a server with so many is started with. */
  variant(units: number): Variant
  /** Different tokens, and routes, that the calls of the gate use in turn. */
  tokens?(units: number): number
  routes?(units: number): number
  /** Rows that a list has, read to its end through the management API. */
  list?: string
  /** The ledger is verified, too. */
  isVerified?: boolean
}

const inStore = (fill: (population: Population, units: number) => void) => (units: number) => ({
  populate: (file: string, masterKey: Uint8Array) => populate(file, masterKey, (population) => fill(population, units)),
})

/** The bench application, copied with its secret, permissions and consent. */
function applications(into: Population, count: number): void {
  const id = guid(1)
  const named = { name: "'bench ' || n", name_key: "printf('bench %012d', n)" }
  into.copies('applications', "name = 'bench'", count, { id, public_key: "printf('pcl_pk_%032d', n)", ...named })
  into.copies('application_secrets', '1', count, { key_id: "printf('bench%08d', n)", application_id: id })
  const ofApplication = "application_id = (SELECT id FROM applications WHERE name = 'bench')"
  for (const table of ['installations', 'configured_permissions', 'permission_grants'])
    into.copies(table, ofApplication, count, { application_id: id })
}

function tenants(into: Population, count: number): void {
  into.copies('tenants', '1', count, { id: guid(2), name: "'tenant ' || n" })
}

const later = '9999999999999'
const now = String(Date.now())

/** Everything that the growth table has a row for. */
export const dimensions: readonly Dimension[] = [
  { name: 'tokens', small: 1, large: 5_000, variant: () => ({ cacheEntries: 20_000 }), tokens: (units) => units },
  { name: 'routes', small: 10, large: 5_000, variant: (units) => ({ routes: units }), routes: (units) => units },
  { name: 'applications', small: 100, large: 100_000, variant: inStore(applications), list: '/applications' },
  {
    name: 'tenants',
    small: 10,
    large: 10_000,
    variant: inStore(tenants),
    list: '/tenants',
  },
  {
    name: 'grants',
    small: 1_000,
    large: 1_000_000,
    variant: inStore((into, units) => {
      const application_id = "(SELECT id FROM applications WHERE name = 'bench')"
      const tenant_id = "(SELECT tenant_id FROM applications WHERE name = 'bench')"
      const ends = { idle_expires_at: later, expires_at: later, created_at: now }
      const what = { origin: "'code'", state: "'active'", permissions: "'assets_read'", authentication: "'{}'" }
      into.rows('grants', units, { id: guid(3), user_id: guid(4), application_id, tenant_id, ...what, ...ends })
    }),
  },
  {
    name: 'revocations',
    small: 0,
    large: 100_000,
    variant: inStore((into, units) =>
      into.rows('revocations', units, {
        // Spread as ids are by chance: neighbours would be a table's easiest case.
        id: "printf('%08x-0000-4000-8000-%012x', (n * 2654435761) & 4294967295, n * 2654435761)",
        what: "'token'",
        seq: '1',
        at: now,
        expires_at: String(Date.now() + 3_000_000),
      }),
    ),
  },
  {
    name: 'webhooks',
    small: 0,
    large: 10_000,
    variant: inStore((into, units) => {
      tenants(into, units)
      into.rows('webhooks', units, {
        id: guid(5),
        tenant_id: guid(2),
        url: "'https://hooks.example/' || n",
        events: `'["application.created"]'`,
        enabled: '1',
        created_at: now,
        updated_at: now,
      })
    }),
  },
  {
    name: 'ledger',
    small: 100_000,
    large: 1_000_000,
    variant: inStore((into, units) => into.ledger(units)),
    list: '/auditEvents',
    isVerified: true,
  },
]
