// Plans: what an application may use, under a name that people can choose.

import { Type } from 'typebox'
import { entry, leaf } from '../schema/leaves.js'
import { limitNumbers } from '../schema/limits.js'
import { named } from '../schema/names.js'

/** Who may put an application on a plan; also what a row of the Store and an answer of the API say. */
export const planChoosers = ['developers', 'administrators', 'operators'] as const

const parts = ['application', 'tenant', 'user', 'route'] as const

const PlanLimit = entry('A rate or a quota of those who are on the plan.', {
  by: Type.Optional(
    Type.Union([leaf.word('', parts), Type.Array(leaf.word('', parts), { minItems: 1, uniqueItems: true })], {
      description:
        'What is counted, with application among it: [application, tenant] counts an application in each tenant by itself. As the limit of that name when it replaces one; application when left out.',
      errorMessage: `must be one of ${parts.join(', ')}, or a list of them, each once`,
    }),
  ),
  ...limitNumbers,
  routes: Type.Optional(
    Type.Array(leaf.text(''), {
      description:
        'Keys of routes, as they stand below, or the beginning of paths: /reports/**. All routes when left out.',
      minItems: 1,
      maxItems: 256,
      errorMessage: 'must be a list of keys of routes, or of paths that end in /**',
    }),
  ),
})

/** `plans` */
export const Plans = Type.Record(
  Type.String(),
  entry('What an application on this plan may use.', {
    describe: leaf.text('One plain sentence, for those who choose.'),
    chosenBy: Type.Optional(
      leaf.word(
        'Who puts an application on it: its developers themselves, or, when they request it, an administrator of its tenant or an operator of this installation. operators when left out.',
        planChoosers,
      ),
    ),
    limits: Type.Optional(
      Type.Record(Type.String(), PlanLimit, {
        description:
          'Under the name of a limit below: other numbers instead of those, on every route that names it. Under another name: a further limit. What several plans name alike counts on when an application changes its plan.',
        ...named,
        maxProperties: 16,
      }),
    ),
    concurrent: Type.Optional(
      leaf.count(
        'Requests of the application under way at once. Each instance lets its equal part.',
        undefined,
        [1, 1_000_000],
      ),
    ),
  }),
  {
    description:
      'What applications may use, by names that people choose from. Without plans, limits count for all alike.',
    ...named,
    maxProperties: 100,
  },
)
