// `portcullis complete`: the shell's completion script, and the answers that this script asks for at each Tab. The
// library walks a program of its own, built only then, so that nobody else pays for it.

import type { Command } from 'commander'
import type { Terminal } from '../output/terminal.js'

const help = `
For bash: source <(portcullis complete bash)
For zsh:  source <(portcullis complete zsh)
For fish: portcullis complete fish | source

Names of applications, tenants, people, permissions and routes are completed too, where a server answers within a second.
`

/**
 * Adds `complete`. `build` makes a fresh program without this command; the library adds its own of the same name to
 * it and prints to the process's standard output.
 */
export function addCompleteCommand(program: Command, terminal: Terminal, build: () => Promise<Command>): void {
  program
    .command('complete')
    .description('print the completion script of a shell')
    .argument('[shell]', 'bash, zsh, fish or powershell')
    .allowExcessArguments()
    .allowUnknownOption()
    .addHelpText('after', help)
    .action(async () => {
      const [{ default: addCompletion }, { completeNames }] = await Promise.all([
        import('@bomb.sh/tab/commander'),
        import('../completion/complete-names.js'),
      ])
      const fresh = await build()
      const completion = addCompletion(fresh)
      const words = program.args.length > 0 ? rawArguments(program) : []
      // `complete -- WORD …`: the last word is the one that is being typed.
      if (words[1] === '--') await completeNames(completion, fresh, words.slice(2), { terminal })
      // The parent's own arguments, for the marker `--` between the command and what is to be completed.
      await fresh.parseAsync(words, { from: 'user' })
    })
}

function rawArguments(program: Command): string[] {
  const raw = (program as Command & { rawArgs: string[] }).rawArgs
  return raw.slice(raw.indexOf('complete'))
}
