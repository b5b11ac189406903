// What the management of consents takes and answers; see schemas.ts for how requests and answers are held to it.

import { type Static, Type } from 'typebox'
import { bodies } from '../schemas.js'

const strict = { additionalProperties: false }
const reference = Type.String({ minLength: 1, maxLength: 256 })
const permission = { kind: Type.Enum(['application', 'delegated']), resource: Type.String(), id: Type.String() }
const state = Type.Enum(['pending', 'approved', 'declined'])
const time = Type.String()

/** The queries of the two lists. */
export const consentQueries = {
  /** One of them at least. */
  consents: Type.Object(
    {
      applicationId: Type.Optional(reference),
      tenantId: Type.Optional(reference),
      userId: Type.Optional(reference),
    },
    { ...strict, minProperties: 1 },
  ),
  requests: Type.Object({ state: Type.Optional(state), tenantId: Type.Optional(reference) }, strict),
}
export type ConsentQuery<List extends keyof typeof consentQueries> = Static<(typeof consentQueries)[List]>

/** The request bodies. */
export const consentBodies = {
  /** For everybody in a tenant, as an administrator of it would. */
  grant: Type.Object({ applicationId: reference, ...bodies.grantConsent.properties }, strict),
  withdraw: Type.Object(
    {
      applicationId: reference,
      /** Absent: the home tenant. */
      tenantId: Type.Optional(reference),
      /** Only what this person allowed. */
      userId: Type.Optional(reference),
      /** Absent or `all`: everything, and every grant ends. With `userId` the grants of that person keep the rest. */
      permissions: bodies.grantConsent.properties.permissions,
    },
    strict,
  ),
}
export type ConsentBody<Operation extends keyof typeof consentBodies> = Static<(typeof consentBodies)[Operation]>

const consent = Type.Object({
  applicationId: Type.String(),
  tenantId: Type.String(),
  /** Null: an administrator consented for everybody in the tenant. */
  userId: Type.Union([Type.String(), Type.Null()]),
  permissions: Type.Array(Type.Object({ ...permission, grantedAt: time, grantedBy: Type.String() })),
})
const request = Type.Object({
  requestId: Type.String(),
  applicationId: Type.String(),
  tenantId: Type.String(),
  requestedBy: Type.String(),
  permissions: Type.Array(Type.Object(permission)),
  reason: Type.String(),
  state,
  createdAt: time,
  decidedAt: Type.Union([time, Type.Null()]),
  /** A user's id, or `local` for the operator. */
  decidedBy: Type.Union([Type.String(), Type.Null()]),
})

/** The answers. */
export const consentAnswers = {
  consent,
  consents: Type.Object({ value: Type.Array(consent) }),
  withdrawn: Type.Object({ permissions: Type.Integer(), grants: Type.Integer() }),
  request,
  requests: Type.Object({ value: Type.Array(request) }),
}
export type ConsentAnswer<Subject extends keyof typeof consentAnswers> = Static<(typeof consentAnswers)[Subject]>
