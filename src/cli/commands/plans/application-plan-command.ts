// `portcullis app plan …`: the plan of one application. What the commands do is loaded when they run.

import type { Command } from 'commander'
import { collected, wholeNumber } from '../../arguments.js'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import { outputOption } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'
import type { ApplicationPlanOptions, OverrideOptions, RequestOptions } from './plan-options.js'

const applicationHelp = 'application id, public key or exact name'

const overrideHelp = `
An override stands in place of a number of its plan, of the same kind and period; what is not named stays as it is.

  portcullis app plan override Reports --quota daily=5000/day
  portcullis app plan override Reports --rate application=900/min --burst application=90
  portcullis app plan override Reports --remove daily
  portcullis app plan override Reports --none
`

/** Adds `app plan` and its commands. */
export function addApplicationPlanCommands(app: Command, terminal: Terminal): void {
  const plan = app.command('plan').description('its plan: what it may use')
  const add = (name: string, description: string) =>
    addConnectionOptions(plan.command(name).description(description))
      .argument('<app>', applicationHelp)
      .addOption(outputOption(['table', 'json']))
  add('show', 'its plan, the limits that count for it, and what it requested').action(
    async (reference: string, options: ApplicationPlanOptions) => (await commands()).show(reference, options, terminal),
  )
  add('set', 'put it on a plan')
    .argument('<plan>', 'name of the plan (see: plan list)')
    .action(async (reference: string, name: string, options: ApplicationPlanOptions) =>
      (await commands()).set({ reference, name }, options, terminal),
    )
  add('clear', 'take it off its plan: the default plan counts').action(
    async (reference: string, options: ApplicationPlanOptions) =>
      (await commands()).set({ reference, name: null }, options, terminal),
  )
  add('request', 'request a plan that somebody else has to approve')
    .argument('<plan>', 'name of the plan (see: plan list)')
    .option('--reason <text>', 'why; those who decide read it')
    .action(async (reference: string, name: string, options: RequestOptions) =>
      (await commands()).request({ reference, name }, options, terminal),
    )
  addConnectionOptions(plan.command('withdraw').description('take its request back'))
    .argument('<app>', applicationHelp)
    .action(async (reference: string, options: ConnectionOptions) =>
      (await commands()).withdraw(reference, options, terminal),
    )
  add('override', 'give it numbers of its own; for operators')
    .option('--rate <limit=rate>', 'such as application=900/min, repeatable', collected)
    .option('--burst <limit=number>', 'how many of a rate at once, repeatable', collected)
    .option('--quota <limit=quota>', 'such as daily=5000/day, repeatable', collected)
    .option('--concurrent <number>', 'requests under way at once', wholeNumber)
    .option('--no-concurrent', 'as its plan says')
    .option('--remove <limit>', 'the numbers of its plan again, repeatable', collected)
    .option('--none', 'no overrides at all')
    .addHelpText('after', overrideHelp)
    .action(async (reference: string, options: OverrideOptions) =>
      (await import('./override.js')).override(reference, options, terminal),
    )
}

const commands = () => import('./application-plan.js')
