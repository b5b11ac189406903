// What a command knows of the world around it: two streams, the environment, the folder it was started in. Tests give
// their own. Data goes to `out`, everything said to a person to `say`.

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'

export interface Terminal {
  /** Standard output, for data only: bytes as they are. */
  out(data: string | Uint8Array): void
  /** Standard error, for messages: text without the final newline. */
  say(message: string): void
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  /** Whether a person reads standard output as it comes. */
  readonly interactive: boolean
  /** Whether colours may be written to standard output. */
  readonly colours: boolean
  /** Its columns; absent where nobody sits at one. */
  readonly width?: number | undefined
  /** Epoch milliseconds; absent: the clock of this machine. */
  now?(): number
  /** All of standard input as text. */
  input(): Promise<string>
  /** Asks the person who sits there and answers their line, shown while they type or not; absent: nobody does. */
  ask?(question: string, isHidden?: boolean): Promise<string>
}

/**
 * The terminal of this process. A reader that closes the pipe early (`| head`) ends a command quietly; not a server,
 * which prints nothing by this way.
 */
export function processTerminal(): Terminal {
  const { stdout, stderr, env } = process
  const endQuietly = (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  }
  return {
    out(data) {
      if (!stdout.listeners('error').includes(endQuietly)) stdout.on('error', endQuietly)
      stdout.write(data)
    },
    say: (message) => void stderr.write(`${message}\n`),
    env,
    cwd: process.cwd(),
    interactive: stdout.isTTY === true,
    // https://no-color.org: any value but the empty one.
    colours: stdout.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb',
    width: stdout.isTTY === true ? stdout.columns || 80 : undefined,
    now: Date.now,
    input: () => text(process.stdin),
    ...(process.stdin.isTTY === true && stderr.isTTY === true ? { ask: askPerson } : {}),
  }
}

/** The line that a person types after the question; empty when they end the input instead. */
async function askPerson(question: string, isHidden = false): Promise<string> {
  const [{ createInterface }, { Writable }] = await Promise.all([
    import('node:readline/promises'),
    import('node:stream'),
  ])
  const { stdin, stderr } = process
  // With `terminal` the echo is readline's, not the terminal's own, and goes to an output that shows nothing.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: stdin, output: isHidden ? nowhere : stderr, terminal: true })
  // Only now does the terminal show nothing of its own: who sees the question may type.
  if (isHidden) stderr.write(question)
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
  // The terminal is as it was before the signal ends this process: no answer is not the empty one.
  lines.once('SIGINT', () => {
    lines.close()
    process.kill(process.pid, 'SIGINT')
  })
  try {
    return await Promise.race([lines.question(isHidden ? '' : question), ended])
  } finally {
    lines.close()
    if (isHidden) stderr.write('\n')
  }
}

/** An argument's text: `@file` is that file, `-` is standard input, anything else is itself. */
export async function argumentText(argument: string, terminal: Terminal): Promise<string> {
  if (argument === '-') return await terminal.input()
  if (!argument.startsWith('@')) return argument
  const path = resolve(terminal.cwd, argument.slice(1))
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    // Reading a folder fails without saying which.
    throw Object.assign(error as Error, { path })
  }
}
