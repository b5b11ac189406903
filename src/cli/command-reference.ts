// The reference of every command: the help of each, as the program itself prints it.

import type { Command } from 'commander'
import type { Terminal } from './output/terminal.js'
import { wholeProgram } from './program.js'

/** In Markdown: a chapter for each command at the top, with those below it. */
export async function commandReference(version: string): Promise<string> {
  const printed: string[] = []
  const program = await wholeProgram({
    version,
    serve: async () => undefined,
    backend: async () => undefined,
    terminal: listening(printed),
  })
  const helpOf = (command: Command) => {
    printed.length = 0
    command.outputHelp()
    return printed.join('').trim()
  }
  return [
    'Every command with its help, as the program prints it. [Command line](command-line.md) says how to begin.',
    '',
    block(helpOf(program)),
    ...program.commands.flatMap((command) => chapter(command, `${program.name()} ${command.name()}`, 2, helpOf)),
  ].join('\n')
}

function chapter(command: Command, path: string, depth: number, helpOf: (command: Command) => string): string[] {
  const inner = command.commands.filter((one) => one.name() !== 'help')
  return [
    '',
    `${'#'.repeat(depth)} ${path}`,
    '',
    block(helpOf(command)),
    ...inner.flatMap((one) => chapter(one, `${path} ${one.name()}`, Math.min(depth + 1, 4), helpOf)),
  ]
}

function block(text: string): string {
  return `\`\`\`\n${text}\n\`\`\``
}

/** A terminal at which nobody sits. */
function listening(printed: string[]): Terminal {
  return {
    out: (data) => void printed.push(data.toString()),
    say: () => undefined,
    env: {},
    cwd: '/',
    interactive: false,
    colours: false,
    input: async () => '',
  }
}
