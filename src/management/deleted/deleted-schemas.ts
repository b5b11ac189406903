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
  /** Whether the caller may delete it for good. */
  mayDecide: Type.Boolean(),
  /** Whether the caller may restore it. */
  mayRestore: Type.Boolean(),
  /** Why not; null: they may. */
  restoreRefusal: Type.Union([Type.Object({ code: Type.String(), message: Type.String() }), Type.Null()]),
})

/** What a restore would bring back; what comes back by choice only says so. */
const returning = Type.Object({
  state: Type.Enum(['enabled', 'disabled']),
  /** Whether an operator had verified the publisher. */
  verified: Type.Boolean(),
  permissions: Type.Array(
    Type.Object({
      kind: Type.Enum(['application', 'delegated']),
      resource: Type.String(),
      id: Type.String(),
      /** It is on the application's list, and comes back there. */
      listed: Type.Boolean(),
      /** An administrator of the home tenant had consented: by choice, the caller does so anew. */
      consented: Type.Boolean(),
      /** In so many tenants administrators had consented; only the home tenant's can come back. */
      tenants: Type.Integer(),
      /** So many people had allowed it for themselves; they are prompted again. */
      people: Type.Integer(),
    }),
  ),
  redirectUris: Type.Array(Type.String()),
  owners: Type.Array(
    Type.Object({
      ownerId: Type.String(),
      kind: Type.Enum(['user', 'application']),
      name: Type.String(),
      /** False: they could not be an owner now. */
      returns: Type.Boolean(),
    }),
  ),
  /** The name of its plan; null: that of everybody. */
  plan: Type.Union([Type.String(), Type.Null()]),
  /** An operator had given it numbers of its own. */
  hasOwnLimits: Type.Boolean(),
  /** By choice. */
  secrets: Type.Array(
    Type.Object({
      keyId: Type.String(),
      label: Type.String(),
      hint: Type.String(),
      endsAt: time,
      /** Whether it would be good today. */
      works: Type.Boolean(),
    }),
  ),
  /** Public keys of its own; by choice. */
  keys: Type.Integer(),
  /** By choice. */
  federatedCredentials: Type.Array(Type.Object({ name: Type.String(), issuer: Type.String(), subject: Type.String() })),
  /** It registered itself: with its token its holder changes and deletes it; by choice. */
  hasRegistrationToken: Type.Boolean(),
  /** Secrets and keys of its own, and federated credentials. */
  credentials: Type.Integer(),
  /** Permissions that administrators of the home tenant had consented to. */
  consents: Type.Integer(),
})
export type Returning = Static<typeof returning>

/** One of them, with what could come back. */
export const deletedDetails = Type.Object({ ...deletedApplication.properties, ...returning.properties })
export type DeletedDetails = Static<typeof deletedDetails>

/** A page of them. */
export const deletedApplications = Type.Object({
  value: Type.Array(deletedApplication),
  nextLink: Type.Optional(Type.String()),
})
export type DeletedApplications = Static<typeof deletedApplications>
