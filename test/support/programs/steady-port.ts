// Ports for servers that come and go during a test.

import { randomInt } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Below what the system gives to outgoing connections (32768 and up): nobody takes the port while its server is away.
 */
const range = { from: 12_000, to: 32_000 }

/** Each process goes through the range from a place of its own, so that it never gives the same port twice. */
let next = randomInt(range.from, range.to)

/** A port that nobody listens on now, and that no outgoing connection and no server on "a free port" will get. */
export async function steadyPort(): Promise<number> {
  for (;;) {
    const port = next
    next = port + 1 < range.to ? port + 1 : range.from
    if ((await isFree(port)) && claimed(port)) return port
  }
}

/** Of other test processes, which would take it while its server is away: a file for each port, with who has it. */
const claims = join(tmpdir(), 'portcullis-test-ports')
const mine: string[] = []
process.once('exit', () => {
  for (const file of mine) rmSync(file, { force: true })
})

function claimed(port: number): boolean {
  const file = join(claims, String(port))
  mkdirSync(claims, { recursive: true })
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
  } catch {
    // Of a process that was killed nothing is left to come back; the next one finds the port free.
    if (!isOver(file)) return false
    rmSync(file, { force: true })
    return false
  }
  mine.push(file)
  return true
}

function isOver(file: string): boolean {
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
