// What the usage part of the management API takes and answers; as schemas.ts is for the rest.

import { type Static, Type } from 'typebox'

const strict = { additionalProperties: false }
const reference = Type.String({ minLength: 1, maxLength: 256 })
const day = Type.Optional(Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' }))
const kind = Type.Enum(['application', 'delegated'])
const timeOrNull = Type.Union([Type.String(), Type.Null()])
const count = Type.Integer()
const permission = { kind, resource: Type.String(), id: Type.String() }

const groups = Type.Enum(['day', 'time', 'route', 'application', 'route,application'])

/**
 * The query of `GET /usage`. Days in UTC, both included; by default the last thirty. `last` instead of days: the last
 * hour by minute, or 24 hours by quarter of an hour. `route`: an id, such as `GET /api/v2/me`.
 */
export const usageQuery = Type.Object(
  {
    applicationId: Type.Optional(reference),
    tenantId: Type.Optional(reference),
    route: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
    from: day,
    to: day,
    last: Type.Optional(Type.Enum(['1h', '24h'])),
    by: Type.Optional(groups),
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
  /**
   * `value` has a line for each day (`2026-01-31`) or slot of time (when it began), or for each route that was called,
   * application that called, or both. From and to are days, and times for `last`, whose lines come the most first.
   */
  usage: Type.Object({
    applicationId: Type.Union([Type.String(), Type.Null()]),
    tenantId: Type.Union([Type.String(), Type.Null()]),
    from: Type.String(),
    to: Type.String(),
    by: groups,
    /** Of `last`: how long a slot is, and whether the counts of all instances could be read. */
    slotSeconds: Type.Optional(count),
    complete: Type.Optional(Type.Boolean()),
    value: Type.Array(
      Type.Object({
        /** The day, the time, the route, or the application; of both, the route. */
        key: Type.String(),
        /** By application: which one; its name is null when it is gone. */
        applicationId: Type.Optional(Type.String()),
        name: Type.Optional(Type.Union([Type.String(), Type.Null()])),
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
    /** Tools, prompts and resources of MCP servers that these permissions open, by the ids that calls are counted by. */
    operations: Type.Array(
      Type.Object({
        id: Type.String(),
        /** Those of the application that open it. */
        permissions: Type.Array(Type.String()),
        usesIn30Days: count,
        /** Refused for want of a permission, such as before it was consented to. */
        refusedIn30Days: count,
      }),
    ),
    /** Consented to and not used: what removeUnused takes. Empty for an application of another tenant. */
    removable: Type.Array(Type.Object(permission)),
  }),
}
export type UsageAnswer = Static<typeof usageAnswers.usage>
export type PermissionUseAnswer = Static<typeof usageAnswers.permissionUse>
