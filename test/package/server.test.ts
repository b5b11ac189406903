// The server from its tarball alone: what `npm pack` takes, and the first minute of somebody who has nothing else.
//
// full: packs, installs and starts the program several times over
// run: apart

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../src/config/read/package-root.js'
import { startProgram } from '../support/programs/program.js'
import { plainEnvironment } from '../support/settings/plain-environment.js'
import { installServer, namesIn, packServer, run } from './packed-server.js'

t.setTimeout(240_000)
const tarball = packServer(t.testdir())

t.test('the package holds what the program reads and what a person reads, built, and no test', async (t) => {
  const names = namesIn(tarball)
  for (const wanted of [
    'package.json',
    'npm-shrinkwrap.json',
    'README.md',
    'LICENSE',
    'config/portcullis.yaml',
    'config/portcullis.schema.json',
    'deploy/Dockerfile',
    'dist/src/main.js',
    'dist/src/client/index.js',
    'dist/src/client/index.d.ts',
  ]) {
    t.ok(names.includes(wanted), wanted)
  }
  const known =
    /^(?:package\.json|npm-shrinkwrap\.json|README\.md|LICENSE|config\/portcullis\.(?:yaml|schema\.json)|deploy\/.+|src\/docs\/.+|dist\/contents\.json|dist\/(?:src|program)\/.+\.js|dist\/src\/client\/.+\.d\.ts)$/
  t.same(
    names.filter((name) => !known.test(name)),
    [],
    'and nothing else',
  )
  const sources = readdirSync(join(packageRoot(), 'src'), { recursive: true, encoding: 'utf8' })
  const compiled = sources
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `dist/src/${name.replace(/\.tsx?$/, '.js')}`)
  t.same(
    compiled.filter((name) => !names.includes(name)),
    [],
    'every source file is compiled',
  )
  t.comment(`${names.length} files, ${statSync(tarball).size} bytes`)
})

t.test('the same files make the same bytes', async (t) => {
  const before = readFileSync(tarball)
  const checkout = join(tarball, '..')
  t.notOk(existsSync(join(checkout, 'npm-shrinkwrap.json')), 'nothing is left that npm would read before the lock file')
  run(process.execPath, [join('dist', 'src', 'downloads', 'write-packages.js'), 'contents'], checkout)
  run('npm', ['pack', '--silent', '--offline', '--no-update-notifier', '--ignore-scripts'], checkout)
  t.ok(readFileSync(tarball).equals(before))
})

t.test('in an empty folder npx portcullis serve prints a banner whose commands give a token and 200', async (t) => {
  const cwd = t.testdir()
  installServer(tarball, cwd)
  const installed = listing(join(cwd, 'node_modules', 'portcullis'))
  const command = ['npx', '--offline', 'portcullis', 'serve']
  const first = await startProgram({ cwd, command })
  t.teardown(() => first.stop())
  const [token, answer] = paste(first.commands(), cwd, first.env)
  t.match(token, /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/, 'a token')
  t.match(answer, /^HTTP\/[\d.]+ 200/, 'a call')
  t.same(
    readdirSync(cwd).sort(),
    ['config', 'data', 'node_modules', 'package.json'],
    'what it keeps is beside the caller',
  )
  const config = join(cwd, 'config', 'portcullis.yaml')
  t.same(
    readFileSync(config),
    readFileSync(join(packageRoot(), 'config', 'portcullis.yaml')),
    'a configuration to edit',
  )
  t.same(readdirSync(join(cwd, 'config')).sort(), ['portcullis.schema.json', 'portcullis.yaml'])
  await first.stop()

  writeFileSync(config, `# ours\n${readFileSync(config, 'utf8')}`)
  const ports = { public: Number(new URL(first.baseUrl).port), operator: Number(new URL(first.operatorUrl).port) }
  const second = await startProgram({ cwd, command, ports })
  t.teardown(() => second.stop())
  const [line = ''] = second.commands()
  t.match(line, /^TOKEN=\$\(npx portcullis token --app hello\)/, 'the banner names the command as this folder has it')
  const [own, again, rest] = paste(second.commands(), cwd, second.env)
  t.match(own, /^eyJ/, `which works as pasted: ${rest}`)
  t.match(again, /^HTTP\/[\d.]+ 200/)
  t.match(readFileSync(config, 'utf8'), /^# ours\n/, 'what somebody edited stays')
  t.same(listing(join(cwd, 'node_modules', 'portcullis')), installed, 'nothing is written below node_modules')
})

t.test('in production it writes no configuration, and commands use the one beside the caller', async (t) => {
  const cwd = t.testdir()
  installServer(tarball, cwd)
  const npx = (words: string[], env: NodeJS.ProcessEnv = {}) =>
    spawnSync('npx', ['--offline', 'portcullis', ...words], {
      cwd,
      env: { ...plainEnvironment(), ...env },
      encoding: 'utf8',
    })
  const refused = npx(['serve'], { PORTCULLIS_MODE: 'production' })
  t.equal(refused.status, 2, refused.stderr)
  t.match(refused.stderr, /development material/)
  t.notOk(readdirSync(cwd).includes('config'))
  t.match(npx(['check']).stdout + npx(['check']).stderr, 'node_modules/portcullis/config/portcullis.yaml')
})

/** Runs the lines in one shell, as somebody pastes them; what each printed. */
function paste(lines: readonly string[], cwd: string, env: NodeJS.ProcessEnv): string[] {
  const script = lines.join('\necho "~~~"\n')
  const { stdout, stderr } = spawnSync('sh', ['-c', script], {
    cwd,
    env: { ...plainEnvironment(), ...env },
    encoding: 'utf8',
  })
  return `${stdout}${stderr === '' ? '' : `~~~${stderr}`}`.split('~~~').map((part) => part.trim())
}

/** Every file with its size and when it was written. */
function listing(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => ({ name, stat: statSync(join(folder, name)) }))
    .filter(({ stat }) => stat.isFile())
    .map(({ name, stat }) => `${name} ${stat.size} ${stat.mtimeMs}`)
    .sort()
}
