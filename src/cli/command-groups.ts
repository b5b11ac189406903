// The table of contents of the command line: which file has which commands. A file is loaded when one of its words is asked
// for, because loading all of them takes longer than most commands; for help, completion and words that nobody knows, all are.

import type { Command } from 'commander'
import type { Terminal } from './terminal.js'

export interface CommandGroup {
  /** What it adds to the program, with other names. */
  words: readonly string[]
  load(): Promise<(program: Command, terminal: Terminal) => void>
}

/** In the order of the help. */
export const commandGroups: readonly CommandGroup[] = [
  { words: ['check'], load: async () => (await import('./check.js')).addCheckCommand },
  { words: ['test'], load: async () => (await import('./test.js')).addTestCommand },
  { words: ['diff'], load: async () => (await import('./diff.js')).addDiffCommand },
  { words: ['routes'], load: async () => (await import('./routes.js')).addRoutesCommand },
  { words: ['app'], load: async () => (await import('./application.js')).addApplicationCommands },
  { words: ['tenant'], load: async () => (await import('./tenant.js')).addTenantCommands },
  { words: ['user', 'set-up-link'], load: async () => (await import('./user.js')).addUserCommands },
  { words: ['permission'], load: async () => (await import('./tenant.js')).addPermissionCommands },
  { words: ['api'], load: async () => (await import('./api.js')).addApiCommands },
  { words: ['consent'], load: async () => (await import('./consent.js')).addConsentCommands },
  {
    words: ['registration-token'],
    load: async () => (await import('./registration-token.js')).addRegistrationTokenCommands,
  },
  { words: ['import'], load: async () => (await import('./import.js')).addImportCommands },
  { words: ['token'], load: async () => (await import('./token.js')).addTokenCommand },
  { words: ['call'], load: async () => (await import('./call.js')).addCallCommand },
  { words: ['explain'], load: async () => (await import('./explain.js')).addExplainCommand },
  { words: ['revoke'], load: async () => (await import('./revoke.js')).addRevokeCommands },
  { words: ['keys', 'key'], load: async () => (await import('./keys.js')).addKeyCommands },
  { words: ['audit'], load: async () => (await import('./audit.js')).addAuditCommands },
  { words: ['webhook'], load: async () => (await import('./webhook.js')).addWebhookCommands },
  { words: ['usage'], load: async () => (await import('./usage.js')).addUsageCommand },
  { words: ['logs'], load: async () => (await import('./logs.js')).addLogCommands },
  { words: ['reload'], load: async () => (await import('./reload.js')).addReloadCommand },
  { words: ['status'], load: async () => (await import('./status.js')).addStatusCommand },
  { words: ['login', 'logout', 'whoami'], load: async () => (await import('./login.js')).addLoginCommands },
  { words: ['doctor'], load: async () => (await import('./doctor.js')).addDoctorCommand },
]

/** Those that a command line needs; `argv` is without node and script. */
export function groupsFor(argv: readonly string[]): readonly CommandGroup[] {
  const [word = ''] = argv
  const meant = commandGroups.filter(({ words }) => words.includes(word))
  return meant.length > 0 || ownWords.includes(word) ? meant : commandGroups
}

/** What the program has without any group. */
const ownWords = ['serve', 'backend', '-V', '--version']
