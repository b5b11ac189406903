// The options that say which server is meant; every command that talks to one has them.

import type { Command } from 'commander'

export interface ConnectionOptions {
  config?: string
  socket?: string
  server?: string
  /** Changes that stop others are sent without a question; commands that send one have `--yes`. */
  yes?: boolean
}

/** Adds `--config`. */
export function addConfigOption(command: Command): Command {
  return command.option('-c, --config <file>', 'configuration file (or PORTCULLIS_CONFIG)')
}

/** Adds `--config`, `--socket` and `--server`. */
export function addConnectionOptions(command: Command): Command {
  return addConfigOption(command)
    .option('--socket <path>', "the server's local socket (or PORTCULLIS_SOCKET)")
    .option('--server <url>', 'a server elsewhere (or PORTCULLIS_SERVER); see: portcullis login')
}
