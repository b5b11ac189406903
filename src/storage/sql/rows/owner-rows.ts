// The tables of who an application belongs to, and of what people were prompted about its redirect URIs. tables.ts
// takes these in.

/** Who may change an application beside the administrators of its home tenant. */
interface ApplicationOwnersTable {
  application_id: string
  /** A person, or an application of the same tenant. */
  owner_id: string
  /** user | application */
  kind: string
  /** The id of the person or application that added it; empty: the caller that registered it, or the local socket. */
  added_by: string
  added_at: number
}

/**
 * That a person was prompted about an origin that came after the registration; see
 * directory/applications/redirect-epochs.ts.
 */
interface RedirectConfirmationsTable {
  user_id: string
  application_id: string
  tenant_id: string
  origin: string
  /** The one that the origin came in: removed and added again it is another. */
  epoch: number
}

/** Their part of the tables. */
export interface OwnerTables {
  application_owners: ApplicationOwnersTable
  redirect_confirmations: RedirectConfirmationsTable
}
