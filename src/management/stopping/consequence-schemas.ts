// What hangs on something that is about to be stopped, as the management API tells it.

import { type Static, Type } from 'typebox'

const count = Type.Integer()

/** The query of `GET /applications/{id}/consequences`: in which tenant; the caller's own when it is not given. */
export const consequencesQuery = Type.Object(
  { tenantId: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })) },
  { additionalProperties: false },
)
export type ConsequencesQuery = Static<typeof consequencesQuery>

/** The query of `GET /tenants/{id}/consequences`: with ways to sign in, `withoutWay` counts who has none of them. */
export const waysQuery = Type.Object(
  {
    ownSignIn: Type.Optional(Type.Enum(['allowed', 'owners'])),
    /** Names with commas between, or `all`. */
    signInProviders: Type.Optional(Type.String({ maxLength: 4200 })),
  },
  { additionalProperties: false },
)
export type WaysQuery = Static<typeof waysQuery>

/** The query of `GET /recoveryLinks/consequences`. */
export const recoveryQuery = Type.Object(
  { email: Type.String({ minLength: 3, maxLength: 254 }) },
  { additionalProperties: false },
)
export type RecoveryQuery = Static<typeof recoveryQuery>

/** Counts of this moment; see consequences.ts. */
export const consequences = Type.Object({
  /** Only what is in this tenant is counted; null: in all of them. */
  tenantId: Type.Union([Type.String(), Type.Null()]),
  /** Applications that stop, or that hold something that ends. */
  applications: count,
  people: count,
  /** People who would have no way left to sign in, of those who are no owners; null where it is not about that. */
  withoutWay: Type.Union([count, Type.Null()]),
  /** What applications hold for people: sign-ins that go on without them. */
  signIns: count,
  /** Browsers in which the person is signed in; null where it is not about a person, or not the caller's business. */
  sessions: Type.Union([count, Type.Null()]),
  /** Tokens that were issued in the time that one lives, as far as they are recorded. */
  tokens: count,
  tokenLifetimeSeconds: count,
  /** Calls that were allowed in the last hour, and in the last 24; null where they are not counted by it. */
  calls: Type.Union([Type.Object({ lastHour: count, lastDay: count }), Type.Null()]),
  /** What else proves who the person is, and would be removed; null where it is not about that. */
  proofs: Type.Union([Type.Object({ secondFactor: Type.Boolean(), passkeys: count, providers: count }), Type.Null()]),
  /** Applications that came by a registration token, and how many may still; null where it is not about one. */
  registrations: Type.Union([Type.Object({ sofar: count, lastHour: count, left: count }), Type.Null()]),
  /** Of these the number is a least: more are not looked at, or not recorded. */
  atLeast: Type.Array(Type.Enum(['applications', 'people', 'signIns', 'sessions', 'tokens', 'withoutWay'])),
})
export type Consequences = Static<typeof consequences>
