// What the overviews answer; as schemas.ts is for the rest.

import { type Static, Type } from 'typebox'
import { logoAnswer } from '../brands/brand-schemas.js'

const strict = { additionalProperties: false }
const reference = Type.String({ minLength: 1, maxLength: 256 })
const count = Type.Integer()
const timeOrNull = Type.Union([Type.String(), Type.Null()])
const last = Type.Optional(Type.Enum(['1h', '24h']))
const named = { applicationId: Type.String(), name: Type.String() }

const tenantQuery = Type.Object({ tenantId: Type.Optional(reference) }, strict)
export type TenantQuery = Static<typeof tenantQuery>
const signInQuery = Type.Object({ tenantId: Type.Optional(reference), last }, strict)
export type SignInQuery = Static<typeof signInQuery>
const serverQuery = Type.Object({ last }, strict)
export type ServerQuery = Static<typeof serverQuery>

const linesQuery = Type.Object(
  {
    tenantId: Type.Optional(reference),
    search: Type.Optional(Type.String({ maxLength: 128 })),
    state: Type.Optional(Type.Enum(['enabled', 'disabled'])),
    $top: Type.Optional(Type.String({ pattern: '^[0-9]{1,3}$' })),
    $skip: Type.Optional(Type.String({ pattern: '^[0-9]{1,7}$' })),
  },
  strict,
)
export type LinesQuery = Static<typeof linesQuery>

/**
 * The queries. By default the caller's tenant, for the local socket all of them; of the last hour by minute, or of the
 * last 24 hours (the default) by quarter of an hour. `search` is a part of a name, or an identifier.
 */
export const overviewQueries = { tenant: tenantQuery, signIns: signInQuery, server: serverQuery, lines: linesQuery }

const requests = {
  requests: count,
  /** Answered with a 4xx; with a 5xx by a service, and by this server itself. */
  clientErrors: count,
  serviceErrors: count,
  ownErrors: count,
  /** Half, and 95 of a hundred, took at most so many milliseconds: estimates. Null: nothing was answered. */
  p50Ms: Type.Union([Type.Number(), Type.Null()]),
  p95Ms: Type.Union([Type.Number(), Type.Null()]),
}
const counted = Type.Array(Type.Object({ name: Type.String(), count }))
const stretch = {
  from: Type.String(),
  to: Type.String(),
  slotSeconds: count,
}

export const overviewAnswers = {
  /** Lists have twenty entries at most; counts say how many there are. */
  applications: Type.Object({
    enabled: count,
    disabled: count,
    /** Those that the caller owns, by name. */
    owned: Type.Array(Type.Object({ ...named, state: Type.Enum(['enabled', 'disabled']) })),
    /** Of enabled applications, within thirty days, the next to end first. */
    endingSecrets: Type.Object({
      count,
      value: Type.Array(
        Type.Object({
          ...named,
          keyId: Type.String(),
          label: Type.String(),
          endsAt: Type.String(),
          /** Whether another one of the application ends later. */
          replaced: Type.Boolean(),
        }),
      ),
    }),
    /** Enabled applications with permissions that wait for the consent of an administrator. */
    waitingForConsent: Type.Object({ count, value: Type.Array(Type.Object({ ...named, permissions: count })) }),
  }),
  /** `count`: how many fit altogether. */
  applicationLines: Type.Object({
    count,
    value: Type.Array(
      Type.Object({
        ...named,
        publicKey: Type.String(),
        kind: Type.Enum(['server', 'web', 'native']),
        state: Type.Enum(['enabled', 'disabled']),
        createdAt: Type.String(),
        /** When a secret or a permission of it was last used. */
        lastUsedAt: timeOrNull,
        /** Whether it proves by a secret who it is; when the last one of them ends, null when none lives. */
        hasSecrets: Type.Boolean(),
        secretEndsAt: timeOrNull,
        /** How many of its permissions wait for the consent of an administrator. */
        waitingPermissions: count,
        /** Names, the oldest owner first. */
        owners: Type.Array(Type.String()),
        /** What it shows of itself; null: none. */
        logo: logoAnswer,
      }),
    ),
  }),
  people: Type.Object({
    people: count,
    invitations: count,
    withoutSecondFactor: Type.Object({
      count,
      /** Owners first. */
      value: Type.Array(
        Type.Object({ userId: Type.String(), name: Type.String(), email: Type.String(), role: Type.String() }),
      ),
    }),
  }),
  /** `count` goes up to ten thousand. The twenty people whose sign-ins failed most; null: nobody has that address. */
  signIns: Type.Object({
    ...stretch,
    count,
    value: Type.Array(Type.Object({ at: Type.String(), failed: count })),
    people: Type.Array(
      Type.Object({ userId: Type.Union([Type.String(), Type.Null()]), failed: count, lastAt: Type.String() }),
    ),
  }),
  unusedPermissions: Type.Object({
    /** After how long without use. */
    unusedAfterSeconds: count,
    count,
    value: Type.Array(Type.Object({ ...named, permissions: count })),
  }),
  server: Type.Object({
    ...stretch,
    /** Whether the counts of all instances could be read. */
    complete: Type.Boolean(),
    ...requests,
    /** A line for each slot of time, the oldest first. */
    value: Type.Array(Type.Object({ at: Type.String(), ...requests })),
    /** The twenty routes that were requested most. */
    routes: Type.Array(Type.Object({ route: Type.String(), ...requests })),
    /** By reason, limit and result, the most first. */
    refused: counted,
    limited: counted,
    signIns: counted,
    tokens: counted,
    /** When the first certificate of this instance ends; null: it serves without. */
    certificateEndsAt: timeOrNull,
    /** On their way to webhooks, of all tenants; null: the Store cannot be reached. */
    events: Type.Union([
      Type.Object({
        waiting: count,
        oldestAt: timeOrNull,
        deadLetters: count,
        /** The twenty that most could not be delivered to. */
        webhooks: Type.Array(Type.Object({ webhookId: Type.String(), tenantId: Type.String(), deadLetters: count })),
      }),
      Type.Null(),
    ]),
  }),
}

/** An answer, by its name. */
export type Overview<Name extends keyof typeof overviewAnswers> = Static<(typeof overviewAnswers)[Name]>
