// The events that a filter finds, to take along: one JSON object a line, the newest first, as the management API has
// them.

import type { FastifyInstance } from 'fastify'
import { pageHeaders } from '../../http/answers/security-headers.js'
import type { AuditEvents } from '../../management/audit/audit-schemas.js'
import { registerPage } from '../../web/page-routes.js'
import { getPage, type PortalContext } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { apiQuery, filterOf } from './filter.js'
import { type AuditListPage, auditLists } from './lists.js'

/** More than this takes another filter, or the command line. */
export const mostExported = 5_000
const pageSize = 200

/** Registers those of all lists that can be taken along. */
export function registerAuditExport(scope: FastifyInstance, deps: PortalDependencies): void {
  for (const page of auditLists) {
    if (page.exportPath === undefined) continue
    registerPage(scope, deps, {
      path: page.exportPath,
      routeId: `${page.routeId}-export`,
      get: getPage(deps, async (_request, reply, context) => {
        const lines = await exported(context, page)
        const day = new Date(deps.now()).toISOString().slice(0, 10)
        return reply
          .headers({
            ...pageHeaders(),
            'content-type': 'application/x-ndjson; charset=utf-8',
            'content-disposition': `attachment; filename="audit-${day}.jsonl"`,
            'cache-control': 'no-store',
          })
          .send(lines.map((line) => `${line}\n`).join(''))
      }),
    })
  }
}

async function exported(context: PortalContext, page: AuditListPage): Promise<string[]> {
  const query = apiQuery(filterOf(context), page)
  query.set('$top', String(pageSize))
  const lines: string[] = []
  let next: string | undefined = `${page.api}?${query}`
  while (next !== undefined && lines.length < mostExported) {
    const answer: AuditEvents = await context.api('GET', next)
    lines.push(...answer.value.map((event) => JSON.stringify(event)))
    next = answer.nextLink?.replace('/api/v2', '')
  }
  // Nobody shall take a part for the whole.
  if (next !== undefined) lines.push(JSON.stringify({ incomplete: `There are more than ${mostExported} events.` }))
  return lines
}
