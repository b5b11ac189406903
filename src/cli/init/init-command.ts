// `portcullis init`: a configuration for production, from five questions or from flags.

import { type Command, Option } from 'commander'
import type { Terminal } from '../output/terminal.js'
import type { InitOptions } from './init.js'

const help = `
It asks for what is not given, where somebody sits at a terminal. Nothing is overwritten. The folder then has
portcullis.yaml, without a secret in it, conf.d for the rules of your services, and secrets (0700) with new master keys and
with the addresses that hold passwords. file:/path as an address keeps a password off the command line.

  portcullis init /etc/portcullis
  portcullis init . --base-url https://api.example.com --cert tls.crt --key tls.key
  portcullis init . --base-url https://api.example.com --behind 10.0.0.0/8 --store file:/run/secrets/store-url
`

/** Adds `init`. It ends with 2 when something is missing, wrong or there already; nothing is written then. */
export function addInitCommand(program: Command, terminal: Terminal): void {
  program
    .command('init')
    .description('write a configuration for production')
    .argument('[folder]', 'where to', '.')
    .option('--base-url <url>', 'public address: an https origin')
    .option('--cert <file>', 'certificate with its chain, PEM; with --key')
    .option('--key <file>', 'its private key, PEM')
    .option(
      '--behind <blocks>',
      'instead of a certificate: a proxy in front ends TLS, at these addresses or CIDR blocks',
    )
    .option('--listen <host:port>', 'where to listen (default: 0.0.0.0:8443)')
    .option('--data <folder>', 'data folder (default: data beside the file)')
    .option('--store <url>', 'postgresql://… of the database; none: the embedded one')
    .option('--redis <url>', 'redis://… where several instances count together')
    .option('--mail <url>', 'smtp://… or smtps://… of the mail server; none: links are shown to those who make them')
    .addOption(new Option('--defaults', 'ask nothing: what is not given has its default'))
    .addHelpText('after', help)
    .action(async (folder: string, options: InitOptions) => (await import('./init.js')).init(folder, options, terminal))
}
