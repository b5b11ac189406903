// What the export of usage takes and answers.

import { type Static, Type } from 'typebox'

const count = Type.Integer()

/** `by`: a line for each day, application and tenant, or besides for each route. Months in UTC. */
export const usageExportQuery = Type.Object(
  {
    month: Type.Optional(Type.String({ pattern: '^[0-9]{4}-(0[1-9]|1[0-2])$' })),
    by: Type.Optional(Type.Enum(['day', 'route'])),
    applicationId: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    tenantId: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  },
  { additionalProperties: false },
)
export type UsageExportQuery = Static<typeof usageExportQuery>

/** A line. Names and the plan are those of now; null: the application is gone, or has no plan. */
export const usageExportLine = Type.Object({
  day: Type.String(),
  tenantId: Type.String(),
  tenant: Type.Union([Type.String(), Type.Null()]),
  applicationId: Type.String(),
  application: Type.Union([Type.String(), Type.Null()]),
  plan: Type.Union([Type.String(), Type.Null()]),
  /** Of `by=route`. */
  route: Type.Optional(Type.String()),
  allowed: count,
  /** For want of a permission, by a limit, for their token. */
  refused: Type.Object({ permission: count, limit: count, token: count }),
  /** Of those that were allowed. */
  errors: Type.Object({ client: count, server: count }),
})
export type UsageExportLine = Static<typeof usageExportLine>

/** The JSON form. */
export const usageExport = Type.Object({
  month: Type.String(),
  by: Type.Enum(['day', 'route']),
  value: Type.Array(usageExportLine),
})
export type UsageExport = Static<typeof usageExport>
