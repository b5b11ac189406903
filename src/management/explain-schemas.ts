// What the explanations' part of the management API takes; as schemas.ts is for the rest. The answer's type is the gate's.

import { type Static, Type } from 'typebox'

const reference = Type.String({ minLength: 1, maxLength: 256 })

/**
 * A call that somebody would make: an application as itself, for a person (`userId`), or whoever holds `token`; without
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
    bodyBytes: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  },
  { additionalProperties: false },
)
export type ExplainBody = Static<typeof explainBody>
