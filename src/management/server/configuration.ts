// Reading the configuration again, for those who run the server. The file is theirs: nothing is sent but the wish.

import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { formatProblem } from '../../config/report/problem.js'
import type { ReloadOutcome } from '../../config/report/reload-outcome.js'
import { ApiError } from '../../http/answers/api-error.js'
import { requires } from '../access/access.js'
import type { ManagementDependencies } from '../dependencies.js'

const names = Type.Array(Type.String())
const namedChanges = Type.Object({ added: names, removed: names, changed: names })

const Reloaded = Type.Object({
  /** `unchanged`: the active configuration is what the files say. */
  result: Type.Enum(['reloaded', 'unchanged']),
  /** By section of the file, the names that people gave. */
  changes: Type.Object({
    routes: namedChanges,
    upstreams: namedChanges,
    limits: namedChanges,
    plans: namedChanges,
    issuers: namedChanges,
    permissions: namedChanges,
    resources: namedChanges,
    defaults: namedChanges,
  }),
  inEffect: Type.Object({
    /** Since when these rules decide. */
    since: Type.String(),
    /** What brought them: the start, a file that changed, a signal, or a call such as this one. */
    by: Type.Enum(['start', 'file', 'signal', 'management']),
    routes: Type.Integer(),
    upstreams: Type.Integer(),
  }),
  /** Settings of the files that differ from what runs and take effect at the next start. */
  waiting: Type.Array(
    Type.Object({ setting: Type.String(), file: Type.String(), line: Type.Integer(), column: Type.Integer() }),
  ),
})

/** What a reload answers. */
export type ReloadedAnswer = Static<typeof Reloaded>

/** `POST /configuration/reload`. */
export function configurationRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.post(
    '/configuration/reload',
    { config: requires('Server.ReadWrite', 'operator'), schema: { response: { 200: Reloaded } } },
    async () => {
      if (deps.configuration === undefined) {
        throw new ApiError(409, 'NotReloadable', 'This instance was not started with a file that can be read again.')
      }
      return reloadedAnswer(await deps.configuration.reload())
    },
  )
}

function reloadedAnswer(outcome: ReloadOutcome): ReloadedAnswer {
  if (outcome.result !== 'refused') {
    const { result, changes } = outcome
    const waiting = outcome.waiting.map(({ path, file, line, column }) => ({ setting: path, file, line, column }))
    const inEffect = { ...outcome.inEffect, since: new Date(outcome.inEffect.since).toISOString() }
    return { result, changes, inEffect, waiting }
  }
  const details = outcome.problems.map((problem) => ({ code: 'Mistake', message: formatProblem(problem) }))
  const message = 'The configuration has mistakes, so the active configuration stays.'
  throw new ApiError(422, 'ConfigurationInvalid', message, { details })
}
