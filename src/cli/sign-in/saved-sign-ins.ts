// Who is signed in where: one file for each server, and the name of the server that was signed in to last.

import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { HeldTokens, TokenStore } from '../../client/index.js'
import { CommandFailure, exitCodes } from '../exit.js'
import type { Terminal } from '../terminal.js'
import { withLock } from './file-lock.js'
import { privateFolder, readPrivate, writePrivate } from './private-files.js'

export interface SavedSignIn {
  server: string
  /** PEM of the authorities to trust there; absent: those that Node trusts. */
  ca?: string | undefined
  /** From the ID token. */
  person?: { id: string; name?: string; email?: string } | undefined
  tenantId?: string | undefined
  /** Absent: the sign-in has ended. */
  tokens?: HeldTokens | undefined
}

const currentFile = 'current'

/** The sign-in at that server. Throws CommandFailure when its file cannot be trusted or read. */
export async function readSignIn(terminal: Terminal, server: string): Promise<SavedSignIn | undefined> {
  const path = join(privateFolder(terminal.env), fileOf(server))
  const text = await readPrivate(path)
  if (text === undefined) return undefined
  try {
    const saved = JSON.parse(text) as SavedSignIn
    if (saved.server === server) return saved
  } catch {}
  throw new CommandFailure(exitCodes.failed, `${path} is damaged: remove it and sign in again`)
}

/** Keeps it, and makes that server the one that is meant when none is named. */
export async function saveSignIn(terminal: Terminal, saved: SavedSignIn): Promise<void> {
  const folder = privateFolder(terminal.env)
  await write(folder, saved)
  await writePrivate(folder, currentFile, `${saved.server}\n`)
}

/** Forgets it. */
export async function removeSignIn(terminal: Terminal, server: string): Promise<void> {
  const folder = privateFolder(terminal.env)
  await rm(join(folder, fileOf(server)), { force: true })
  if ((await currentServer(terminal)) === server) await rm(join(folder, currentFile), { force: true })
}

/** The server that was signed in to last; undefined when there is none any more. */
export async function currentServer(terminal: Terminal): Promise<string | undefined> {
  return (await readPrivate(join(privateFolder(terminal.env), currentFile)))?.trim()
}

/** The tokens of a sign-in for the client library; what one process has renewed, the next one finds. */
export function tokenStore(terminal: Terminal, server: string): TokenStore {
  const folder = privateFolder(terminal.env)
  return {
    read: async () => (await readSignIn(terminal, server))?.tokens,
    async write(tokens) {
      const { tokens: _before, ...rest } = (await readSignIn(terminal, server)) ?? { server }
      await write(folder, tokens === undefined ? rest : { ...rest, tokens })
    },
    async alone(work) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      return await withLock(join(folder, `${fileOf(server)}.lock`), work)
    },
  }
}

function write(folder: string, saved: SavedSignIn): Promise<void> {
  return writePrivate(folder, fileOf(saved.server), `${JSON.stringify(saved, undefined, 2)}\n`)
}

/** One file name for one origin. */
function fileOf(server: string): string {
  return `${encodeURIComponent(new URL(server).host)}.json`
}
