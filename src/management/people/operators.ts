// Who looks after the installation. That there is always somebody is seen to where they end (users/accounts/user-state.ts).

import type { FastifyInstance } from 'fastify'
import { listOperators } from '../../storage/sql/people/operators.js'
import { toUser } from '../../users/records.js'
import { requires } from '../access/access.js'
import type { ManagementDependencies } from '../dependencies.js'
import { userAnswer } from './people-answers.js'
import { peopleAnswers } from './people-schemas.js'

const mostListed = 500

/** `GET /operators`: of whatever tenant they are. */
export function operatorRoutes(app: FastifyInstance, { store }: ManagementDependencies): void {
  app.get(
    '/operators',
    { config: requires('Server.Read', 'operator'), schema: { response: { 200: peopleAnswers.operators } } },
    async () => {
      const rows = await listOperators(store.reader, mostListed)
      return { value: rows.map((row) => userAnswer(toUser(row), undefined)) }
    },
  )
}
