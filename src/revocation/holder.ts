// A holder: an application in one tenant, acting for one person, or, without a person, for itself. Its tokens are the
// fewest that one revocation can name when too many were revoked one by one.

/** Who holds a token. */
export interface Holder {
  tenantId: string
  applicationId: string
  /** Absent: the application itself. */
  userId?: string | undefined
}

/** The identifier of a holder, as revocations name it. The three are GUIDs: no text between them can be mistaken. */
export function holderId({ tenantId, applicationId, userId }: Holder): string {
  return `${tenantId} ${applicationId} ${userId ?? '-'}`
}
