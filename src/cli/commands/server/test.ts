// `portcullis test [FILE]`: runs the tests that stand in a configuration over its own routes, without a server.

import type { Command } from 'commander'
import { Option } from 'commander'
import type { TestResult } from '../../../gateway/explain/call-tests.js'
import { addConfigOption, type ConnectionOptions } from '../../calls/connection-options.js'
import { placedOptions } from '../../configuration/placed-file.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { printJson } from '../../output/output.js'
import { printable } from '../../output/table.js'
import type { Terminal } from '../../output/terminal.js'
import { readSettings } from './settings-file.js'

interface TestOptions extends ConnectionOptions {
  as?: string
  output: 'text' | 'json'
}

const help = `
A test is a call and what must come of it:

  tests:
    - { call: GET /api/v2/me, expect: { status: 401 } }
    - call: GET /api/v2/me
      with: [User.Read]
      as: user
      expect: { upstream: backend }
    - call: GET /api/v2/me
      with: [assets_read]
      expect: { needs: User.Read.All }
    - call: POST /desk/mcp
      tool: close_ticket
      with: [desk.read]
      expect: { needs: desk.write }

They are decided by the gate's own code, over the routes of the file, for a token with just these permissions. A
configuration of which one fails is not loaded: neither at a start nor at a reload.
Ends with 0 when all pass, 1 when one fails, 2 when the file has mistakes.
`

/** Adds `test`. */
export function addTestCommand(program: Command, terminal: Terminal): void {
  addConfigOption(program.command('test').description('run the tests that stand in the configuration'))
    .argument('[file]', 'the file (default: as --config says)')
    .option('--as <file>', 'the included file in whose place it is read, as include names it')
    .addOption(
      new Option('-o, --output <format>', 'how to print the results').choices(['text', 'json']).default('text'),
    )
    .addHelpText('after', help)
    .action(async (file: string | undefined, options: TestOptions) => {
      const settings = await readSettings(await placedOptions(file, options, terminal), terminal)
      const { runTests } = await import('../../../gateway/explain/call-tests.js')
      const results = await runTests(settings)
      if (options.output === 'json') printJson(terminal, results.map(resultAnswer))
      else terminal.out(results.map(resultLine).join(''))
      const failed = results.filter(({ passed }) => !passed).length
      if (failed > 0) throw new CommandFailure(exitCodes.failed, `${failed} of ${results.length} tests failed`)
      terminal.say(results.length === 0 ? `${settings.file} has no tests` : `all ${results.length} tests passed`)
    })
}

function resultLine({ test, call: said, passed, expected, found }: TestResult): string {
  const { file, line, column } = test.position
  const call = `${file}:${line}:${column} ${said}${withText(test)}`
  const result = passed ? `pass ${call}: ${expected}` : `FAIL ${call}: expected ${expected}; it is ${found}`
  return `${printable(result)}\n`
}

function withText({ token }: TestResult['test']): string {
  if (token === undefined) return ''
  const permissions = token.permissions.length === 0 ? 'no permission' : token.permissions.join(', ')
  return ` with ${permissions}${token.kind === 'delegated' ? ' as a user' : ''}`
}

function resultAnswer({ test, passed, expected, found }: TestResult): unknown {
  const { method, target, operation, token, position } = test
  return {
    ...position,
    call: `${method} ${target}`,
    ...(operation === undefined ? {} : { operation }),
    with: token?.permissions ?? null,
    passed,
    expected,
    found,
  }
}
