// A JSON Web Key Set as somebody typed it; what it may contain is for the API to say.

import type { Body } from '../../../management/schemas.js'
import type { Problem } from '../../../web/pages/problem.js'

type KeySet = NonNullable<Body<'changeApplication'>['jwks']>

/** The set, null for an empty field, or what to say at the field `jwks`. */
export function keySet(typed: string | undefined): { jwks: KeySet | null } | { problem: Problem; status: number } {
  if (typed === undefined || typed === '') return { jwks: null }
  try {
    return { jwks: JSON.parse(typed) as KeySet }
  } catch {
    const message = 'This is not JSON. A key set begins with {"keys": [ and ends with ]}.'
    return { problem: { message, target: 'jwks' }, status: 400 }
  }
}
