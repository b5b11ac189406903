// `portcullis app new-origin …`: redirect origins that no administrator has looked at yet (decision 84).

import type { Command } from 'commander'
import { clientCalls } from '../../calls/client-calls.js'
import { connect } from '../../calls/connection.js'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import { managementCalls, requireTenant } from '../../calls/management-calls.js'
import { listOption } from '../../output/list-option.js'
import { type OutputFormat, printList } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'

interface ListOptions extends ConnectionOptions {
  output: OutputFormat
  tenant?: string
}

const listed = {
  headings: ['APPLICATION', 'ORIGIN', 'ADDED BY', 'SINCE'],
  empty: 'Nothing is new: administrators have looked at all origins of the tenant.',
}

/** Adds `app new-origin` and its commands. */
export function addNewOriginCommands(app: Command, terminal: Terminal): void {
  const origin = app.command('new-origin').description('redirect origins that no administrator has looked at yet')
  addConnectionOptions(origin.command('list').description('list them, and who added them'))
    .option('--tenant <tenant>', 'tenant id or exact name; the first one when left out')
    .addOption(listOption())
    .action(async ({ tenant, output, ...options }: ListOptions) => {
      const client = await connect(options, terminal)
      const calls = managementCalls(client)
      const tenantId =
        tenant === undefined ? (await calls.listTenants())[0]?.tenantId : await requireTenant(calls, tenant)
      const value = tenantId === undefined ? [] : await clientCalls(client).listNewOrigins({ tenantId })
      const rows = value.map((one) => [one.applicationName, one.origin, one.addedBy, one.addedAt])
      printList(terminal, output, { value }, { ...listed, rows })
    })
  addConnectionOptions(origin.command('dismiss').description('say that you have looked at those of an application'))
    .argument('<app>', 'application id, public key or exact name')
    .action(async (application: string, options: ConnectionOptions) => {
      const client = await connect(options, terminal)
      const { applicationId } = await managementCalls(client).showApplication(application)
      const calls = clientCalls(client)
      const [newest] = await calls.listNewOrigins({ applicationId })
      if (newest === undefined) return terminal.say('There is nothing new.')
      await calls.dismissNewOrigins(applicationId, newest.addedAt)
      terminal.say('Dismissed.')
    })
}
