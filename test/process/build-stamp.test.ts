// `npm start` builds what changed and nothing else: never on old files, and without a compiler when nothing changed.

import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { packageRoot } from '../../src/config/read/package-root.js'
import { buildWhenChanged } from '../../src/process/build-stamp.js'

/** A project whose compiler copies, and whether a start compiles there. */
function openProject(t: Test) {
  const root = t.testdir({
    'package.json': '{ "scripts": { "build": "node compiler.cjs" } }',
    'package-lock.json': '{}',
    'tsconfig.json': '{}',
    config: { 'tsconfig.build.json': '{}', 'tsconfig.client.json': '{}' },
    node_modules: {
      esbuild: { 'package.json': '{}' },
      '@typescript': { native: { 'package.json': '{ "version": "7.0.2" }' } },
    },
    src: { 'main.ts': 'main()', 'page.tsx': 'page()', room: { 'deep.ts': 'deep()' }, docs: { 'a.md': 'text' } },
    'compiler.cjs': `
      const fs = require('node:fs')
      const text = fs.readFileSync('src/main.ts', 'utf8')
      if (text === 'broken') process.exit(2)
      fs.mkdirSync('dist/src', { recursive: true })
      fs.writeFileSync('dist/src/main.js', text)`,
  })
  const path = (name: string) => join(root, name)
  const compile = () => {
    for (const source of readdirSync(path('src'), { recursive: true }).map(String)) {
      if (!/\.tsx?$/.test(source)) continue
      const text = readFileSync(path(join('src', source)), 'utf8')
      if (text === 'broken') throw new Error('it does not compile')
      const target = path(join('dist/src', source.replace(/\.tsx?$/, '.js')))
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, text)
    }
    mkdirSync(path('dist/program'), { recursive: true })
    writeFileSync(path('dist/program/part.js'), 'part')
  }
  return {
    root,
    /** Whether a start builds. */
    starts: (build = compile) => buildWhenChanged(root, build),
    write: (name: string, text: string) => writeFileSync(path(name), text),
    read: (name: string) => readFileSync(path(name), 'utf8'),
    remove: (name: string) => rmSync(path(name), { recursive: true }),
    written: () => readdirSync(path('dist/src'), { recursive: true }).map(String).sort(),
  }
}

t.test('the second start builds nothing, and one after a change builds', async (t) => {
  const project = openProject(t)
  t.equal(project.starts(), true, 'a fresh checkout')
  t.same(project.written(), ['main.js', 'page.js', 'room', 'room/deep.js'])
  t.equal(project.starts(), false)
  project.write('src/room/deep.ts', 'DEEP()')
  t.equal(project.starts(), true, 'as long as before, and other')
  t.equal(project.read('dist/src/room/deep.js'), 'DEEP()')
  t.equal(project.starts(), false)
})

t.test('all that decides what is written is a change; what is not compiled is none', async (t) => {
  const project = openProject(t)
  project.starts()
  for (const name of [
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'config/tsconfig.build.json',
    'config/tsconfig.client.json',
    'node_modules/@typescript/native/package.json',
    'node_modules/esbuild/package.json',
    'src/new.ts',
  ]) {
    project.write(name, '{ "other": true }')
    t.equal(project.starts(), true, name)
    t.equal(project.starts(), false, `${name}, once`)
  }
  project.write('src/docs/a.md', 'other text')
  utimesSync(join(project.root, 'src/main.ts'), 1, 1)
  t.equal(project.starts(), false, 'neither a page of the documentation nor the time of a file')
})

t.test('a source that has gone leaves nothing behind, and what was moved is built', async (t) => {
  const project = openProject(t)
  project.starts()
  for (const name of ['page.js.map', 'page.d.ts']) project.write(`dist/src/${name}`, 'of the page')
  project.remove('src/page.tsx')
  project.write('src/room/other.ts', project.read('src/room/deep.ts'))
  project.remove('src/room/deep.ts')
  t.equal(project.starts(), true)
  t.same(project.written(), ['main.js', 'room', 'room/other.js'])
  t.equal(project.starts(), false)
})

t.test('what was built is built again when somebody changed or removed it', async (t) => {
  const project = openProject(t)
  project.starts()
  project.write('dist/src/main.js', 'MAIN()')
  t.equal(project.starts(), true)
  t.equal(project.read('dist/src/main.js'), 'main()')
  for (const name of ['dist/src/page.js', 'dist/program', 'dist/src', 'dist']) {
    project.remove(name)
    t.equal(project.starts(), true, `${name} is missing`)
    t.equal(project.starts(), false)
  }
})

t.test('a build that fails or ends too early is begun anew, also when it wrote everything', async (t) => {
  const project = openProject(t)
  project.starts()
  const before = project.read('dist/built.json')
  project.write('src/room/deep.ts', 'broken')
  t.throws(() => project.starts(), { message: 'it does not compile' })
  t.throws(() => project.starts(), 'the next start does not take what is there')
  project.write('src/room/deep.ts', 'deep()')
  t.equal(project.starts(), true, 'back to what was built before the failure: still not trusted')
  t.equal(project.read('dist/built.json'), before)
  t.equal(project.starts(), false)
})

t.test('a source that changes while it is built is built at the next start', async (t) => {
  const project = openProject(t)
  mkdirSync(join(project.root, 'dist/src'), { recursive: true })
  const build = () => {
    project.write('dist/src/main.js', project.read('src/main.ts'))
    project.write('src/main.ts', 'changed()')
  }
  t.equal(project.starts(build), true)
  t.equal(project.starts(), true)
  t.equal(project.read('dist/src/main.js'), 'changed()')
})

t.test('npm start runs it: builds once, says so, and ends with 1 when the build fails', async (t) => {
  const project = openProject(t)
  const start = beforeStart(project.root)
  t.match(start(), { status: 0, stderr: /^Building Portcullis/ })
  t.ok(existsSync(join(project.root, 'dist/src/main.js')))
  const second = start()
  t.same([second.status, second.stdout], [0, ''])
  t.notMatch(second.stderr, 'Building')
  project.write('src/main.ts', 'broken')
  t.match(start(), { status: 1, stderr: /Nothing was started: npm run build ended with 2\./ })
})

t.test('what was built looks for changes itself, and its sources do when it cannot be loaded', async (t) => {
  const project = openProject(t)
  const start = beforeStart(project.root)
  mkdirSync(join(project.root, 'dist/src/process'), { recursive: true })
  project.write('dist/src/process/build-before-start.js', "console.log('compiled')")
  t.match(start(), { status: 0, stdout: 'compiled\n', stderr: '' }, 'no loader of sources starts')
  project.write('dist/src/process/build-before-start.js', 'half a fi')
  t.match(start(), { status: 0, stderr: /^Building Portcullis/ })
})

/** Runs prestart in a project that has it in its place. */
function beforeStart(root: string) {
  const own = join(String(packageRoot()), 'src/process/build-before-start.ts')
  mkdirSync(join(root, 'src/process'), { recursive: true })
  writeFileSync(join(root, 'src/process/build-before-start.ts'), `import ${JSON.stringify(String(pathToFileURL(own)))}`)
  symlinkSync(join(String(packageRoot()), 'node_modules/tsx'), join(root, 'node_modules/tsx'))
  const manifest = readFileSync(join(String(packageRoot()), 'package.json'), 'utf8')
  const { prestart } = (JSON.parse(manifest) as { scripts: { prestart: string } }).scripts
  return () => spawnSync('sh', ['-c', prestart], { cwd: root, encoding: 'utf8' })
}
