// What a route requires, in all its spellings.

import { Type } from 'typebox'
import { entry, leaf } from '../leaves.js'

const Ids = Type.Array(leaf.text(''), {
  minItems: 1,
  maxItems: 32,
  errorMessage: 'must be a list of 1 to 32 permission ids',
})
const AllOf = Type.Union([leaf.text(''), Ids], {
  errorMessage: 'must be a permission id or a list of them',
})
const Alternatives = Type.Array(AllOf, {
  minItems: 1,
  maxItems: 32,
  description: 'Any of these is enough; of a list within, all.',
  errorMessage: 'must be a list of 1 to 32 permission ids, or of lists of them',
})
/** What one call needs. */
export const Need = Type.Union([AllOf, entry('', { any: Alternatives })], {
  errorMessage: 'must be a permission id, a list of which all are needed, or {any: […]}',
})

/** Methods that a route can name. HEAD follows GET; OPTIONS is answered by the gateway. */
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** `require` of a route. */
export const Require = Type.Union(
  [
    AllOf,
    entry('Either `any`, or one requirement per method.', {
      any: Type.Optional(Alternatives),
      GET: Type.Optional(Need),
      POST: Type.Optional(Need),
      PUT: Type.Optional(Need),
      PATCH: Type.Optional(Need),
      DELETE: Type.Optional(Need),
    }),
  ],
  {
    description: 'A permission; a list of which all are needed; {any: […]}; or one of these per method.',
    errorMessage: 'must be a permission id, a list of them, {any: […]}, or a requirement per method such as {GET: …}',
  },
)
