// What deploy/ says, read as its programs read it: the Dockerfile's instructions, the compose file with its variables,
// and a trial deployment in a temporary folder, made with the commands of deploy/README.md and the documentation.

import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { packageRoot } from '../../src/config/read/package-root.js'
import { documentedBlock } from '../support/settings/documentation.js'
import { plainEnvironment } from '../support/settings/plain-environment.js'

/** One instruction of the Dockerfile, with its continued lines put together. */
export interface Instruction {
  word: string
  rest: string
}

export interface Stage {
  from: string
  name: string | undefined
  instructions: Instruction[]
}

/** What the tests read of a compose service. */
export interface Service {
  image: string
  environment?: Record<string, string>
  secrets?: string[]
  volumes?: (string | { source: string; target: string })[]
  networks: string[] | Record<string, { aliases?: string[] }>
  depends_on?: Record<string, { condition: string }>
  healthcheck?: { test: string[] }
  ports?: string[]
  [other: string]: unknown
}

export interface Compose {
  services: Record<string, Service>
  networks: Record<string, { internal?: boolean } | null>
  volumes: Record<string, unknown>
  secrets: Record<string, { file: string }>
}

export const deployFolder = join(packageRoot(), 'deploy')

/** Text of a file below deploy/. */
export function deployFile(name: string): string {
  return readFileSync(join(deployFolder, name), 'utf8')
}

/** Path, below deploy/, of everything that is shipped there: what an operator makes there is not. */
export function deployFiles(): string[] {
  return readdirSync(deployFolder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/^(secrets\b|\.env$|portcullis\.yaml$)/.test(name))
    .filter((name) => statSync(join(deployFolder, name)).isFile())
}

/** The stages of the Dockerfile, with the build arguments put in. */
export function dockerStages(): Stage[] {
  const lines = deployFile('Dockerfile')
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ word: line.split(' ', 1)[0] ?? '', rest: line.slice(line.indexOf(' ') + 1) }))
  const given = new Map(
    lines.filter(({ word }) => word === 'ARG').map(({ rest }) => rest.split('=', 2) as [string, string]),
  )
  const stages: Stage[] = []
  for (const { word, rest } of lines) {
    const text = rest.replace(/\$\{(\w+)\}/g, (_whole, name: string) => given.get(name) ?? `no ${name}`)
    if (word !== 'FROM') stages.at(-1)?.instructions.push({ word, rest: text })
    else stages.push({ from: text.split(' ')[0] ?? '', name: / AS (\S+)$/.exec(text)?.[1], instructions: [] })
  }
  return stages
}

/** The variables that the image sets. */
export function imageEnvironment(): Record<string, string> {
  const end = dockerStages()
    .at(-1)
    ?.instructions.find(({ word }) => word === 'ENV')
  return Object.fromEntries((end?.rest ?? '').split(/\s+/).map((pair) => pair.split('=', 2) as [string, string]))
}

/** The variables of .env.example. */
export function exampleVariables(): Record<string, string> {
  return Object.fromEntries(
    [...deployFile('.env.example').matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  )
}

/** compose.yaml with variables put in, as `docker compose` does it, and merge keys resolved. */
export function compose(variables: Record<string, string>): Compose {
  const text = deployFile('compose.yaml').replace(
    /\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (_whole, name: string, how: string | undefined, other: string) => variables[name] ?? (how === '-' ? other : ''),
  )
  return parse(text, { merge: true }) as Compose
}

/** The command in deploy/README.md or the documentation in which `marker` stands: its block of code. */
export function documentedCommands(marker: string): string {
  return documentedBlock(marker) ?? `echo 'no block with ${marker}' >&2; exit 1`
}

/**
 * Copies deploy/ and config/ into `folder` and prepares a deployment there as the README says. Returns its deploy
 * folder.
 */
export function prepareDeployment(folder: string): string {
  const there = join(folder, 'deploy')
  for (const name of deployFiles()) cpSync(join(deployFolder, name), join(there, name))
  cpSync(join(packageRoot(), 'config'), join(folder, 'config'), { recursive: true })
  const { status, stderr } = spawnSync('sh', ['-eu', '-c', documentedCommands('make-secrets.sh')], {
    cwd: there,
    env: plainEnvironment(),
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`the documented commands ended with ${status}: ${stderr}`)
  return there
}
