// `portcullis complete`: the shell's completion script, and the answers that this script asks for at each Tab. The
// library walks a program of its own, built only then, so that nobody else pays for it.

import type { Command } from 'commander'

/**
 * Adds `complete`. `build` makes a fresh program without this command; the library adds its own of the same name to
 * it and prints to the process's standard output.
 */
export function addCompleteCommand(program: Command, build: () => Promise<Command>): void {
  program
    .command('complete')
    .description('print the completion script of a shell')
    .argument('[shell]', 'bash, zsh, fish or powershell')
    .allowExcessArguments()
    .allowUnknownOption()
    .addHelpText('after', '\nFor bash: source <(portcullis complete bash)')
    .action(async () => {
      const { default: addCompletion } = await import('@bomb.sh/tab/commander')
      const fresh = await build()
      addCompletion(fresh)
      // The parent's own arguments, for the marker `--` between the command and what is to be completed.
      await fresh.parseAsync(program.args.length > 0 ? rawArguments(program) : [], { from: 'user' })
    })
}

function rawArguments(program: Command): string[] {
  const raw = (program as Command & { rawArgs: string[] }).rawArgs
  return raw.slice(raw.indexOf('complete'))
}
