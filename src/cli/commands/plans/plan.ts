// What `portcullis plan …` does.

import { connect } from '../../calls/connection.js'
import type { ConnectionOptions } from '../../calls/connection-options.js'
import { managementCalls, requireTenant } from '../../calls/management-calls.js'
import { namesOf } from '../../calls/names.js'
import { planCalls } from '../../calls/plan-calls.js'
import { printList } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'
import type { DeclineOptions, PlanListOptions } from './plan-command.js'
import { limitsText } from './plan-text.js'

const requestList = {
  headings: ['REQUEST', 'APPLICATION', 'PLAN', 'REQUESTED', 'REASON', 'BY', 'TENANT', 'APPLICATION ID', 'TENANT ID'],
  context: ['TENANT', 'APPLICATION ID', 'TENANT ID'],
  empty: 'Nobody waits for a decision about a plan.',
}

/** The plans of the configuration. */
export async function listPlans(options: PlanListOptions, terminal: Terminal): Promise<void> {
  const value = await planCalls(await connect(options, terminal)).plans()
  const rows = value.map((plan) => [
    plan.default ? `${plan.name} (default)` : plan.name,
    limitsText(plan),
    plan.chosenBy,
    plan.describe,
  ])
  printList(
    terminal,
    options.output,
    { value },
    {
      headings: ['PLAN', 'LIMITS', 'CHOSEN BY', 'WHAT FOR'],
      rows,
      empty: 'This server has no plans. They stand in its configuration, under plans.',
    },
  )
}

/** How many applications each plan has, or which ones one plan has. */
export async function showUse(name: string | undefined, options: PlanListOptions, terminal: Terminal): Promise<void> {
  const calls = planCalls(await connect(options, terminal))
  if (name !== undefined) {
    const value = await calls.applicationsOf(name)
    const rows = value.map((one) => [
      ...[one.name, one.overridden ? 'own numbers' : '', one.tenantName, one.applicationId, one.tenantId],
    ])
    const headings = ['APPLICATION', 'OVERRIDES', 'TENANT', 'APPLICATION ID', 'TENANT ID']
    const empty = `Nobody put an application on ${name}.`
    return printList(terminal, options.output, { value }, { headings, rows, context: ['TENANT', 'TENANT ID'], empty })
  }
  const use = await calls.use()
  const rows = use.value.map(({ plan, defined, default: isDefault, applications, overridden }) => [
    ...[plan, String(applications), String(overridden)],
    defined ? (isDefault ? 'the default plan' : '') : 'gone: the default plan counts',
  ])
  printList(terminal, options.output, use, {
    headings: ['PLAN', 'APPLICATIONS', 'WITH OVERRIDES', 'NOTE'],
    rows,
    empty: 'This server has no plans, and nobody put an application on one.',
  })
  terminal.say(`Applications that nobody put on a plan: ${use.unassigned}.`)
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
