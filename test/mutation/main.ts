// `npm run mutate`: takes refusals out one by one, in a copy, and shows which test notices. README.md says more.

import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageRoot } from '../../src/config/read/package-root.js'
import { type Refusal, refusalsOf, without } from './refusals.js'

const option = (name: string) => {
  const at = process.argv.indexOf(`--${name}`)
  return at === -1 ? undefined : process.argv[at + 1]
}
const root = String(packageRoot())
const count = Number(option('count') ?? 20)
const skip = Number(option('skip') ?? 0)
const seed = Number(option('seed') ?? Date.now() % 1_000_000)
const room = option('room')

/** A copy that compiles and runs by itself; modules are the project's own. */
function copy(): string {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-mutants-'))
  for (const name of [
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'src',
    'test',
    'config',
    'deploy',
    'README.md',
    '.ci',
  ]) {
    cpSync(join(root, name), join(folder, name), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

function candidates(): Refusal[] {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join('src', file))
    .filter((path) => room === undefined || path.startsWith(`src/${room}/`))
    .sort()
    .flatMap((path) => refusalsOf(path, readFileSync(join(root, path), 'utf8')))
}

function pick(all: Refusal[]): Refusal[] {
  let state = seed || 1
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  return all
    .map((refusal) => ({ refusal, at: next() }))
    .sort((a, b) => a.at - b.at)
    .slice(skip, skip + count)
    .map(({ refusal }) => refusal)
}

/**
 * Test files, the room's own first, then those of several instances, without which no race shows; whole stories last.
 */
function testsFor(folder: string, path: string): string[] {
  const own = path.split('/')[1] ?? ''
  const foremost = [`${own}/`, 'instances/']
  const rank = (file: string) => {
    const at = foremost.findIndex((start) => file.startsWith(start))
    if (at !== -1) return at
    return /^(?:flows|browser)\//.test(file) ? 3 : 2
  }
  return readdirSync(join(folder, 'dist/test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.js') && !file.startsWith('architecture'))
    .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b))
}

function runTest(folder: string, file: string): Promise<boolean> {
  return new Promise((resolve) => {
    // Tap's own 30 s are too few for some beside another one: they would be red for nothing.
    const env = { ...process.env, TAP_TIMEOUT: '170' }
    const child = spawn(process.execPath, [join(folder, 'dist/test', file)], { cwd: folder, stdio: 'ignore', env })
    const timer = setTimeout(() => child.kill('SIGKILL'), 180_000)
    child.once('exit', (code) => {
      clearTimeout(timer)
      resolve(code === 0)
    })
  })
}

/** The first test file that turns red without the refusal, and is green with it. */
async function killer(folder: string, refusal: Refusal, original: string): Promise<string | undefined> {
  const innocent: string[] = []
  for (;;) {
    const red = await firstRed(
      folder,
      testsFor(folder, refusal.path).filter((file) => !innocent.includes(file)),
    )
    if (red === undefined) return undefined
    const mutated = readFileSync(join(folder, refusal.path), 'utf8')
    writeFileSync(join(folder, refusal.path), original)
    compile(folder)
    const wasGreen = await runTest(folder, red)
    if (wasGreen) return red
    innocent.push(red)
    writeFileSync(join(folder, refusal.path), mutated)
    compile(folder)
  }
}

async function firstRed(folder: string, queue: string[]): Promise<string | undefined> {
  let found: string | undefined
  const worker = async () => {
    for (let file = queue.shift(); file !== undefined && found === undefined; file = queue.shift()) {
      if (!(await runTest(folder, file))) found ??= file
    }
  }
  await Promise.all([worker(), worker()])
  return found
}

function compile(folder: string): void {
  rmSync(join(folder, 'dist'), { recursive: true, force: true })
  spawnSync(process.execPath, ['node_modules/@typescript/native/bin/tsc', '--project', 'tsconfig.json', '--noCheck'], {
    cwd: folder,
    stdio: 'ignore',
  })
}

const folder = copy()
try {
  mkdirSync(join(folder, 'dist'), { recursive: true })
  const all = candidates()
  const chosen = pick(all)
  console.log(`${all.length} refusals found, ${chosen.length} taken out one by one (--seed ${seed})`)
  let survived = 0
  for (const refusal of chosen) {
    const original = readFileSync(join(root, refusal.path), 'utf8')
    writeFileSync(join(folder, refusal.path), without(original, refusal))
    compile(folder)
    const red = await killer(folder, refusal, original)
    writeFileSync(join(folder, refusal.path), original)
    if (red === undefined) survived++
    console.log(
      `${red === undefined ? 'SURVIVED' : 'red     '} ${refusal.path}:${refusal.line}  if (${refusal.condition})${red === undefined ? '' : `  by ${red}`}`,
    )
  }
  console.log(`${chosen.length - survived} found by a test, ${survived} survived`)
  process.exitCode = survived === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
