// What `portcullis plan requests|approve|decline` do.

import { connect } from '../../calls/connection.js'
import type { ConnectionOptions } from '../../calls/connection-options.js'
import { managementCalls, requireTenant } from '../../calls/management-calls.js'
import { namesOf } from '../../calls/names.js'
import { planCalls } from '../../calls/plan-calls.js'
import { printList } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'
import type { DeclineOptions, PlanListOptions } from './plan-options.js'

const requestList = {
  headings: ['REQUEST', 'APPLICATION', 'PLAN', 'REQUESTED', 'REASON', 'BY', 'TENANT', 'APPLICATION ID', 'TENANT ID'],
  context: ['TENANT', 'APPLICATION ID', 'TENANT ID'],
  empty: 'Nobody waits for a decision about a plan.',
}

/** What waits. */
export async function listRequests(options: PlanListOptions, terminal: Terminal): Promise<void> {
  const client = await connect(options, terminal)
  const tenantId =
    options.tenant === undefined ? undefined : await requireTenant(managementCalls(client), options.tenant)
  const value = await planCalls(client).requests(tenantId)
  const names = await namesOf(client, options.output, {
    tenants: value.map((one) => one.tenantId),
    users: value.map(({ requestedBy }) => requestedBy),
    applications: value.map(({ requestedBy }) => requestedBy),
  })
  const rows = value.map((one) => [
    ...[one.requestId, one.applicationName, one.plan, one.requestedAt, one.reason],
    names.user(one.requestedBy) || names.application(one.requestedBy) || one.requestedBy || 'this server',
    ...[names.tenant(one.tenantId), one.applicationId, one.tenantId],
  ])
  printList(terminal, options.output, { value }, { ...requestList, rows })
}

/** Approves. */
export async function approve(requestId: string, options: ConnectionOptions, terminal: Terminal): Promise<void> {
  const { applicationName, plan } = await planCalls(await connect(options, terminal)).approve(requestId)
  terminal.say(`Approved: ${applicationName} is on the plan ${plan}.`)
}

/** Declines. */
export async function decline(requestId: string, options: DeclineOptions, terminal: Terminal): Promise<void> {
  const { reason } = options
  const calls = planCalls(await connect(options, terminal))
  const { applicationName } = await calls.decline(requestId, reason === undefined ? {} : { reason })
  terminal.say(`Declined: the plan of ${applicationName} stays as it is.`)
}
