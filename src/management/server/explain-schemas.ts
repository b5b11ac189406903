// What the explanations' part of the management API takes; as schemas.ts is for the rest. The answer's type is the
// gate's.

import { type Static, Type } from 'typebox'
import { Explanation } from '../../gateway/explain/explanation.js'
import { pageQuery } from '../answers/page.js'

const reference = Type.String({ minLength: 1, maxLength: 256 })
/** As the configuration may name one. */
const operationName = Type.String({ minLength: 1, maxLength: 1024, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$' })

/**
 * A call that somebody would make: an application as itself, for a person (`userId`), or the holder of `token`; without
 * these, nobody. The token is looked at and forgotten.
 */
export const explainBody = Type.Object(
  {
    /** RFC 9110 §9.1: upper case. */
    method: Type.String({ pattern: '^[A-Z][A-Z-]{0,19}$' }),
    /** Path and query as they would be sent. */
    path: Type.String({ minLength: 1, maxLength: 65_536 }),
    applicationId: Type.Optional(reference),
    /** Absent: the home tenant. */
    tenantId: Type.Optional(reference),
    userId: Type.Optional(reference),
    /** The scope list of the token request. Absent: all that the application may have of the route's resource. */
    scope: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
    token: Type.Optional(Type.String({ minLength: 1, maxLength: 16_384 })),
    /** Where the call would come from; absent: limits by address are not looked at. */
    address: Type.Optional(Type.String({ minLength: 2, maxLength: 45 })),
    /** Of an MCP server: what its message would be about, one of them at most; without, connecting. */
    tool: Type.Optional(operationName),
    prompt: Type.Optional(operationName),
    uri: Type.Optional(operationName),
    bodyBytes: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  },
  { additionalProperties: false },
)
export type ExplainBody = Static<typeof explainBody>

/** Newest first. */
export const decisionQuery = Type.Object(
  {
    ...pageQuery.properties,
    what: Type.Optional(Type.Enum(['token', 'call'])),
    outcome: Type.Optional(Type.Enum(['granted', 'refused'])),
    requestId: Type.Optional(reference),
  },
  { additionalProperties: false },
)
export type DecisionQuery = Static<typeof decisionQuery>

const orNull = Type.Union([Type.String(), Type.Null()])

/** A token request, or a call that the gate refused. */
const RecordedDecision = Type.Object({
  id: Type.String(),
  at: Type.String(),
  requestId: Type.String(),
  applicationId: Type.String(),
  what: Type.Enum(['token', 'call']),
  outcome: Type.Enum(['granted', 'refused']),
  /** As in the log. */
  reason: Type.String(),
  status: Type.Integer(),
  /** Of a refused token request; its page is /errors/<number>. */
  number: Type.Union([Type.Integer(), Type.Null()]),
  tenantId: orNull,
  userId: orNull,
  route: orNull,
  method: orNull,
  grantType: orNull,
  /** Granted, requested, or, of a call, the one that was missing. `?` is one that is not in the catalogue. */
  permissions: Type.Array(Type.String()),
  /** False: somebody who could not prove to be the application. */
  proved: Type.Boolean(),
})
export type RecordedDecision = Static<typeof RecordedDecision>

export const decisionAnswers = {
  decisions: Type.Object({ value: Type.Array(RecordedDecision), nextLink: Type.Optional(Type.String()) }),
  /**
   * What was decided, and what would be now: about the same call by what the application could get now; of a token
   * request `now.caller.token` and `now.tokenRefusal` say it. Null: the route is no more.
   */
  explained: Type.Object({ recorded: RecordedDecision, now: Type.Union([Explanation, Type.Null()]) }),
}
export type Decisions = Static<(typeof decisionAnswers)['decisions']>
export type Explained = Static<(typeof decisionAnswers)['explained']>
