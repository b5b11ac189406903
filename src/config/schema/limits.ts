// Limits, and the lists that name them.

import { Type } from 'typebox'
import { entry, leaf } from './leaves.js'
import { named } from './names.js'

/** A list of names of limits. */
export const limitList = (description: string, names?: readonly string[]) =>
  Type.Array(leaf.text(''), {
    description,
    maxItems: 32,
    errorMessage: 'must be a list of names of limits',
    ...(names === undefined ? {} : { default: names }),
  })

type Part = 'address' | 'application' | 'tenant' | 'user' | 'route'

const callerParts: Part[] = ['application', 'tenant', 'user']

/**
 * What a file has without defining it, each until it is defined anew: no limit at all would be the more dangerous
 * reading. Those of callers are by application, tenant and user together, so that no caller uses up what is another's
 * (contract §8).
 */
export const LIMITS_THERE_ARE = {
  application: { by: callerParts, rate: '6000/min', burst: 200 },
  tenant: { by: callerParts, quota: '10000000/day' },
  'token-address': { by: 'address', rate: '1200/min', burst: 100 },
  'token-revocation': { by: callerParts, rate: '120/min', burst: 60 },
  'token-application': { by: callerParts, rate: '600/min', burst: 60 },
} as const

const PARTS = ['address', 'application', 'tenant', 'user', 'route'] as const satisfies Part[]

/** What a limit says of its numbers, and how they are counted. */
export const limitNumbers = {
  rate: Type.Optional(leaf.rate('So many per period in the long run, evenly.')),
  burst: Type.Optional(
    leaf.count('So many at once; a tenth of the rate when left out.', undefined, [1, 1_000_000_000]),
  ),
  quota: Type.Optional(leaf.rate('So many in any period of that length, in any order.')),
  mode: Type.Optional(
    leaf.word(
      'How instances count together: strict asks Redis each time, leased takes small shares ahead, local gives each an equal part. leased with Redis, local without, when left out.',
      ['strict', 'leased', 'local'],
    ),
  ),
  onDown: Type.Optional(
    leaf.word('While Redis is away: each instance counts its part (local), 503 (refuse), or no limit (pass).', [
      'local',
      'refuse',
      'pass',
    ]),
  ),
  shadow: Type.Optional(leaf.flag('Counted only: it refuses nothing, and a metric says what it would refuse.')),
}

/** `limits` */
export const Limits = Type.Record(
  Type.String(),
  entry('A rate or a quota.', {
    by: Type.Union([leaf.word('', PARTS), Type.Array(leaf.word('', PARTS), { minItems: 1, uniqueItems: true })], {
      description:
        'What is counted, or a list of what is counted together. In a list with user, an application that calls for itself has a bucket of its own.',
      errorMessage: `must be one of ${PARTS.join(', ')}, or a list of them, each once`,
    }),
    ...limitNumbers,
  }),
  {
    description:
      'Either a rate, evenly in the long run with so many at once (burst), or a quota for any period of its length. What stands here under the name of a default one replaces it; other names are further limits.',
    ...named,
    default: LIMITS_THERE_ARE,
  },
)
