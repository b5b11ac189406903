// What `portcullis usage export` does.

import { csvHeading, csvLine } from '../../../management/billing/usage-csv.js'
import type { UsageExport } from '../../../management/billing/usage-export-schemas.js'
import { connect } from '../../calls/connection.js'
import type { ConnectionOptions } from '../../calls/connection-options.js'
import { managementCalls, requireTenant } from '../../calls/management-calls.js'
import { printJson } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'

export interface UsageExportOptions extends ConnectionOptions {
  month?: string
  format: 'csv' | 'json'
  by: 'day' | 'route'
  app?: string
  tenant?: string
}

/** Prints it. */
export async function exportUsage(
  { month, by, app, tenant, format, ...connection }: UsageExportOptions,
  terminal: Terminal,
): Promise<void> {
  const client = await connect(connection, terminal)
  const calls = managementCalls(client)
  const query = new URLSearchParams({ by })
  if (month !== undefined) query.set('month', month)
  if (app !== undefined) query.set('applicationId', (await calls.showApplication(app)).applicationId)
  if (tenant !== undefined) query.set('tenantId', await requireTenant(calls, tenant))
  const answer = (await client.call('GET', `/usage/export?${query}`)) as UsageExport
  if (format === 'json') printJson(terminal, answer)
  else {
    terminal.out(csvHeading)
    for (const line of answer.value) terminal.out(csvLine(line))
  }
}
