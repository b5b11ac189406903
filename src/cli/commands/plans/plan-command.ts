// `portcullis plan …`: the plans that there are, who uses them, and the requests for those that developers may not
// choose. What the commands do is loaded when they run.

import type { Command } from 'commander'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import { listOption } from '../../output/list-option.js'
import type { Terminal } from '../../output/terminal.js'
import type { DeclineOptions, PlanListOptions } from './plan-options.js'

const planHelp = `
Plans are defined in the configuration, under plans. Put an application on one:

  portcullis app create Reports --plan free
  portcullis app plan set Reports free
  portcullis app plan request Reports partner --reason "we have a contract"
  portcullis plan requests
`

/** Adds `plan` and its commands. */
export function addPlanCommands(program: Command, terminal: Terminal): void {
  const plan = program
    .command('plan')
    .description('plans: what applications may use, and requests for them')
    .addHelpText('after', planHelp)
  addConnectionOptions(plan.command('list').description('the plans, with their limits and who may choose them'))
    .addOption(listOption())
    .action(async (options: PlanListOptions) => (await import('./plans.js')).listPlans(options, terminal))
  addConnectionOptions(plan.command('use').description('who uses each plan, or one; for operators'))
    .argument('[plan]', 'list the applications that were put on this plan; also one that is gone')
    .addOption(listOption())
    .action(async (name: string | undefined, options: PlanListOptions) =>
      (await import('./plans.js')).showUse(name, options, terminal),
    )
  addRequests(plan, terminal)
}

function addRequests(plan: Command, terminal: Terminal): void {
  addConnectionOptions(plan.command('requests').description('the requests for plans that wait for a decision'))
    .option('--tenant <tenant>', 'only of this tenant, id or name')
    .addOption(listOption())
    .action(async (options: PlanListOptions) => (await import('./requests.js')).listRequests(options, terminal))
  addConnectionOptions(plan.command('approve').description('put the application on the plan that it requests'))
    .argument('<request>', 'id of the request (see: plan requests)')
    .action(async (id: string, options: ConnectionOptions) =>
      (await import('./requests.js')).approve(id, options, terminal),
    )
  addConnectionOptions(plan.command('decline').alias('refuse').description('decline a request'))
    .argument('<request>', 'id of the request (see: plan requests)')
    .option('--reason <text>', 'why; those who requested it read it')
    .action(async (id: string, options: DeclineOptions) =>
      (await import('./requests.js')).decline(id, options, terminal),
    )
}
