// `portcullis app delete` and `app restore`: a registration goes, and comes back for as long as the server keeps it. A
// person is prompted before it goes, and before credentials or consents come back with it.

import type { Command } from 'commander'
import { connect } from '../../calls/connection.js'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import { outputOption } from '../../output/output.js'
import { addYesOption } from '../../output/stop-confirmation.js'
import type { Terminal } from '../../output/terminal.js'
import type { RestoreOptions } from './deleted-application.js'

/** Adds `app delete` and `app restore`. */
export function addDeleteCommands(app: Command, terminal: Terminal): void {
  addYesOption(
    addConnectionOptions(app.command('delete').description('remove it; its tokens are refused at once, everywhere')),
  )
    .argument('<app>', 'application id, public key or exact name')
    .option('--now', 'for good: it cannot be restored; also one that was deleted before')
    .addHelpText('after', '\nTo bring it back: portcullis app restore. To stop it without deleting: app disable\n')
    .action(async (application: string, options: ConnectionOptions & { now?: boolean }) => {
      const { deleteApplication } = await import('./deleted-application.js')
      await deleteApplication(terminal, await connect(options, terminal), application, options.now === true)
    })
  const restore = app.command('restore').description('bring a deleted application back; none of its tokens')
  addYesOption(addConnectionOptions(restore))
    .argument('<app>', 'application id, public key or exact name (see: app list --deleted)')
    .option('--credentials', 'with its secrets, keys and federated credentials; else it gets new ones')
    .option('--consents', 'consent anew to what its own tenant had consented to')
    .addOption(outputOption())
    .action(async (application: string, options: RestoreOptions) => {
      const { restoreApplication } = await import('./deleted-application.js')
      await restoreApplication(terminal, await connect(options, terminal), application, options)
    })
}
