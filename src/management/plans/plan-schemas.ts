// What the management of plans takes and answers; see schemas.ts for how requests and answers are held to it.

import { type Static, Type } from 'typebox'
import { RATE_PATTERN } from '../../config/process/units.js'
import { pageQuery } from '../answers/page.js'

const strict = { additionalProperties: false }
const planName = Type.String({ minLength: 1, maxLength: 64 })
const chosenBy = Type.Enum(['developers', 'administrators', 'operators'])
const rate = Type.String({ pattern: RATE_PATTERN, maxLength: 40 })
const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()])

const limit = Type.Object({
  name: Type.String(),
  by: Type.Array(Type.String()),
  kind: Type.Enum(['rate', 'quota']),
  limit: Type.Integer(),
  periodSeconds: Type.Number(),
  /** Of a rate: so many at once. */
  burst: orNull(Type.Integer()),
  /** The routes on which it counts; null: it stands in place of the limit of that name, wherever routes name it. */
  routes: orNull(Type.Array(Type.String())),
})
const plan = Type.Object({
  name: Type.String(),
  describe: Type.String(),
  chosenBy,
  /** It is what an application has of which nobody said another one. */
  default: Type.Boolean(),
  limits: Type.Array(limit),
  concurrent: orNull(Type.Integer()),
  /** This caller may put the applications that they change on it. */
  mayChoose: Type.Boolean(),
})
const overrides = {
  limits: Type.Record(
    Type.String(),
    Type.Object({ rate: Type.Optional(rate), burst: Type.Optional(Type.Integer()), quota: Type.Optional(rate) }),
  ),
  concurrent: Type.Optional(Type.Integer()),
}
const request = Type.Object({
  requestId: Type.String(),
  applicationId: Type.String(),
  applicationName: Type.String(),
  tenantId: Type.String(),
  plan: Type.String(),
  reason: Type.String(),
  /** A person or an application; empty: an operator at the server itself. */
  requestedBy: Type.String(),
  requestedAt: Type.String(),
})

export const planBodies = {
  change: Type.Object(
    {
      /** Null: none, so the default plan counts. */
      plan: Type.Optional(orNull(planName)),
      /** Numbers of this application instead of its plan's; all of them, so {} ends them. For operators. */
      overrides: Type.Optional(
        Type.Object(
          {
            limits: Type.Optional(
              Type.Record(
                Type.String({ pattern: '^[a-z][a-z0-9-]{0,63}$' }),
                Type.Object(
                  {
                    rate: Type.Optional(rate),
                    burst: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
                    quota: Type.Optional(rate),
                  },
                  strict,
                ),
                { maxProperties: 16 },
              ),
            ),
            concurrent: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
          },
          strict,
        ),
      ),
    },
    { ...strict, minProperties: 1 },
  ),
  /** Why; those who requested it read it. */
  decline: Type.Object({ reason: Type.Optional(Type.String({ maxLength: 500 })) }, strict),
  request: Type.Object({ plan: planName, reason: Type.Optional(Type.String({ maxLength: 500 })) }, strict),
}
export type PlanBody<Operation extends keyof typeof planBodies> = Static<(typeof planBodies)[Operation]>

export const planQueries = {
  /** Without a tenant: for operators of all, for others of their own. */
  requests: Type.Object({ tenantId: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })) }, strict),
  /** A plan, also one that is gone. */
  applications: Type.Object({ ...pageQuery.properties, plan: planName }, strict),
}

export const planAnswers = {
  plans: Type.Object({ value: Type.Array(plan) }),
  /** What counts for one application, and what was said about it. */
  applicationPlan: Type.Object({
    applicationId: Type.String(),
    name: Type.String(),
    tenantId: Type.String(),
    /** What counts now; null: no plan. */
    plan: orNull(Type.String()),
    /** What was said; null: nothing, so the default plan counts. */
    assigned: orNull(Type.String()),
    /** What was said is not in the configuration any more: the default plan counts instead. */
    gone: Type.Boolean(),
    overrides: Type.Object(overrides),
    /** Overridden limits that nothing has any more. */
    forgotten: Type.Array(Type.String()),
    limits: Type.Array(limit),
    concurrent: orNull(Type.Integer()),
    /** What waits for a decision. */
    request: orNull(request),
    /** The last request, when it was declined; null once something else was requested, or the plan changed. */
    declined: orNull(Type.Object({ plan: Type.String(), reason: Type.String(), declinedAt: Type.String() })),
    /** The plans that this caller may put it on, by name. */
    choices: Type.Array(Type.String()),
  }),
  /** What is left of the limits that count for an application, in its home tenant. */
  planUsage: Type.Object({
    plan: orNull(Type.String()),
    concurrent: orNull(Type.Integer()),
    value: Type.Array(
      Type.Object({
        ...limit.properties,
        /** The plan whose number it is; null: it counts for everybody. */
        plan: orNull(Type.String()),
        /** Null: each person, address or route is counted by itself, so there is no one number. */
        remaining: orNull(Type.Integer()),
        resetSeconds: orNull(Type.Integer()),
      }),
    ),
  }),
  planUse: Type.Object({
    value: Type.Array(
      Type.Object({
        plan: Type.String(),
        /** False: the configuration has it no more, so the default plan counts for those that were put on it. */
        defined: Type.Boolean(),
        default: Type.Boolean(),
        /** So many were put on it by somebody's word. */
        applications: Type.Integer(),
        /** So many of them have numbers of their own. */
        overridden: Type.Integer(),
        /** Null: it is gone. */
        definition: orNull(plan),
      }),
    ),
    /** So many nobody put on a plan: they have the default plan, where there is one. */
    unassigned: Type.Integer(),
  }),
  planApplications: Type.Object({
    value: Type.Array(
      Type.Object({
        applicationId: Type.String(),
        name: Type.String(),
        tenantId: Type.String(),
        tenantName: Type.String(),
        /** It has numbers of its own. */
        overridden: Type.Boolean(),
      }),
    ),
    nextLink: Type.Optional(Type.String()),
  }),
  request,
  requests: Type.Object({ value: Type.Array(request) }),
}
export type PlanAnswer<What extends keyof typeof planAnswers> = Static<(typeof planAnswers)[What]>
