// What `GET /status` answers: this instance, those that share its Store, and the targets of services as it sees them.

import { Type } from 'typebox'

/** Times are RFC 3339 in UTC. */
export const statusSchema = Type.Object({
  version: Type.String(),
  mode: Type.String(),
  baseUrl: Type.String(),
  uptimeSeconds: Type.Number(),
  /** The newest change known here, and how long ago that was certain. */
  seq: Type.Integer(),
  viewAgeMs: Type.Number(),
  viewStale: Type.Boolean(),
  /** As /readyz says it of this instance, with the same ids. */
  ready: Type.Boolean(),
  reasons: Type.Array(Type.String()),
  degraded: Type.Array(Type.String()),
  revocationEntries: Type.Integer(),
  store: Type.Object({ kind: Type.String(), available: Type.Boolean() }),
  /** Null when none is configured. */
  redis: Type.Union([Type.Object({ available: Type.Boolean() }), Type.Null()]),
  /** This instance; whether it does the periodic work for all. */
  instance: Type.String(),
  leader: Type.Boolean(),
  /** By how much the wall clocks of instances differ at least. */
  clockSkewSeconds: Type.Number(),
  /**
   * Those that share the Store, this one included: how far each has followed the changes, and which is the leader.
   */
  instances: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      startedAt: Type.String(),
      seq: Type.Integer(),
      leader: Type.Boolean(),
    }),
  ),
  /** What the files say has mistakes, and what was read before runs on. Null: they are in effect, or nobody can say. */
  refusedConfiguration: Type.Union([
    Type.Object({
      since: Type.String(),
      mistakes: Type.Integer(),
      /** The first ten, each with its file and place. */
      first: Type.Array(Type.String()),
    }),
    Type.Null(),
  ]),
  routes: Type.Integer(),
  upstreams: Type.Array(Type.String()),
  /**
   * As this instance sees them: one that is unwell by its checks or fails in a row gets requests for want of another
   * only.
   */
  targets: Type.Array(
    Type.Object({
      upstream: Type.String(),
      target: Type.String(),
      state: Type.Enum(['up', 'unwell', 'failing']),
      /** Null while it is up. */
      since: Type.Union([Type.String(), Type.Null()]),
      /** Why the newest request to it failed; absent where the last one was answered. */
      cause: Type.Optional(Type.String()),
    }),
  ),
  /**
   * Plans that applications are on and that the configuration does not have: `instead` counts for them, or, when it is
   * null, the limits that count for all. Null while the Store is away.
   */
  gonePlans: Type.Union([
    Type.Array(
      Type.Object({
        plan: Type.String(),
        applications: Type.Integer(),
        instead: Type.Union([Type.String(), Type.Null()]),
        /** The first five of them. */
        some: Type.Array(Type.Object({ applicationId: Type.String(), name: Type.String(), tenantId: Type.String() })),
      }),
    ),
    Type.Null(),
  ]),
})
