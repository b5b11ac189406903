// What the usage part of the management API takes and answers; as schemas.ts is for the rest.

import { type Static, Type } from 'typebox'

const strict = { additionalProperties: false }
const reference = Type.String({ minLength: 1, maxLength: 256 })
const day = Type.Optional(Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' }))
const kind = Type.Enum(['application', 'delegated'])
const timeOrNull = Type.Union([Type.String(), Type.Null()])
const count = Type.Integer()
const permission = { kind, resource: Type.String(), id: Type.String() }

/** The query of `GET /usage`. Days in UTC, both included; by default the last thirty. */
export const usageQuery = Type.Object(
  {
    applicationId: Type.Optional(reference),
    tenantId: Type.Optional(reference),
    from: day,
    to: day,
    by: Type.Optional(Type.Enum(['day', 'route', 'application'])),
  },
  strict,
)
export type UsageQuery = Static<typeof usageQuery>

/** The query of `GET /applications/{id}/permissionUse`: the caller's tenant, for the local socket the home tenant. */
export const permissionUseQuery = Type.Object({ tenantId: Type.Optional(reference) }, strict)
export type PermissionUseQuery = Static<typeof permissionUseQuery>

/**
 * The body of `POST /applications/{id}/removeUnused`: exactly what the caller saw. Without a resource: of our own API.
 */
export const removeUnusedBody = Type.Object(
  {
    permissions: Type.Array(Type.Object({ kind, resource: Type.Optional(reference), id: reference }, strict), {
      minItems: 1,
      maxItems: 200,
    }),
  },
  strict,
)
export type RemoveUnusedBody = Static<typeof removeUnusedBody>

export const usageAnswers = {
  /** `value` has a line for each day (`2026-01-31`), route that was called, or application that called. */
  usage: Type.Object({
    applicationId: Type.Union([Type.String(), Type.Null()]),
    tenantId: Type.Union([Type.String(), Type.Null()]),
    from: Type.String(),
    to: Type.String(),
    by: Type.Enum(['day', 'route', 'application']),
    value: Type.Array(
      Type.Object({
        key: Type.String(),
        allowed: count,
        /** For want of a permission, by a limit, for their token. */
        refused: Type.Object({ permission: count, limit: count, token: count }),
        /** Of those that were allowed. */
        errors: Type.Object({ client: count, server: count }),
      }),
    ),
  }),
  permissionUse: Type.Object({
    applicationId: Type.String(),
    tenantId: Type.String(),
    /** Nothing before this was counted. */
    countedSince: Type.String(),
    unusedAfterSeconds: count,
    value: Type.Array(
      Type.Object({
        ...permission,
        configured: Type.Boolean(),
        consent: Type.Enum(['administrator', 'people', 'none']),
        consentedAt: timeOrNull,
        firstUsedAt: timeOrNull,
        lastUsedAt: timeOrNull,
        usesIn30Days: count,
        usesIn90Days: count,
        /** Whether a route here asks for it; of others nobody here knows whether they are used. */
        measured: Type.Boolean(),
        unusedSince: timeOrNull,
        unused: Type.Boolean(),
        /** Used, or consented to not long enough ago, in another tenant. */
        neededElsewhere: Type.Boolean(),
      }),
    ),
    /** Consented to and not used: what removeUnused takes. Empty for an application of another tenant. */
    removable: Type.Array(Type.Object(permission)),
  }),
}
export type UsageAnswer = Static<typeof usageAnswers.usage>
export type PermissionUseAnswer = Static<typeof usageAnswers.permissionUse>
