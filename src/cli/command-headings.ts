// Under which heading of `portcullis --help` a command stands.

import type { Command } from 'commander'

const headings: Readonly<Record<string, readonly string[]>> = {
  'Server:': ['serve', 'backend', 'status', 'doctor', 'reload', 'logs', 'keys', 'overview', 'top'],
  'Configuration:': ['init', 'check', 'test', 'diff', 'routes', 'mcp'],
  'Applications and permissions:': [
    ...['app', 'permission', 'catalogue', 'api', 'consent', 'plan', 'registration-token', 'import', 'usage'],
  ],
  'People and tenants:': ['tenant', 'user', 'set-up-link', 'provider'],
  'Calls and tokens:': ['token', 'call', 'explain', 'revoke'],
  'Audit and events:': ['audit', 'event', 'webhook'],
  'Storage:': ['backup', 'restore', 'migrate-store'],
  'This machine:': ['login', 'logout', 'whoami', 'trust', 'complete'],
}

/** What stands under no other. */
export const others = 'Others:'

/** Puts every command of the program under its heading. */
export function addHeadings(program: Command): void {
  for (const command of program.commands) {
    const [heading = others] = Object.entries(headings).find(([, words]) => words.includes(command.name())) ?? []
    command.helpGroup(heading)
  }
}
