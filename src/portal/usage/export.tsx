// The usage of a month, to take along for billing.

import type { FastifyInstance } from 'fastify'
import type { VNode } from 'preact'
import { pageHeaders } from '../../http/answers/security-headers.js'
import { csvHeading, csvLine } from '../../management/billing/usage-csv.js'
import type { UsageExport } from '../../management/billing/usage-export-schemas.js'
import { registerPage } from '../../web/page-routes.js'
import { getPage, type PortalContext } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'

const path = '/portal/usage/export'

/** `GET /portal/usage/export?month=2026-11&format=csv` */
export function registerUsageExport(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path,
    routeId: 'portal-usage-export',
    get: getPage(deps, async (_request, reply, context) => {
      const month = monthIn(context.query.get('month'), deps.now())
      const answer = await context.api<UsageExport>('GET', `/usage/export?month=${month}`)
      const isJson = context.query.get('format') === 'json'
      const text = isJson
        ? `${JSON.stringify(answer, undefined, 2)}\n`
        : csvHeading + answer.value.map(csvLine).join('')
      return reply
        .headers({
          ...pageHeaders(),
          'content-type': isJson ? 'application/json; charset=utf-8' : 'text/csv; charset=utf-8; header=present',
          'content-disposition': `attachment; filename="usage-${month}.${isJson ? 'json' : 'csv'}"`,
          'cache-control': 'no-store',
        })
        .send(text)
    }),
  })
}

/** The links, for this month and the one before. */
export function ExportLinks({ context, nowMs }: { context: PortalContext; nowMs: number }): VNode {
  const months = [monthBefore(nowMs), monthIn(null, nowMs)]
  return (
    <section class="card" aria-labelledby="export-title">
      <h2 id="export-title">For billing</h2>
      <p>Every call that was counted, a line for each day and application. Days are in UTC.</p>
      <ul class="plain-list">
        {months.map((month) => (
          <li key={month}>
            {month}:{' '}
            <a id={`csv-${month}`} href={context.link(`${path}?month=${month}&format=csv`)}>
              CSV
            </a>
            {', '}
            <a id={`json-${month}`} href={context.link(`${path}?month=${month}&format=json`)}>
              JSON
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

function monthIn(text: string | null, nowMs: number): string {
  const isMonth = text !== null && /^[0-9]{4}-(0[1-9]|1[0-2])$/.test(text)
  return isMonth ? text : new Date(nowMs).toISOString().slice(0, 7)
}

function monthBefore(nowMs: number): string {
  const now = new Date(nowMs)
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1)).toISOString().slice(0, 7)
}
