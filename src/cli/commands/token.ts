// `portcullis token`: prints an access token, bare, so that `TOKEN=$(portcullis token --app NAME)` works.

import type { Command } from 'commander'
import { Option } from 'commander'
import { addTokenOptions, obtainToken, type TokenOptions } from '../calls/access-token.js'
import { type OutputFormat, printRecord } from '../output/output.js'
import type { Terminal } from '../output/terminal.js'

/** Adds `token`. */
export function addTokenCommand(program: Command, terminal: Terminal): void {
  addTokenOptions(program.command('token').description('get an access token and print it'))
    .addOption(
      new Option('-o, --output <format>', 'how to print it (default: the token alone)').choices([
        'table',
        'json',
        'env',
      ]),
    )
    .action(async (options: TokenOptions & { output?: OutputFormat }) => {
      const answer = await obtainToken(options, terminal)
      if (options.output === undefined) return terminal.out(`${answer.access_token}\n`)
      printRecord(terminal, options.output, answer, [
        { label: 'access token', value: answer.access_token, variable: 'PORTCULLIS_ACCESS_TOKEN' },
        { label: 'expires in', value: `${answer.expires_in} s` },
        { label: 'scope', value: answer.scope ?? options.scope },
      ])
    })
}
