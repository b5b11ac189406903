// What every language consists of: blocks to copy one after the other into an empty folder.

import { authorityCommands } from '../../downloads/authority.js'
import type { SnippetFacts } from './facts.js'

export type LanguageId = 'curl' | 'node' | 'python' | 'go' | 'java' | 'page'

export interface Block {
  /** After `snippet-<language>-`; the program itself has none. */
  part: 'prepare' | 'program' | 'run'
  /** What its bar says: where the text goes. */
  name: string
  text: string
}

export interface Language {
  id: LanguageId
  name: string
  /** What has to be there before anything is copied. */
  needs: string
  blocks: readonly Block[]
}

/** The block of shell commands that come first; none where there is nothing to do. */
export function preparation(facts: SnippetFacts, commands: readonly string[]): Block[] {
  const trust = facts.authority === undefined ? [] : [authorityCommands(facts.authority, facts.baseUrl)]
  const lines = [...trust, ...commands]
  return lines.length === 0 ? [] : [{ part: 'prepare', name: 'Once, in a terminal', text: lines.join('\n') }]
}

/** The block that starts the program. With a secret it reads the file of the portal. */
export function running(facts: SnippetFacts, command: string): Block {
  return {
    part: 'run',
    name: 'Run it',
    text: hasSecret(facts) ? `( set -a; . ./portcullis.env; ${command} )` : command,
  }
}

/** Whether the application proves itself by a secret, as all do that can keep one. */
export function hasSecret({ kind }: SnippetFacts): boolean {
  return kind !== 'native'
}
