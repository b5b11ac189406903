// The server that is meant when none is named: the one that was signed in to last.

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Terminal } from '../output/terminal.js'
import { privateFolder, readPrivate, writePrivate } from './private-files.js'

const file = 'current'

/** Its origin; undefined when there is none any more. */
export async function currentServer({ env }: Pick<Terminal, 'env'>): Promise<string | undefined> {
  return (await readPrivate(join(privateFolder(env), file)))?.trim()
}

/** Undefined: none is meant. */
export async function setCurrentServer({ env }: Pick<Terminal, 'env'>, server: string | undefined): Promise<void> {
  const folder = privateFolder(env)
  if (server === undefined) await rm(join(folder, file), { force: true })
  else await writePrivate(folder, file, `${server}\n`)
}
