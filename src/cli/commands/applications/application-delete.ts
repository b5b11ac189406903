// `portcullis app delete`: the registration goes with everything of it. It cannot be undone, so a person is prompted.

import type { Command } from 'commander'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import type { ManagementCalls } from '../../calls/management-calls.js'
import { requireConfirmation } from '../../output/confirmation.js'
import type { Terminal } from '../../output/terminal.js'

/** Adds `app delete`. */
export function addDeleteCommand(
  app: Command,
  terminal: Terminal,
  open: (options: ConnectionOptions) => Promise<ManagementCalls>,
): void {
  addConnectionOptions(app.command('delete').description('remove it with its secrets, consents and tokens, for good'))
    .argument('<app>', 'application id, public key or exact name')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', '\nTo stop it without losing it: portcullis app disable')
    .action(async (application: string, options: ConnectionOptions & { yes?: boolean }) => {
      const calls = await open(options)
      const { applicationId, name } = await calls.showApplication(application)
      await requireConfirmation(terminal, `Delete the application ${name} (${applicationId}) for good?`, options.yes)
      await calls.deleteApplication(applicationId)
      terminal.say('The application is deleted; its tokens are refused.')
    })
}
