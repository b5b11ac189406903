// Reads a JSON file that another product wrote: so much of it and so deep, and no further.

import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { parseDocument, unreadable } from '../../management/imports/document.js'
import type { Terminal } from '../output/terminal.js'

const mostBytes = 32 * 1024 * 1024

/** What the file says; `-` reads standard input. Throws RegistrationProblem with what is wrong with it. */
export async function readImportFile(file: string, terminal: Terminal): Promise<unknown> {
  const bytes = file === '-' ? Buffer.from(await terminal.input()) : await readBytes(resolve(terminal.cwd, file))
  if (bytes.length > mostBytes) throw unreadable('it is larger than 32 MiB: export without users')
  return parseDocument(bytes)
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
    throw unreadable((error as NodeJS.ErrnoException).code ?? 'unknown reason', error)
  }
  return Buffer.concat(chunks)
}
