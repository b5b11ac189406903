// Taking away the beginning of the ledger, for operators: what can go, that it goes, and the checkpoint that ends an
// export.

import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { ApiError } from '../../http/answers/api-error.js'
import { checkpointOf } from '../../ledger/checkpoint-lines.js'
import { NotPruned, prunableRows, pruneLedger } from '../../ledger/prune.js'
import { readLedgerHead } from '../../storage/sql/ledger/ledger-head.js'
import { callerOf, requires } from '../access/access.js'
import type { ManagementDependencies } from '../dependencies.js'
import { timeOf } from './audit-filter.js'
import { auditAnswers, type PrunableAnswer, type PrunedAnswer, pruningRequests } from './audit-schemas.js'

const codes = { tampered: 'LedgerTampered', changed: 'LedgerChanged', 'not-exported': 'NotExported' } as const

/** `GET /auditEvents/checkpoint`, `GET|POST /auditEvents/pruning`. */
export function pruningRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  const pruning = { store: deps.store, keys: deps.ledgerKeys, ledger: deps.writes.ledger, now: deps.writes.now }
  app.get(
    '/auditEvents/checkpoint',
    { config: requires('Server.Read', 'operator'), schema: { response: { 200: auditAnswers.checkpoint } } },
    async () => {
      const { position, mac } = await readLedgerHead(deps.store.reader)
      return checkpointOf(deps.ledgerKeys, { count: position, head: mac, at: pruning.now() })
    },
  )
  app.get<{ Querystring: Static<typeof pruningRequests.query> }>(
    '/auditEvents/pruning',
    {
      config: requires('Server.Read', 'operator'),
      schema: { querystring: pruningRequests.query, response: { 200: auditAnswers.prunable } },
    },
    async ({ query }): Promise<PrunableAnswer> => {
      const before = timeOf(query.before, 'before')
      const rows = await refusing(() => prunableRows(pruning, before === undefined ? {} : { before }))
      return rows === undefined ? {} : { rows: { first: rows.first, last: rows.last, head: rows.head } }
    },
  )
  app.post<{ Body: Static<typeof pruningRequests.body> }>(
    '/auditEvents/pruning',
    {
      config: requires('Server.ReadWrite', 'operator'),
      schema: { body: pruningRequests.body, response: { 200: auditAnswers.pruned } },
    },
    async (request): Promise<PrunedAnswer> => {
      const { through, digest, withoutExport } = request.body
      if ((digest === undefined) !== (withoutExport === true)) {
        const message = 'Name the digest of an export that has these rows, or say withoutExport; one of them.'
        throw new ApiError(400, 'InvalidRequest', message, { target: 'digest' })
      }
      const rows = await refusing(() => pruneLedger(pruning, { through, digest }, callerOf(request).origin))
      return { ...rows, count: rows.last - rows.first + 1 }
    },
  )
}

async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof NotPruned)) throw error
    throw new ApiError(409, codes[error.code], error.message, { cause: error })
  }
}
