// What the operations on deleted applications take and answer.

import { type Static, Type } from 'typebox'

const strict = { additionalProperties: false }
const time = Type.String()

/** The body of a restore. */
export const restoreBody = Type.Object(
  {
    /**
     * Its secrets, keys, federated credentials and registration access token come back as they were. Absent: false; it
     * gets new ones.
     */
    credentials: Type.Optional(Type.Boolean()),
    /** The caller consents anew to what administrators of the home tenant had consented to. Absent: false. */
    consents: Type.Optional(Type.Boolean()),
  },
  strict,
)
export type RestoreBody = Static<typeof restoreBody>

const deletedApplication = Type.Object({
  applicationId: Type.String(),
  publicKey: Type.String(),
  tenantId: Type.String(),
  name: Type.String(),
  type: Type.Enum(['web', 'native']),
  deletedAt: time,
  /** The id of the person, application or registration token that deleted it; empty: the local socket. */
  deletedBy: Type.String(),
  /** What they are called; empty for who is not of the tenant. */
  deletedByName: Type.String(),
  /** Until then it can be restored. */
  restorableUntil: time,
  /** Whether the caller may restore it, or delete it for good. */
  mayDecide: Type.Boolean(),
})

/** One of them, with what could come back. */
export const deletedDetails = Type.Object({
  ...deletedApplication.properties,
  /** Secrets and keys of its own, and federated credentials. */
  credentials: Type.Integer(),
  /** Permissions that administrators of the home tenant had consented to. */
  consents: Type.Integer(),
})
export type DeletedDetails = Static<typeof deletedDetails>

/** A page of them. */
export const deletedApplications = Type.Object({
  value: Type.Array(deletedApplication),
  nextLink: Type.Optional(Type.String()),
})
export type DeletedApplications = Static<typeof deletedApplications>
