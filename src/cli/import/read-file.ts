// Reads a JSON file that another product wrote: so much of it and so deep, and no further.

import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { CommandFailure, exitCodes } from '../output/exit.js'
import type { Terminal } from '../output/terminal.js'

const mostBytes = 32 * 1024 * 1024
const deepest = 64

/** What the file says; `-` reads standard input. Throws CommandFailure with what is wrong with it. */
export async function readImportFile(file: string, terminal: Terminal): Promise<unknown> {
  const bytes = file === '-' ? Buffer.from(await terminal.input()) : await readBytes(resolve(terminal.cwd, file))
  if (bytes.length > mostBytes) throw refused('it is larger than 32 MiB: export without users')
  const text = decoded(bytes)
  checkDepth(text)
  try {
    return JSON.parse(text)
  } catch (error) {
    // The parser's own message may quote the file, in which there are secrets.
    throw refused('it is not JSON', error)
  }
}

async function readBytes(path: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    // A device or a pipe has no size to ask for.
    for await (const chunk of createReadStream(path)) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > mostBytes) break
    }
  } catch (error) {
    throw refused((error as NodeJS.ErrnoException).code ?? 'unknown reason', error)
  }
  return Buffer.concat(chunks)
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw refused('it is not UTF-8', error)
  }
}

/** Brackets outside of texts, without recursion. */
function checkDepth(text: string): void {
  let depth = 0
  let quoted = false
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at)
    if (quoted) {
      if (character === 0x5c) at += 1
      else if (character === 0x22) quoted = false
    } else if (character === 0x22) quoted = true
    else if (character === 0x5b || character === 0x7b) {
      depth += 1
      if (depth > deepest) throw refused('it is nested too deeply')
    } else if (character === 0x5d || character === 0x7d) depth -= 1
  }
}

function refused(why: string, cause?: unknown): CommandFailure {
  return new CommandFailure(exitCodes.usage, `the file cannot be read: ${why}`, { cause })
}
