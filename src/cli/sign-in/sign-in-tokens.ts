// The tokens of a sign-in as the client library keeps them: what one process has renewed, the next one finds, and only
// one renews at a time.

import { join } from 'node:path'
import type { TokenStore } from '../../client/index.js'
import { makeFolder } from '../../observability/folders.js'
import type { Terminal } from '../output/terminal.js'
import { withLock } from './file-lock.js'
import { privateFolder } from './private-files.js'
import { readSignIn, saveTokens } from './saved-sign-ins.js'

/** Of the sign-in at that server. */
export function signInTokens(terminal: Terminal, server: string): TokenStore {
  const folder = privateFolder(terminal.env)
  return {
    read: async () => (await readSignIn(terminal, server))?.tokens,
    write: (tokens) => saveTokens(terminal, server, tokens),
    async exclusively(work) {
      await makeFolder(folder, 0o700)
      return await withLock(join(folder, `${encodeURIComponent(new URL(server).host)}.lock`), work)
    },
  }
}
