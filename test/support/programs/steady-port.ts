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

/** Where nothing can be written, as in a folder of somebody else, ports are not kept apart. */
function claimed(port: number): boolean {
  const file = join(claims, String(port))
  try {
    mkdirSync(claims, { recursive: true })
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    mine.push(file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return true
    // What a killed process had is free for the next one that comes by.
    if (isOver(file)) rmSync(file, { force: true })
    return false
  }
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
