// What the portal shows of an application, copied by Chromium from its page and run in an empty folder, as a developer
// does it: block after block, and the person signs in where the program says.

import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { pressCopy } from '../browser/pages.js'
import { plainEnvironment } from '../settings/plain-environment.js'

export interface Copied {
  part: 'prepare' | 'program' | 'run'
  /** Where the text goes: the name of a file, or words about a terminal. */
  place: string
  text: string
}

export interface Started {
  child: ChildProcess
  /** All that it said so far, on both. */
  output(): string
  /** The first match in what it says. Rejects when it ends without. */
  says(pattern: RegExp): Promise<RegExpExecArray>
  ended: Promise<number | null>
}

/** The blocks of a language on the application's page that is open, taken by its copy buttons, in their order. */
export async function copyLanguage(page: Page, language: string): Promise<Copied[]> {
  await page.click(`label:has(#language-${language})`)
  const blocks: Copied[] = []
  for (const pre of await page.locator(`.of-${language} pre`).all()) {
    const id = (await pre.getAttribute('id')) ?? ''
    await pressCopy(page, `#${id}-copy`)
    const text = String(await page.evaluate('navigator.clipboard.readText()'))
    const place = ((await pre.locator('xpath=..').locator('.bar span').textContent()) ?? '').replace(/^.*?: /, '')
    const part = /-(prepare|run)$/.exec(id)?.[1] as 'prepare' | 'run' | undefined
    blocks.push({ part: part ?? 'program', place, text })
  }
  return blocks
}

/** Puts the blocks where they say and starts the last one. The folder has whatever the developer put there before. */
export async function pasteBlocks(cwd: string, blocks: readonly Copied[]): Promise<Started> {
  const commands = blocks.at(-1)?.text ?? ''
  for (const { part, place, text } of blocks.slice(0, -1)) {
    if (part === 'program') {
      mkdirSync(dirname(join(cwd, place)), { recursive: true })
      writeFileSync(join(cwd, place), `${text}\n`)
      continue
    }
    const prepared = startShell(cwd, text)
    if ((await prepared.ended) !== 0) throw new Error(`${text}\n${prepared.output()}`)
  }
  return startShell(cwd, commands)
}

/** A terminal into which somebody pastes. */
function startShell(cwd: string, commands: string): Started {
  const { NODE_OPTIONS: _ours, ...env } = plainEnvironment()
  const child = spawn('sh', ['-c', commands], { cwd, env, detached: true })
  const printed: string[] = []
  const ears = new EventEmitter()
  const hear = (chunk?: Buffer) => {
    if (chunk !== undefined) printed.push(chunk.toString())
    ears.emit('heard')
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  const output = () => printed.join('')
  let isOver = false
  const ended = new Promise<number | null>((resolve) =>
    child.once('close', (status) => {
      isOver = true
      hear()
      resolve(status)
    }),
  )
  return {
    child,
    output,
    ended,
    async says(pattern) {
      for (;;) {
        const found = pattern.exec(output())
        if (found !== null) return found
        if (isOver) throw new Error(`it ended without ${pattern}:\n${output()}`)
        await once(ears, 'heard')
      }
    },
  }
}

/** Ends a program that serves for ever, with all that it started. */
export async function endProgram({ child, ended }: Started): Promise<void> {
  if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
  await ended
}

/**
 * Opens an address of a sign-in and accepts where the page asks. The browser is signed in. The address that it comes
 * back to, whether somebody listens there or not.
 */
export async function signInAt(page: Page, url: string): Promise<string> {
  const back = page.waitForRequest((request) => /[?&](?:code|error)=/.test(request.url()))
  await page.goto(url).catch(whereNobodyIs)
  if ((await page.locator('#accept').count()) > 0) await page.click('#accept').catch(whereNobodyIs)
  const address = (await back).url()
  await page.waitForLoadState()
  return address
}

function whereNobodyIs(error: Error): void {
  if (!error.message.includes('ERR_CONNECTION_REFUSED')) throw error
}
