// Who looks after the installation: the list, and that there is always somebody.

import type { FastifyInstance } from 'fastify'
import { hasOtherOperator, listOperators } from '../../storage/sql/people/operators.js'
import type { Statements } from '../../storage/sql/store.js'
import { toUser } from '../../users/records.js'
import { UserRefusal } from '../../users/refusal.js'
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

/** Throws UserRefusal (LastOperator) when nobody else is an operator whose account works. */
export async function checkOperatorsLeft(tx: Statements, userId: string): Promise<void> {
  if (await hasOtherOperator(tx, userId)) return
  throw new UserRefusal('LastOperator', 'Nobody else is an operator: make somebody else one first.', 'operator')
}
