// A copy of the project in which sources can be changed one at a time, and its tests run.

import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ts from 'typescript'
import type { TestFile } from './choice.js'

const notCopied = new Set(['.git', '.tap', 'data', 'dist', 'node_modules'])
/** Tap's own 30 s are too few for some beside another one: they would be red for nothing. */
const longest = { tapSeconds: 170, ms: 180_000 }

export interface ProjectCopy {
  /** What `npm test` could run there, but for the rules about the sources themselves. */
  tests: readonly TestFile[]
  /** Gives a source another text, in the copy alone. */
  put(path: string, text: string): void
  /** Whether every test of the file passes. */
  isGreen(test: string): Promise<boolean>
  remove(): void
}

/** Copies the project at `root` to a new folder and builds it. Throws when it does not build. */
export function copyProject(root: string): ProjectCopy {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-mutants-'))
  try {
    for (const name of readdirSync(root)) {
      if (!notCopied.has(name)) cpSync(join(root, name), join(folder, name), { recursive: true })
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    const compiler = 'node_modules/@typescript/native/bin/tsc'
    const { status } = spawnSync(process.execPath, [compiler, '--noCheck'], { cwd: folder, stdio: 'inherit' })
    if (status !== 0) throw new Error('the copy does not build')
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  return {
    tests: testsIn(folder),
    put: (path, text) => {
      writeFileSync(join(folder, path), text)
      writeFileSync(join(folder, 'dist', path.replace(/\.tsx?$/, '.js')), built(root, path, text))
    },
    isGreen: (test) => isGreen(folder, test),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** A source as the build would write it: an ES module, which a single file cannot know of itself. */
export function built(root: string, path: string, text: string): string {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (file) => readFileSync(file, 'utf8'))
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root)
  const compilerOptions = { ...options, module: ts.ModuleKind.ESNext, sourceMap: false }
  return ts.transpileModule(text, { fileName: path, compilerOptions }).outputText
}

function testsIn(folder: string): TestFile[] {
  return readdirSync(join(folder, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && path !== 'architecture.test.ts')
    .map((path) => ({ path: `test/${path}`, text: readFileSync(join(folder, 'test', path), 'utf8') }))
}

function isGreen(folder: string, test: string): Promise<boolean> {
  return new Promise((resolve) => {
    const env = { ...process.env, TAP_TIMEOUT: String(longest.tapSeconds), PORTCULLIS_TEST_FULL: '1' }
    const file = join(folder, 'dist', test.replace(/\.ts$/, '.js'))
    const child = spawn(process.execPath, [file], { cwd: folder, stdio: 'ignore', env })
    const timer = setTimeout(() => child.kill('SIGKILL'), longest.ms)
    child.once('exit', (code) => {
      clearTimeout(timer)
      resolve(code === 0)
    })
  })
}
