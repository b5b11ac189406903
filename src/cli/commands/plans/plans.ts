// What `portcullis plan list|use` do.

import { connect } from '../../calls/connection.js'
import { planCalls } from '../../calls/plan-calls.js'
import { printList } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'
import type { PlanListOptions } from './plan-options.js'
import { limitsText } from './plan-text.js'

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
