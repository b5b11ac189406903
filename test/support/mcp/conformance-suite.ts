// The official conformance suite as a program of its own, as its authors ship it, and what it found.

import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { plainEnvironment } from '../settings/plain-environment.js'

/** What each scenario checked: `id STATUS` of all its checks, in order; by its name. */
export type Found = Readonly<Record<string, readonly string[]>>

const packageFile = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')

/**
 * It imports `globSync` of Node 22, which none of its commands here calls; on Node 20 it starts with an empty one.
 */
const fsOfNode22 = `export * from 'node:fs'; export const globSync = () => []`
const resolving = `export const resolve = (specifier, context, next) =>
  specifier === 'fs' && context.parentURL?.includes('/@modelcontextprotocol/conformance/')
    ? { url: ${JSON.stringify(asModule(fsOfNode22))}, shortCircuit: true }
    : next(specifier, context)`
const preload = asModule(`import { register } from 'node:module'; register(${JSON.stringify(asModule(resolving))})`)

function asModule(source: string): string {
  return `data:text/javascript,${encodeURIComponent(source)}`
}

export interface SuiteRun {
  /** A command of the suite with its options, but no folder. */
  words: readonly string[]
  /** An empty folder for what it writes. */
  folder: string
  env?: NodeJS.ProcessEnv
  /** Hears all that it has printed so far, each time there is more. */
  onPrinted?: (printed: string) => void
}

/** Runs it to its end. Throws with its output when it found nothing at all. */
export async function runSuite({ words, folder, env = {}, onPrinted }: SuiteRun): Promise<Found> {
  const main = join(dirname(packageFile), 'dist/index.js')
  const child = spawn(process.execPath, ['--import', preload, main, ...words, '-o', folder], {
    env: { ...plainEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      onPrinted?.(printed)
    })
  }
  await new Promise<void>((resolve) => child.once('close', () => resolve()))
  const found: Record<string, string[]> = {}
  for (const name of foldersIn(folder)) {
    // `server-tools-list-2026-07-28T10-11-12-131Z`
    const scenario = name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '')
    const checks: { id: string; status: string }[] = JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8'))
    found[scenario] = checks.map(({ id, status }) => `${id} ${status}`)
  }
  if (Object.keys(found).length === 0) throw new Error(`the suite found nothing:\n${printed}`)
  return found
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}

/** How many checks of all scenarios have this status. */
export function countOf(found: Found, status: 'SUCCESS' | 'FAILURE' | 'WARNING'): number {
  return Object.values(found)
    .flat()
    .filter((check) => check.endsWith(` ${status}`)).length
}
