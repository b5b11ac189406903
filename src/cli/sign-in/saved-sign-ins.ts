// Who is signed in where: one file for each server, and the name of the server that was signed in to last.

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { HeldTokens } from '../../client/index.js'
import { CommandFailure, exitCodes } from '../output/exit.js'
import type { Terminal } from '../output/terminal.js'
import { currentServer, setCurrentServer } from './current-server.js'
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
  await setCurrentServer(terminal, saved.server)
}

/** Forgets it. */
export async function removeSignIn(terminal: Terminal, server: string): Promise<void> {
  const folder = privateFolder(terminal.env)
  await rm(join(folder, fileOf(server)), { force: true })
  if ((await currentServer(terminal)) === server) await setCurrentServer(terminal, undefined)
}

/** Keeps the tokens of a sign-in; `undefined`: it has ended, and who trusts whom there stays. */
export async function saveTokens(terminal: Terminal, server: string, tokens: HeldTokens | undefined): Promise<void> {
  const { tokens: _before, ...rest } = (await readSignIn(terminal, server)) ?? { server }
  await write(privateFolder(terminal.env), tokens === undefined ? rest : { ...rest, tokens })
}

function write(folder: string, saved: SavedSignIn): Promise<void> {
  return writePrivate(folder, fileOf(saved.server), `${JSON.stringify(saved, undefined, 2)}\n`)
}

/** One file name for one origin. */
function fileOf(server: string): string {
  return `${encodeURIComponent(new URL(server).host)}.json`
}
