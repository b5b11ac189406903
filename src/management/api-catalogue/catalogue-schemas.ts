// What the API catalogue takes and answers; as schemas.ts is for the rest.

import { type Static, Type } from 'typebox'

const strict = { additionalProperties: false }
const count = Type.Integer()
const kinds = Type.Array(Type.Enum(['application', 'delegated']))

/** The query of `GET /apiCatalogue`: words that must all stand somewhere in an entry. */
export const catalogueQuery = Type.Object({ search: Type.Optional(Type.String({ maxLength: 128 })) }, strict)
export type CatalogueQuery = Static<typeof catalogueQuery>

const permission = Type.Object({
  resource: Type.String(),
  id: Type.String(),
  description: Type.String(),
  kinds,
  /** In which of them only an administrator consents; in the others each person does. */
  administratorFor: kinds,
  /** The least role that a person must have to use it. */
  role: Type.Enum(['owner', 'administrator', 'developer', 'member']),
})

const summary = {
  apiId: Type.String(),
  kind: Type.Enum(['service', 'routes', 'management', 'tenant']),
  name: Type.String(),
  description: Type.String(),
  /** As its own document says them; null: it does not. */
  version: Type.Union([Type.String(), Type.Null()]),
  contact: Type.Union([
    Type.Object({
      name: Type.Optional(Type.String()),
      url: Type.Optional(Type.String()),
      email: Type.Optional(Type.String()),
    }),
    Type.Null(),
  ]),
  /** Identifiers of the APIs that its permissions are of. */
  resources: Type.Array(Type.String()),
  /** Some of its operations are deprecated, or all. */
  state: Type.Enum(['current', 'partly-deprecated', 'deprecated']),
  /** The first day, in UTC, from which on one of its operations may be gone. */
  sunset: Type.Union([Type.String(), Type.Null()]),
  operationCount: count,
}

const operation = Type.Object({
  operationId: Type.String(),
  method: Type.String(),
  path: Type.String(),
  summary: Type.String(),
  deprecated: Type.Boolean(),
  /** Days, in UTC, and where it is explained. */
  deprecatedSince: Type.Union([Type.String(), Type.Null()]),
  sunset: Type.Union([Type.String(), Type.Null()]),
  link: Type.Union([Type.String(), Type.Null()]),
  /** What the caller must hold: any of these lists is enough, of a list all. Null: it is open to everybody. */
  anyOf: Type.Union([Type.Array(Type.Array(Type.String())), Type.Null()]),
  resource: Type.String(),
})

export const catalogueAnswers = {
  list: Type.Object({ value: Type.Array(Type.Object({ ...summary, permissions: Type.Array(permission) })) }),
  api: Type.Object({ ...summary, permissions: Type.Array(permission), operations: Type.Array(operation) }),
}
export type CatalogueList = Static<typeof catalogueAnswers.list>
export type CatalogueApi = Static<typeof catalogueAnswers.api>
export type CatalogueOperation = CatalogueApi['operations'][number]
export type CataloguePermission = CatalogueApi['permissions'][number]
