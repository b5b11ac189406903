// `npm run mutate`: takes refusals out one by one, in a copy, and shows which test notices. README.md says more.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../src/config/read/package-root.js'
import { chosen, nearestFirst } from './choice.js'
import { copyProject, type ProjectCopy } from './copy.js'
import { type MutationOptions, readOptions, usage } from './options.js'
import { type Refusal, refusalsOf, without } from './refusals.js'

const root = String(packageRoot())
const options = optionsOrEnd()
if (options.help) console.log(usage)
else process.exitCode = (await run(options)) ? 0 : 1

function optionsOrEnd(): MutationOptions {
  try {
    return readOptions(process.argv.slice(2), Date.now() % 1_000_000)
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`)
    process.exit(2)
  }
}

/** Whether a test noticed each refusal that was taken out. */
async function run({ tests, under, ...choice }: MutationOptions): Promise<boolean> {
  const all = refusals(under)
  const taken = chosen(all, choice)
  console.log(`${all.length} refusals below ${under}, ${taken.length} taken out one by one (--seed ${choice.seed})`)
  if (taken.length === 0) return false
  const copy = copyProject(root)
  const redAnyway = new Set<string>()
  let survived = 0
  try {
    for (const refusal of taken) {
      const files = nearestFirst(copy.tests, refusal.path).slice(0, tests)
      const red = await killer(copy, refusal, files, redAnyway)
      if (red === undefined) survived++
      const { path, line, condition } = refusal
      const isTried = files.some((file) => !redAnyway.has(file))
      const verdict = red !== undefined ? 'red     ' : isTried ? 'SURVIVED' : 'UNTRIED '
      console.log(`${verdict} ${path}:${line}  if (${condition})${red === undefined ? '' : `  by ${red}`}`)
    }
  } finally {
    copy.remove()
  }
  for (const file of redAnyway) console.log(`red with the refusal too, so it shows nothing: ${file}`)
  console.log(`${taken.length - survived} found by a test, ${survived} survived${tests ? ` the ${tests} nearest` : ''}`)
  return survived === 0
}

function refusals(under: string): Refusal[] {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => join('src', path))
    .filter((path) => path.startsWith(under))
    .sort()
    .flatMap((path) => refusalsOf(path, readFileSync(join(root, path), 'utf8')))
}

/** The first test file that turns red without the refusal, and is green with it. */
async function killer(
  copy: ProjectCopy,
  refusal: Refusal,
  files: readonly string[],
  redAnyway: Set<string>,
): Promise<string | undefined> {
  const original = readFileSync(join(root, refusal.path), 'utf8')
  const left = files.filter((file) => !redAnyway.has(file))
  try {
    for (;;) {
      copy.put(refusal.path, without(original, refusal))
      const red = await firstRed(copy, left)
      if (red === undefined) return undefined
      copy.put(refusal.path, original)
      if (await copy.isGreen(red)) return red
      redAnyway.add(red)
      left.splice(left.indexOf(red), 1)
    }
  } finally {
    copy.put(refusal.path, original)
  }
}

/** Two at a time. */
async function firstRed(copy: ProjectCopy, files: readonly string[]): Promise<string | undefined> {
  const queue = [...files]
  let found: string | undefined
  const worker = async () => {
    for (let file = queue.shift(); file !== undefined && found === undefined; file = queue.shift()) {
      if (!(await copy.isGreen(file))) found ??= file
    }
  }
  await Promise.all([worker(), worker()])
  return found
}
