// `portcullis app delete`: the registration goes with everything of it. It cannot be undone, so a person is prompted.

import type { Command } from 'commander'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import type { ManagementCalls } from '../../calls/management-calls.js'
import { addYesOption } from '../../output/stop-confirmation.js'
import type { Terminal } from '../../output/terminal.js'

/** Adds `app delete`. */
export function addDeleteCommand(
  app: Command,
  terminal: Terminal,
  open: (options: ConnectionOptions) => Promise<ManagementCalls>,
): void {
  addYesOption(
    addConnectionOptions(
      app.command('delete').description('remove it with its secrets, consents and tokens, for good'),
    ),
  )
    .argument('<app>', 'application id, public key or exact name')
    .addHelpText('after', '\nTo stop it without losing it: portcullis app disable')
    .action(async (application: string, options: ConnectionOptions) => {
      const calls = await open(options)
      const { applicationId } = await calls.showApplication(application)
      await calls.deleteApplication(applicationId)
      terminal.say('The application is deleted; its tokens are refused.')
    })
}
