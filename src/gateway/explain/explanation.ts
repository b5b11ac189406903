// What an explanation says: the decision, what it stands on, and how to fix it. The one source of its wire type.

import { type Static, Type } from 'typebox'

const orNull = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(type: T) =>
  Type.Union([type, Type.Null()])
const text = Type.String()
const kind = Type.Enum(['application', 'delegated'])

/** Where in the configuration. */
const position = { file: text, line: Type.Integer(), column: Type.Integer() }

/** A permission that the route asks for, and how far this caller has come with it. */
const PermissionStatus = Type.Object({
  id: text,
  kind,
  /** The id that stands for it where that is another one, which covers it. */
  through: orNull(text),
  configured: Type.Boolean(),
  /** By whom: an administrator for the tenant, the person for themselves, nobody. */
  consentedBy: Type.Union([Type.Enum(['administrator', 'user']), Type.Null()]),
  consentedAt: orNull(text),
  inToken: Type.Boolean(),
  /** The least role that it takes and the one that the person has; null for applications as themselves. */
  role: Type.Union([Type.Object({ needed: text, has: orNull(text), enough: Type.Boolean() }), Type.Null()]),
})

/** One of the lists of which any is enough. */
const Alternative = Type.Object({ kind, met: Type.Boolean(), permissions: Type.Array(PermissionStatus) })

const Limit = Type.Object({
  name: text,
  /** The plan of the application whose numbers these are; null: they count for everybody. */
  plan: Type.Union([text, Type.Null()]),
  by: Type.Array(text),
  limit: Type.Integer(),
  periodSeconds: Type.Number(),
  /** What could be taken right now, and whether this call could take one. */
  remaining: Type.Integer(),
  resetSeconds: Type.Number(),
  allows: Type.Boolean(),
})

export const Explanation = Type.Object({
  request: Type.Object({
    method: text,
    /** The one reading of its path; null when it has none. */
    path: orNull(text),
    /** Of an MCP server, where one was named; `name` of a resource is its URI. */
    operation: Type.Optional(Type.Object({ kind: Type.Enum(['tool', 'prompt', 'resource']), name: text })),
  }),
  decision: Type.Object({
    /** `own`: Portcullis answers there itself, and no route decides. */
    outcome: Type.Enum(['allowed', 'refused', 'own']),
    /**
     * Who would answer: the gate, or before the call the token endpoint; for what is allowed the service behind the
     * gate.
     */
    by: Type.Enum(['gate', 'token', 'upstream', 'portcullis']),
    /** As in log and metric. */
    reason: text,
    /** Null where the service behind the gate decides it. */
    status: orNull(Type.Integer()),
    code: orNull(text),
    message: text,
    challenge: orNull(text),
    retryAfterSeconds: orNull(Type.Integer()),
    /** Of a missing permission: how far it got. */
    permission: Type.Union([Type.Object({ id: text, kind, resource: text, status: orNull(text) }), Type.Null()]),
  }),
  /** What of the configuration decided it. */
  decidedBy: Type.Union([
    Type.Object({ what: Type.Enum(['route', 'limit', 'upstream']), name: text, ...position }),
    Type.Null(),
  ]),
  route: Type.Union([
    Type.Object({
      id: text,
      pattern: text,
      allow: text,
      public: Type.Boolean(),
      resource: text,
      onStale: text,
      bodyBytes: Type.Integer(),
      ...position,
    }),
    Type.Null(),
  ]),
  /** Least first. Empty for a public route, and where there is no route. */
  requirement: Type.Array(Alternative),
  caller: Type.Object({
    kind: Type.Enum(['nobody', 'unknown', 'application', 'delegated']),
    applicationId: orNull(text),
    applicationName: orNull(text),
    tenantId: orNull(text),
    userId: orNull(text),
    /** Of the token that was shown, or that the token endpoint would issue now; null when there is none. */
    token: Type.Union([
      Type.Object({
        simulated: Type.Boolean(),
        resource: text,
        permissions: Type.Array(text),
        issuedAt: text,
        expiresAt: text,
      }),
      Type.Null(),
    ]),
  }),
  /** Why the token endpoint would issue none. */
  tokenRefusal: Type.Union([
    Type.Object({ error: text, number: Type.Integer(), reason: text, description: text, consentUri: orNull(text) }),
    Type.Null(),
  ]),
  /** What is disabled, not there, or old. */
  states: Type.Array(Type.Object({ of: text, state: text, ok: Type.Boolean() })),
  limits: Type.Array(Limit),
  upstream: Type.Union([
    Type.Object({
      name: text,
      state: Type.Enum(['ready', 'full', 'down']),
      inFlight: Type.Integer(),
      most: Type.Integer(),
      /** How many machines it has, and how many of them are well. */
      targets: Type.Integer(),
      targetsUp: Type.Integer(),
      /** How the last request to it ended; null: none since the start. */
      lastOutcome: orNull(text),
      /** The first of its targets that fails or is found unwell; null: none. Where it is, and why, is for operators. */
      trouble: Type.Union([
        Type.Object({
          target: orNull(text),
          state: Type.Enum(['failing', 'unwell']),
          since: text,
          cause: orNull(text),
        }),
        Type.Null(),
      ]),
      ...position,
    }),
    Type.Null(),
  ]),
  /** What to do, the most useful first. */
  /** `command`: of the command line, where one does it. */
  remedy: Type.Array(Type.Object({ message: text, uri: orNull(text), command: orNull(text) })),
})
export type Explanation = Static<typeof Explanation>
