// The table of contents of the command line: which file has which commands. A file is loaded when one of its words is
// typed, because loading all of them takes longer than most commands; for help, completion and words that nobody knows,
// all are.

import type { Command } from 'commander'
import type { Terminal } from './output/terminal.js'

export interface CommandGroup {
  /** What it adds to the program, with other names. */
  words: readonly string[]
  load(): Promise<(program: Command, terminal: Terminal) => void>
}

/** In the order of the help. */
export const commandGroups: readonly CommandGroup[] = [
  { words: ['init'], load: async () => (await import('./init/init-command.js')).addInitCommand },
  { words: ['check'], load: async () => (await import('./commands/server/check.js')).addCheckCommand },
  { words: ['test'], load: async () => (await import('./commands/server/test.js')).addTestCommand },
  { words: ['diff'], load: async () => (await import('./commands/server/diff.js')).addDiffCommand },
  { words: ['routes'], load: async () => (await import('./commands/server/routes.js')).addRoutesCommand },
  { words: ['mcp'], load: async () => (await import('./commands/mcp/mcp-command.js')).addMcpCommands },
  { words: ['app'], load: async () => (await import('./commands/applications/application.js')).addApplicationCommands },
  { words: ['plan'], load: async () => (await import('./commands/plans/plan-command.js')).addPlanCommands },
  { words: ['tenant'], load: async () => (await import('./commands/people/tenant.js')).addTenantCommands },
  { words: ['user', 'set-up-link'], load: async () => (await import('./commands/people/user.js')).addUserCommands },
  { words: ['permission'], load: async () => (await import('./commands/people/tenant.js')).addPermissionCommands },
  { words: ['api'], load: async () => (await import('./commands/applications/api.js')).addApiCommands },
  {
    words: ['catalogue'],
    load: async () => (await import('./commands/catalogue/catalogue-command.js')).addCatalogueCommands,
  },
  { words: ['consent'], load: async () => (await import('./commands/applications/consent.js')).addConsentCommands },
  {
    words: ['registration-token'],
    load: async () => (await import('./commands/applications/registration-token.js')).addRegistrationTokenCommands,
  },
  { words: ['import'], load: async () => (await import('./commands/import.js')).addImportCommands },
  { words: ['token'], load: async () => (await import('./commands/token.js')).addTokenCommand },
  { words: ['call'], load: async () => (await import('./commands/call.js')).addCallCommand },
  { words: ['explain'], load: async () => (await import('./commands/server/explain.js')).addExplainCommand },
  { words: ['revoke'], load: async () => (await import('./commands/server/revoke.js')).addRevokeCommands },
  { words: ['keys', 'key'], load: async () => (await import('./commands/server/keys.js')).addKeyCommands },
  { words: ['audit'], load: async () => (await import('./commands/audit/audit.js')).addAuditCommands },
  { words: ['event'], load: async () => (await import('./commands/server/event.js')).addEventCommands },
  { words: ['webhook'], load: async () => (await import('./commands/webhooks/webhook.js')).addWebhookCommands },
  {
    words: ['overview', 'top'],
    load: async () => (await import('./commands/overview/overview-command.js')).addOverviewCommands,
  },
  { words: ['provider'], load: async () => (await import('./commands/server/provider.js')).addProviderCommands },
  { words: ['usage'], load: async () => (await import('./commands/applications/usage.js')).addUsageCommand },
  { words: ['logs'], load: async () => (await import('./commands/server/logs.js')).addLogCommands },
  { words: ['reload'], load: async () => (await import('./commands/server/reload.js')).addReloadCommand },
  { words: ['status'], load: async () => (await import('./commands/server/status.js')).addStatusCommand },
  { words: ['login', 'logout', 'whoami'], load: async () => (await import('./sign-in/login.js')).addLoginCommands },
  { words: ['backup'], load: async () => (await import('./commands/storage/backup-command.js')).addBackupCommand },
  { words: ['restore'], load: async () => (await import('./commands/storage/restore-command.js')).addRestoreCommand },
  {
    words: ['migrate-store'],
    load: async () => (await import('./commands/storage/migrate-store-command.js')).addMigrateStoreCommand,
  },
  { words: ['trust'], load: async () => (await import('./trust/trust-command.js')).addTrustCommand },
  { words: ['doctor'], load: async () => (await import('./commands/doctor/doctor.js')).addDoctorCommand },
]

/** Those that a command line needs; `argv` is without node and script. */
export function groupsFor(argv: readonly string[]): readonly CommandGroup[] {
  const [word = ''] = argv
  const meant = commandGroups.filter(({ words }) => words.includes(word))
  return meant.length > 0 || ownWords.includes(word) ? meant : commandGroups
}

/** What the program has without any group. */
const ownWords = ['serve', 'backend', '-V', '--version']
