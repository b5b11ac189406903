// The first minute, as a newcomer has it: the banner's commands run by sh, on a machine with nothing but Node.
// run: apart

import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { packageRoot } from '../../src/config/read/package-root.js'
import { call, demoCredential, demoToken, tokenRequest } from '../support/programs/demo.js'
import { type Program, startProgram } from '../support/programs/program.js'
import { documentedBlock } from '../support/settings/documentation.js'

// Five starts and a build: a machine that is busy with other things takes its time.
t.setTimeout(120_000)

const profileFields = [
  'avatarURL', 'cartID', 'coverURL', 'currencyExchange', 'currencyID', 'currencyISO', 'email', 'enrollmentsCount',
  'followersCount', 'followsCount', 'id', 'idProvider', 'publicName', 'socialProfileID', 'walletID',
] // biome-ignore format: one list

t.test('first start: the pasted commands print a token and then the fifteen-field profile', async (t) => {
  const cwd = t.testdir()
  const program = await startProgram({ cwd })
  t.teardown(() => program.stop())
  // What is no line of the log, without the empty text behind the last line feed.
  const lines = program.output().split('\n')
  const banner = lines.filter((line, at) => !line.startsWith('{') && at < lines.length - 1)
  t.ok(banner.length >= 10 && banner.length <= 14, `the banner has ${banner.length} lines, 14 at most`)
  for (const wanted of [program.baseUrl, program.operatorUrl, 'data/portcullis.db', 'data/tls/ca.pem']) {
    t.ok(banner.join('\n').includes(wanted), `the banner names ${wanted}`)
  }
  const [token, answer] = paste(program.commands(), cwd)
  t.match(token, /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/, 'a token')
  checkProfile(t, answer)
})

t.test('second start: the state is still there and the secret is not printed again', async (t) => {
  const cwd = t.testdir()
  const first = await startProgram({ cwd })
  const [command = ''] = first.commands()
  const credential = demoCredential(first)
  const kept = await demoToken(first)
  const life = async (program: Program) => {
    const fields = { token: kept, client_id: credential.clientId, client_secret: credential.clientSecret }
    const shown = await tokenRequest(program, fields, '/api/v2/oauth2/v2.0/introspect')
    return JSON.parse(shown.body)
  }
  const before = await life(first)
  t.equal(before.active, true)
  const ports = { public: Number(new URL(first.baseUrl).port), operator: Number(new URL(first.operatorUrl).port) }
  t.equal(await first.stop(), 0, 'SIGTERM ends it with status 0')
  const second = await startProgram({ cwd, ports })
  t.teardown(() => second.stop())
  t.notMatch(second.output(), /pcl_sk_/, 'no secret')
  const me = await call(second, '/api/v2/me', { headers: { authorization: `Bearer ${kept}` } })
  t.equal(me.status, 200, 'a token of the first start is good')
  t.same(await life(second), before, 'T26 for as long as it was, and not a second longer')
  const [token, answer] = paste([command, second.commands()[1] ?? ''], cwd)
  t.match(token, /^eyJ/, "the first start's secret still works")
  checkProfile(t, answer)
  const [own, again] = paste(second.commands(), cwd)
  t.match(own, /^eyJ/, "the second banner's own command gets a token without a secret")
  checkProfile(t, again)
})

t.test('what the first start leaves behind belongs to its owner alone', async (t) => {
  const cwd = t.testdir()
  const program = await startProgram({ cwd })
  t.teardown(() => program.stop())
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)
  t.equal(mode(program.folder), '700')
  for (const entry of readdirSync(program.folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    t.match(mode(path), entry.name === 'ca.pem' ? /^[67][04][04]$/ : /^[67]00$/, `${entry.name} is ${mode(path)}`)
  }
})

