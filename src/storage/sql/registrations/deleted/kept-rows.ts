// Which rows of an application wait while it can be restored, and which end with its deletion. A test holds every table
// that names applications to one of the two lists.

import { countUserConsents } from '../../consents/consent-counts.js'
import type { Statements } from '../../store.js'

/** What comes back. Of permission_grants only the home tenant's: other tenants decide again. */
export const keptTables = [
  'redirect_uris',
  'configured_permissions',
  'application_owners',
  'application_secrets',
  'client_registrations',
  'federated_credentials',
  'application_plans',
  'application_brands',
  'brand_logos',
  'new_redirect_origins',
  'permission_grants',
] as const
export type KeptTable = (typeof keptTables)[number]

/** What does not, and why. */
export const endedTables: Readonly<Record<string, string>> = {
  installations: 'that of its home tenant is made again; other tenants decide again',
  user_consents: 'people are prompted again',
  token_exchanges: 'what it got for people has ended',
  redirect_confirmations: 'people are prompted again',
  consent_requests: 'they are sent again',
  plan_requests: 'it is sent again',
  client_documents: 'such an application comes back when somebody allows it again',
  grants: 'they have ended; what was issued stays refused',
  authorization_codes: 'they have ended with their grants',
  refresh_tokens: 'they have ended with their grants',
  device_codes: 'they live for minutes',
  call_approvals: 'they live for minutes',
  pending_requests: 'they live for minutes',
  permission_usage: 'counting begins again',
  route_usage: 'counting begins again',
  pkce_usage: 'counting begins again',
  history: 'minutes and hours of what was called, not of what it is',
  secret_warnings: 'a secret that ends soon is reported again',
  recorded_decisions: 'they are about what was decided then',
  ledger: 'what was done stays',
  activity: 'what was tried stays for as long as anything tried',
  revocations: 'what was refused stays refused',
}

type Row = Readonly<Record<string, unknown>>

/** What an application held when it was deleted, and does not get back: who restores it is judged by it. */
export interface HeldAtDeletion {
  /** What administrators had granted it, and in how many tenants. */
  granted: readonly { kind: string; resource: string; permission_id: string; tenants: number }[]
  /** What single people had allowed it, and how many. */
  allowed: readonly { resource: string; permission_id: string; people: number }[]
}

/** The rows of an application by table, the one of `applications` itself, and what it held. */
export type KeptRows = Readonly<Partial<Record<KeptTable, readonly Row[]>>> & {
  applications: readonly Row[]
  /** Absent: it was deleted before this was written down. */
  held?: HeldAtDeletion
}

/** Reads them, before they are deleted. */
export async function readKeptRows(tx: Statements, application: { id: string; tenant_id: string }): Promise<KeptRows> {
  const kept: Partial<Record<KeptTable, readonly Row[]>> = {}
  for (const table of keptTables) {
    let rows = tx.selectFrom(table).selectAll().where('application_id', '=', application.id)
    if (table === 'permission_grants') rows = rows.where('tenant_id' as never, '=', application.tenant_id as never)
    kept[table] = await rows.execute()
  }
  return { ...kept, applications: [{ ...application }], held: await readHeld(tx, application.id) }
}

async function readHeld(tx: Statements, applicationId: string): Promise<HeldAtDeletion> {
  const granted = await tx
    .selectFrom('permission_grants')
    .where('application_id', '=', applicationId)
    .groupBy(['kind', 'resource', 'permission_id'])
    .select(['kind', 'resource', 'permission_id'])
    .select(({ fn }) => fn.countAll().as('tenants'))
    .execute()
  const allowed = await countUserConsents(tx, { applicationId })
  return {
    granted: granted.map((row) => ({ ...row, tenants: Number(row.tenants) })),
    allowed: allowed.map(({ resource, permission_id, people }) => ({ resource, permission_id, people })),
  }
}

/** Puts rows back where they were; the one that they refer to is there. */
export async function insertKeptRows(tx: Statements, table: KeptTable | 'applications', rows: readonly Row[]) {
  for (const row of rows) {
    await tx
      .insertInto(table)
      .values(row as never)
      .execute()
  }
}
