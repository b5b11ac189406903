// What the ledger's part of the management API takes and answers; as schemas.ts is for the rest.

import { type Static, Type } from 'typebox'
import { pageQuery } from '../answers/page.js'

const strict = { additionalProperties: false }
const reference = Type.Optional(Type.String({ minLength: 1, maxLength: 256 }))
const orNull = Type.Union([Type.String(), Type.Null()])
const count = Type.Integer()

/** The query of both lists. `from` is included, `to` is not; both RFC 3339 in UTC. */
export const auditQuery = Type.Object(
  {
    ...pageQuery.properties,
    tenantId: reference,
    applicationId: reference,
    userId: reference,
    event: reference,
    /** An identifier, or a part of a name; of a person also of the address. */
    application: reference,
    person: reference,
    /** For operators and the local socket. */
    tenant: reference,
    /** A text that stands anywhere in what is answered; 2,000 rows are looked at for a page. */
    search: Type.Optional(Type.String({ minLength: 2, maxLength: 128 })),
    from: reference,
    to: reference,
    /** Default: newest first. */
    order: Type.Optional(Type.Enum(['newest', 'oldest'])),
  },
  strict,
)

/**
 * Lines of a file of checkpoints, as it has them; without them the server's own. `most` rows at a time, from `next` of
 * the answer before: with the same checkpoints, or the later parts are compared with others than the earlier ones.
 */
export const verificationBody = Type.Object(
  {
    checkpoints: Type.Optional(Type.Array(Type.String({ maxLength: 1_024 }), { maxItems: 4_000 })),
    from: Type.Optional(Type.String({ minLength: 1, maxLength: 1_024 })),
    most: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  },
  strict,
)

const facts = {
  at: Type.String(),
  event: Type.String(),
  tenantId: orNull,
  applicationId: orNull,
  userId: orNull,
  requestId: orNull,
  address: orNull,
  details: Type.Unknown(),
}

/** What ids are called, of people only those whom the caller may know; `previousLink` leads in the other order. */
const around = {
  names: Type.Object({
    people: Type.Record(Type.String(), Type.String()),
    applications: Type.Record(Type.String(), Type.String()),
    tenants: Type.Record(Type.String(), Type.String()),
    /** Which events there are, for those who filter. */
    events: Type.Array(Type.String()),
  }),
  nextLink: Type.Optional(Type.String()),
  previousLink: Type.Optional(Type.String()),
}
/** The person was of other tenants too: who did it and where from is not shown. */
const limited = Type.Optional(Type.Boolean())

/** `previousMac`: of the row before; null in rows of before this was kept. */
const macs = { keyId: Type.String(), mac: Type.String(), previousMac: orNull }

/** The answers. `position` counts from 1; `mac` is what `portcullis audit verify` recomputes. */
export const auditAnswers = {
  auditEvents: Type.Object({
    value: Type.Array(Type.Object({ position: count, ...facts, actor: Type.Unknown(), ...macs, limited })),
    ...around,
  }),
  activity: Type.Object({
    value: Type.Array(Type.Object({ id: Type.String(), ...facts, limited })),
    ...around,
  }),
  verification: Type.Object({
    clean: Type.Boolean(),
    count,
    /** How many rows were taken away at the beginning, by order. */
    start: count,
    head: Type.String(),
    checkpoints: count,
    /** The last row that was read; `next` asks for those after it, and is absent at the end. */
    reached: count,
    next: Type.Optional(Type.String()),
    problems: Type.Array(
      Type.Object({
        kind: Type.String(),
        position: count,
        until: Type.Optional(count),
        movedFrom: Type.Optional(count),
        line: Type.Optional(count),
      }),
    ),
  }),
  checkpoint: Type.Object({
    count,
    head: Type.String(),
    at: count,
    keyId: Type.String(),
    mac: Type.String(),
  }),
  /** Without rows: nothing can be taken away. */
  prunable: Type.Object({
    rows: Type.Optional(Type.Object({ first: count, last: count, head: Type.String() })),
  }),
  pruned: Type.Object({ first: count, last: count, count, head: Type.String(), digest: Type.String() }),
}

/**
 * What pruning takes: rows before a time; or the last of them, with the digest of an export that has all of them, which
 * shows that there is one.
 */
export const pruningRequests = {
  query: Type.Object({ before: Type.String({ minLength: 1, maxLength: 32 }) }, strict),
  body: Type.Object(
    {
      through: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
      digest: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$' })),
      withoutExport: Type.Optional(Type.Boolean()),
    },
    strict,
  ),
}

export type AuditQuery = Static<typeof auditQuery>
export type AuditEvents = Static<typeof auditAnswers.auditEvents>
export type ActivityEntries = Static<typeof auditAnswers.activity>
export type CheckpointAnswer = Static<typeof auditAnswers.checkpoint>
export type PrunableAnswer = Static<typeof auditAnswers.prunable>
export type PrunedAnswer = Static<typeof auditAnswers.pruned>
export type VerificationBody = Static<typeof verificationBody>
export type VerificationAnswer = Static<typeof auditAnswers.verification>
