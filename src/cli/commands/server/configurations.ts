// Configurations as commands compare and show them: one of a file, or the one that the server runs.

import type { AccessGrant } from '../../../directory/consents/access-grants.js'
import type { AccessRules } from '../../../gateway/diff/access-table.js'
import type { PlainRules } from '../../../gateway/diff/plain-rules.js'
import type { GrantsAnswer } from '../../../management/server/configuration-rules.js'
import type { ConnectionOptions } from '../../calls/connection-options.js'
import { type LocalClient, pathOfLink } from '../../calls/local-client.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import type { Terminal } from '../../output/terminal.js'
import { type PlacedOptions, readSettings } from './settings-file.js'

/** The rules of a file, also of one in the place of another. Throws CommandFailure with every mistake. */
export async function rulesOfFile(file: string | PlacedOptions, terminal: Terminal): Promise<AccessRules> {
  return readSettings(typeof file === 'string' ? { config: file } : file, terminal)
}

/** The rules that the server decides by now. Throws CommandFailure. */
export async function activeRules(client: LocalClient): Promise<AccessRules> {
  const plain = (await client.call('GET', '/configuration/rules')) as PlainRules
  return (await import('../../../gateway/diff/plain-rules.js')).accessRules(plain)
}

/** Who could get a token with what. Undefined where no server runs. Throws CommandFailure for all else. */
export async function grantsOf(client: LocalClient): Promise<AccessGrant[] | undefined> {
  const found: AccessGrant[] = []
  try {
    for (let path: string | undefined = '/configuration/grants'; path !== undefined; ) {
      const page = (await client.call('GET', path)) as GrantsAnswer
      found.push(...page.value.map((grant) => ({ ...grant, role: grant.role })))
      path = page.nextLink === undefined ? undefined : pathOfLink(page.nextLink)
    }
    return found
  } catch (error) {
    if (error instanceof CommandFailure && error.exitCode === exitCodes.unreachable) return undefined
    throw error
  }
}

/** Whether options say which server is meant. */
export function namesServer({ server, socket }: ConnectionOptions): boolean {
  return server !== undefined || socket !== undefined
}
