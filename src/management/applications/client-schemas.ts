// What the parts of the management API take and answer that are about registration by standard and about outside
// issuers; as schemas.ts is for the rest.

import { type Static, Type } from 'typebox'

const strict = { additionalProperties: false }
const name = Type.String({ maxLength: 512 })
const reference = Type.String({ minLength: 1, maxLength: 256 })
const text = Type.String({ minLength: 1, maxLength: 2048 })
const kind = Type.Enum(['application', 'delegated'])
const time = Type.String()

/** The queries, by operation. */
export const clientQueries = {
  /** Absent: the caller's own tenant, for the local socket all. */
  registrationTokens: Type.Object({ tenantId: Type.Optional(reference) }, strict),
  /** An e-mail address or an id. */
  possibleOwner: Type.Object({ owner: Type.String({ minLength: 1, maxLength: 254 }) }, strict),
  /** When the newest one that was looked at was added, so that nothing is dismissed unseen. */
  dismissNewOrigins: Type.Object({ until: Type.String({ minLength: 20, maxLength: 40 }) }, strict),
}

/** The request bodies, by operation. */
export const clientBodies = {
  addFederatedCredential: Type.Object(
    {
      name,
      issuer: text,
      subject: text,
      /** Absent: this server's base URL. */
      audience: Type.Optional(text),
      /**
       * Absent: its keys are fetched from the issuer. Which keys may be is decided in
       * directory/credentials/client-keys.ts.
       */
      jwks: Type.Optional(
        Type.Object({ keys: Type.Array(Type.Record(Type.String(), Type.Unknown()), { maxItems: 10 }) }),
      ),
    },
    strict,
  ),
  /** One of the three: somebody of the home tenant, or another application that is registered there. */
  addOwner: Type.Object(
    { userId: Type.Optional(reference), email: Type.Optional(text), applicationId: Type.Optional(reference) },
    { ...strict, minProperties: 1, maxProperties: 1 },
  ),
  /** Exactly these, each by e-mail address or id; none: it is the administrators'. */
  replaceOwners: Type.Object(
    { owners: Type.Array(Type.String({ minLength: 1, maxLength: 254 }), { maxItems: 50 }) },
    strict,
  ),
  createRegistrationToken: Type.Object(
    {
      label: name,
      /** Absent: the caller's own tenant; for the local socket the oldest. */
      tenantId: Type.Optional(reference),
      /** Absent: a day; at most 90 days. */
      expiresInHours: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_160 })),
      /** Absent: one. */
      uses: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
      /** The most that an application so registered may be configured with. Absent: nothing. */
      permissions: Type.Optional(
        Type.Array(Type.Object({ kind, resource: Type.Optional(reference), id: reference }, strict), {
          maxItems: 200,
        }),
      ),
    },
    strict,
  ),
}

const federatedCredential = Type.Object({
  id: Type.String(),
  name: Type.String(),
  issuer: Type.String(),
  subject: Type.String(),
  audience: Type.String(),
  /** Public keys as they are stored; null: they are fetched from the issuer. */
  jwks: Type.Union([Type.Object({ keys: Type.Array(Type.Record(Type.String(), Type.String())) }), Type.Null()]),
  createdAt: time,
  lastUsedAt: Type.Union([time, Type.Null()]),
})
const owner = Type.Object({
  ownerId: Type.String(),
  kind: Type.Enum(['user', 'application']),
  name: Type.String(),
  /**
   * The id of the person or application that added it; empty: it registered the application, or the local socket did.
   */
  addedBy: Type.String(),
  addedAt: time,
})
const newOrigin = Type.Object({
  applicationId: Type.String(),
  applicationName: Type.String(),
  /** Scheme, host and port; of a private-use scheme, the scheme. */
  origin: Type.String(),
  /** The id of the person or application that added it; empty: the local socket did. */
  addedBy: Type.String(),
  addedAt: time,
})
const registrationToken = Type.Object({
  id: Type.String(),
  tenantId: Type.String(),
  label: Type.String(),
  /** The id of the person or application that made it; empty: the local socket. */
  createdBy: Type.String(),
  permissions: Type.Array(Type.Object({ kind, resource: Type.String(), id: Type.String() })),
  usesLeft: Type.Integer(),
  createdAt: time,
  expiresAt: time,
})

/** The answers, by what they describe. */
export const clientAnswers = {
  federatedCredential,
  federatedCredentials: Type.Object({ value: Type.Array(federatedCredential) }),
  owner,
  possibleOwner: Type.Object({ ownerId: Type.String(), kind: Type.Enum(['user', 'application']), name: Type.String() }),
  owners: Type.Object({ value: Type.Array(owner) }),
  newOrigins: Type.Object({ value: Type.Array(newOrigin) }),
  registrationTokens: Type.Object({ value: Type.Array(registrationToken) }),
  /** `token` is here and nowhere else, once; `registrationEndpoint` is where it goes. */
  createdRegistrationToken: Type.Object({
    ...registrationToken.properties,
    token: Type.String(),
    registrationEndpoint: Type.String(),
  }),
}

/** A request body by its operation, such as `ClientBody<'addFederatedCredential'>`. */
export type ClientBody<Operation extends keyof typeof clientBodies> = Static<(typeof clientBodies)[Operation]>

/** An answer by what it describes. */
export type ClientAnswer<Subject extends keyof typeof clientAnswers> = Static<(typeof clientAnswers)[Subject]>
