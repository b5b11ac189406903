// What a start of the program reads before it is ready: a few files, and nothing of what is only needed later.

import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import t, { type Test } from 'tap'
import { packageRoot } from '../../src/config/read/package-root.js'
import { bundleProgram } from '../../src/process/build/bundle.js'

/** The program of this run, or one that is made here of the same sources. */
async function mainFile(t: Test): Promise<string> {
  const ofRun = process.env['PORTCULLIS_TEST_PROGRAM']
  if (ofRun !== undefined) return ofRun
  const root = t.testdir()
  for (const name of ['src', 'node_modules', 'package.json', 'tsconfig.json']) {
    symlinkSync(join(String(packageRoot()), name), join(root, name))
  }
  mkdirSync(join(root, 'dist'))
  return bundleProgram(root, 'program/main.js')
}

/** The files that are read with these, by their paths. */
function filesBehind(paths: readonly string[]): Map<string, string> {
  const found = new Map<string, string>()
  const waiting = [...paths]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue
    const text = readFileSync(path, 'utf8')
    found.set(path, text)
    const folder = dirname(path)
    const imports = text.matchAll(/^(?:import|\} from|export \* from) ?"(\.[^"]+)";?$/gm)
    for (const [, specifier = ''] of imports) waiting.push(resolve(folder, specifier))
  }
  return found
}

t.test('serving reads a hundred files, where its sources are thousands, and a command a few', async (t) => {
  const main = await mainFile(t)
  const command = filesBehind([main])
  const [, serve = ''] = /import\("(\.[^"]*\/serve-[A-Z0-9]{8}\.js)"\)/.exec(readFileSync(main, 'utf8')) ?? []
  const serving = filesBehind([main, resolve(dirname(main), serve)])
  t.ok(command.size < 30, `${command.size} files for a command`)
  t.ok(serving.size > command.size && serving.size < 130, `${serving.size} files for serving`)
  const has = (files: Map<string, string>, source: string) => {
    const comment = new RegExp(`^// (?:\\.\\./)*${source.replaceAll('.', '\\.')}$`, 'm')
    return [...files.values()].some((text) => comment.test(text))
  }
  for (const source of ['src/instance/app.ts', 'src/gateway/gate.ts', 'node_modules/fastify/fastify.js']) {
    t.ok(has(serving, source), `${source} is needed`)
    t.notOk(has(command, source), `${source} is not needed by a command`)
  }
  for (const source of [
    // Compiles the schema of the file: the build has done that.
    'src/config/check/compiler.ts',
    'src/http/tls/development-certificates.ts',
    // Rooms of the public listener that are made when somebody first comes.
    'src/portal/index.ts',
    'src/management/index.ts',
    'src/web/docs/docs-pages.tsx',
    'src/cli/configuration/check.ts',
    'src/cli/commands/doctor.ts',
    'node_modules/@zxcvbn-ts/language-common/dist/index.js',
  ]) {
    t.notOk(has(serving, source), `${source} waits until it is needed`)
  }
})
