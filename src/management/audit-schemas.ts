// What the ledger's part of the management API takes and answers; as schemas.ts is for the rest.

import { type Static, Type } from 'typebox'
import { pageQuery } from './page.js'

const strict = { additionalProperties: false }
const reference = Type.Optional(Type.String({ minLength: 1, maxLength: 256 }))
const orNull = Type.Union([Type.String(), Type.Null()])
const count = Type.Integer()

/** The query of both lists. `from` is included, `to` is not; both RFC 3339 in UTC. */
export const auditQuery = Type.Object(
  {
    ...pageQuery.properties,
    ...{ tenantId: reference, applicationId: reference, userId: reference, event: reference },
    ...{ from: reference, to: reference },
    /** Default: newest first. */
    order: Type.Optional(Type.Enum(['newest', 'oldest'])),
  },
  strict,
)

/** Lines of a file of checkpoints, as it has them. */
export const verificationBody = Type.Object(
  { checkpoints: Type.Array(Type.String({ maxLength: 1_024 }), { maxItems: 4_000 }) },
  strict,
)

const facts = {
  at: Type.String(),
  event: Type.String(),
  ...{ tenantId: orNull, applicationId: orNull, userId: orNull, requestId: orNull, address: orNull },
  details: Type.Unknown(),
}

/** The answers. `position` counts from 1; `mac` is what `portcullis audit verify` recomputes. */
export const auditAnswers = {
  auditEvents: Type.Object({
    value: Type.Array(
      Type.Object({ position: count, ...facts, actor: Type.Unknown(), keyId: Type.String(), mac: Type.String() }),
    ),
    nextLink: Type.Optional(Type.String()),
  }),
  activity: Type.Object({
    value: Type.Array(Type.Object({ id: Type.String(), ...facts })),
    nextLink: Type.Optional(Type.String()),
  }),
  verification: Type.Object({
    clean: Type.Boolean(),
    count,
    head: Type.String(),
    checkpoints: count,
    problems: Type.Array(
      Type.Object({
        kind: Type.String(),
        position: count,
        ...{ until: Type.Optional(count), movedFrom: Type.Optional(count), line: Type.Optional(count) },
      }),
    ),
  }),
}

export type AuditQuery = Static<typeof auditQuery>
export type AuditEvents = Static<typeof auditAnswers.auditEvents>
export type ActivityEntries = Static<typeof auditAnswers.activity>
export type VerificationAnswer = Static<typeof auditAnswers.verification>