t.test('npm start needs nothing but Node and npm: clean copy, empty HOME, bare PATH', async (t) => {
  const root = String(packageRoot())
  const cwd = t.testdir()
  for (const name of ['package.json', 'package-lock.json', 'tsconfig.json', 'src', 'config']) {
    cpSync(join(root, name), join(cwd, name), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(cwd, 'node_modules'))
  mkdirSync(join(cwd, 'home'))
  mkdirSync(join(cwd, 'bin'))
  const commands = { node: process.execPath, npm: which('npm'), sh: '/bin/sh', env: which('env') }
  for (const [name, path] of Object.entries(commands)) symlinkSync(path, join(cwd, 'bin', name))
  const env = { HOME: join(cwd, 'home'), PATH: join(cwd, 'bin') }
  checkInstall(t, cwd, env)
  // The block as it stands; what `npm ci` does is shown above.
  const block = `npm() { test "$1" = ci || command npm "$@"; }\n${documentedBlock('npm ci && npm start')}`
  const program = await startProgram({ cwd, command: [join(cwd, 'bin', 'sh'), '-e', '-c', block], env })
  t.teardown(() => program.stop())
  const [token, answer] = paste(program.commands(), cwd)
  t.match(token, /^eyJ/)
  checkProfile(t, answer)
  t.match(program.output(), /^Building Portcullis/m, 'nobody waits without knowing for what')
  const again = spawnSync(join(cwd, 'bin', 'npm'), ['run', '--silent', 'prestart'], { cwd, env, encoding: 'utf8' })
  t.same([again.status, again.stdout, again.stderr], [0, '', ''], 'the next start builds nothing')
})

/**
 * What `npm ci` would do, as far as it needs no registry: the lock file is whole, and nothing of it is compiled here.
 */
function checkInstall(t: Test, cwd: string, env: Record<string, string>): void {
  const folder = join(cwd, 'ci')
  mkdirSync(folder)
  for (const name of ['package.json', 'package-lock.json']) cpSync(join(cwd, name), join(folder, name))
  const words = ['ci', '--dry-run', '--offline', '--no-audit', '--no-fund', '--no-update-notifier']
  const { status, stderr } = spawnSync(join(cwd, 'bin', 'npm'), words, { cwd: folder, env, encoding: 'utf8' })
  t.equal(status, 0, `npm ci takes the lock file as it is ${stderr.trim()}`)
  const lock = JSON.parse(readFileSync(join(cwd, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { hasInstallScript?: boolean; dev?: boolean }>
  }
  for (const [path, { hasInstallScript, dev }] of Object.entries(lock.packages)) {
    if (hasInstallScript !== true || dev === true) continue
    const built = join(cwd, path, 'prebuilds', `${process.platform}-${process.arch}`)
    t.ok(existsSync(built), `${path} comes built`)
  }
}

/** In a `.ts` run the banner names a `.ts` file, which plain Node does not load. */
const fromSource = import.meta.url.endsWith('.ts') ? { NODE_OPTIONS: `--import ${import.meta.resolve('tsx')}` } : {}

/** Runs the two commands in one shell and splits what they print: a line, then an HTTP answer. */
function paste(commands: readonly string[], cwd: string): [string, string] {
  const path = `${dirname(process.execPath)}:${process.env['PATH']}`
  const { stdout, stderr } = spawnSync('sh', ['-c', commands.join('\n')], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, PATH: path, ...fromSource },
  })
  const at = stdout.indexOf('\n')
  return [stdout.slice(0, at), stdout.slice(at + 1) || stderr]
}

function checkProfile(t: Test, answer: string): void {
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  t.match(head, /^HTTP\/1\.1 200 /)
  t.match(
    head,
    /^content-type: application\/json;odata\.metadata=minimal;odata\.streaming=true;IEEE754Compatible=false;charset=utf-8\r?$/im,
  )
  t.match(head, /^request-id: [0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\r?$/im)
  t.match(head, /^duration: [0-9.]+\r?$/im)
  t.match(head, /^content-length: \d+\r?$/im)
  t.same(Object.keys(JSON.parse(body)).sort(), profileFields)
}

function which(name: string): string {
  return execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim()
}
