// The command line as a program: usage, help, configuration checks, completion, what it loads.
// run: apart

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { commandGroups, groupsFor } from '../../src/cli/command-groups.js'
import { defaultConfigFile, packageRoot } from '../../src/config/read/package-root.js'
import { programWords } from '../support/programs/program.js'
import { runCommand } from '../support/rooms/cli.js'
import { ELEVEN } from '../support/settings/config-file.js'
import { plainEnvironment } from '../support/settings/plain-environment.js'

const run = (argv: readonly string[], cwd = '/', env: NodeJS.ProcessEnv = {}, served?: unknown[]) =>
  runCommand(argv, { cwd, env }, served)

/** From the first heading of commands to the examples. */
const commandsIn = (help: string) => /\n(?:Server|Commands):\n([\s\S]*?)\nExamples:\n/.exec(help)?.[1] ?? ''

t.test('help lists the commands and documents the exit codes, on standard output', async (t) => {
  const { code, out, err } = await run(['--help'])
  t.same({ code, err }, { code: 0, err: '' })
  for (const command of [
    'serve',
    'backend',
    'check',
    'app',
    'import',
    'logs',
    'token',
    'call',
    'revoke',
    'keys',
    'audit',
    'tenant',
    'user',
    'set-up-link',
    'status',
    'doctor',
    'complete',
  ]) {
    t.match(out, new RegExp(`^ {2}${command}\\b`, 'm'))
  }
  t.match(
    out,
    /Exit codes:\n {2}0 {2}done\n {2}1 {2}failed\n {2}2 {2}wrong usage or configuration\n {2}3 {2}not found\n {2}4 {2}denied\n {2}5 /,
  )
  t.match((await run(['app', 'create', '--help'])).out, /--secret-file <file>/)
  t.same(await run(['--version']), { code: 0, out: '9.8.7\n', err: '' })
})

t.test('a command is found by its word alone, without the files of the others', async (t) => {
  const { out } = await run(['--help'])
  const listed = [...commandsIn(out).matchAll(/^ {2}([a-z|-]+)/gm)].flatMap(([, names = '']) =>
    names.split('|').filter((name) => name !== 'help'),
  )
  t.same(listed.sort(), [...commandGroups.flatMap(({ words }) => words), 'serve', 'backend', 'complete'].sort())
  for (const word of listed) t.match(await run([word, '--help']), { code: 0, out: /^Usage: portcullis / }, word)
  t.equal(groupsFor(['app', 'list']).length, 1)
  t.equal(groupsFor(['--version']).length, 0)
  for (const argv of [[], ['--help'], ['complete'], ['frob']]) t.equal(groupsFor(argv), commandGroups)
})

t.test('every command that a page, a message or a document names is one', async (t) => {
  const root = String(packageRoot())
  const src = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).map((name) => `src/${name}`)
  const texts = [...src.filter((name) => /\.(?:tsx?|md)$/.test(name)), 'README.md', 'deploy/README.md']
  const rules = 'deploy/prometheus/rules.yml'
  // Sentences, and names in keys and paths, begin like this too.
  const prose = new Set(['is', 'in', 'stream', 'portcullis'])
  const commandsOf = async (...group: string[]) => {
    const { out } = await run([...group, '--help'])
    // One that takes an argument too, as usage does: any word may follow.
    if (/^Usage: portcullis .*\[(?!options|command)/m.test(out)) return new Set<string | undefined>()
    return new Set([...commandsIn(out).matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name]) => name))
  }
  const commands = await commandsOf()
  t.ok(commands.size > 10)
  const groups = new Map<string, Awaited<ReturnType<typeof commandsOf>>>()
  for (const name of [...texts, rules]) {
    const text = readFileSync(join(root, name), 'utf8')
    for (const [named, first = '', second] of text.matchAll(
      /(?<![\w/.@{-])portcullis ([a-z][a-z-]+)(?: ([a-z][a-z-]+))?/g,
    )) {
      if (prose.has(first)) continue
      if (!commands.has(first)) t.fail(`${name}: ${named}`)
      const group = groups.get(first) ?? (await commandsOf(first))
      groups.set(first, group)
      if (second !== undefined && group.size > 0 && !group.has(second)) t.fail(`${name}: ${named}`)
    }
  }
})

t.test('wrong usage ends with 2, a message on standard error and nothing on standard output', async (t) => {
  const lines = [
    [],
    ['frob'],
    ['app'],
    ['app', 'frob'],
    ['app', 'show'],
    ['app', 'list', '--frob'],
    ['app', 'list', 'extra'],
    ['app', 'list', '-o', 'yaml'],
    ['app', 'create', 'x', '--type', 'other'],
    ['revoke', 'user', 'x'],
    ['call', 'GET'],
    ['check', 'a.yaml', 'b.yaml'],
  ]
  for (const argv of lines) {
    const { code, out, err } = await run(argv)
    t.same({ code, out }, { code: 2, out: '' }, argv.join(' '))
    t.ok(err.length > 0)
  }
  t.match((await run(['chekc'])).err, /Did you mean check\?/)
})

t.test('serve and backend are handed their options; what they throw becomes a message', async (t) => {
  const served: unknown[] = []
  t.equal((await run(['serve', '--config', 'x.yaml'], '/', {}, served)).code, 0)
  t.equal(
    (await run(['backend', '--listen', '127.0.0.1:1', '--gateway', 'https://g', '--ca', 'ca.pem'], '/', {}, served))
      .code,
    0,
  )
  t.same(served, [{ config: 'x.yaml' }, { listen: '127.0.0.1:1', gateway: 'https://g', ca: 'ca.pem' }])
})

t.test('check accepts the configuration that comes with Portcullis', async (t) => {
  const { code, out, err } = await run(['check'])
  t.same({ code, out }, { code: 0, out: '' })
  t.match(err, /portcullis\.yaml is good: \d+ routes, 1 upstream\.\n/)
  t.same(JSON.parse((await run(['check', '-o', 'json'])).out), [])
})

t.test('gateway L10: check says what is counted in each process where there may be several', async (t) => {
  const env = { PORTCULLIS_STORE: 'postgresql://gate@127.0.0.1:1/gate' }
  const { code, err } = await run(['check'], '/', env)
  t.equal(code, 0)
  t.match(err, /^note: server\.limits\.perAddress .* are counted in each process/m)
  t.notMatch((await run(['check'])).err, /note:/)
})

t.test('check prints all problems at once with their places, and ends with 2', async (t) => {
  const cwd = t.testdir({ 'bad.yaml': 'version: 1\nmode: prodution\nservr: {}\nserver:\n  listen: nowhere\n' })
  const { code, out, err } = await run(['check', '--config', 'bad.yaml'], cwd)
  t.equal(code, 2)
  for (const line of [2, 3, 5]) t.match(out, new RegExp(`bad\\.yaml:${line}:\\d+ `))
  t.match(err, /^portcullis: \d+ problems in .*bad\.yaml\n$/)
  const problems = JSON.parse((await run(['check', '--config', 'bad.yaml', '-o', 'json'], cwd)).out)
  t.equal(problems.length, out.trimEnd().split('\n').length)
  t.match(problems[0], { file: /bad\.yaml/, line: 2, column: Number, path: String, message: String })
  t.equal((await run(['check'], cwd, { PORTCULLIS_CONFIG: 'bad.yaml' })).code, 2, 'PORTCULLIS_CONFIG names it too')
  t.equal((await run(['check', '--config', 'absent.yaml'], cwd)).code, 2)
  t.same(await run(['check', 'bad.yaml'], cwd), { code, out, err }, 'an argument names it too')
  t.match(await run(['check', 'bad.yaml', '--config', 'x.yaml'], cwd), { code: 2, out: '', err: /name one file/ })
})

t.test('the count of problems names the file that they are in, an included one by its own name', async (t) => {
  const main = (more: string) => `version: 1\n${more}include: [{ file: conf.d/posts.yaml, paths: [/**] }]\n`
  const cwd = t.testdir({
    'conf.d': { 'posts.yaml': 'servr: {}\n' },
    'one.yaml': main(''),
    'both.yaml': main('mode: prodution\n'),
  })
  t.match(
    (await run(['check', '--config', 'one.yaml'], cwd)).err,
    /^portcullis: 1 problem in \S*conf\.d\/posts\.yaml\n$/,
  )
  t.match(
    (await run(['check', '--config', 'both.yaml'], cwd)).err,
    /2 problems in \S*both\.yaml and what it includes\n$/,
  )
})

t.test('eleven different mistakes are eleven positions in one run, and exit code 2', async (t) => {
  const cwd = t.testdir({ 'eleven.yaml': ELEVEN })
  const { code, out, err } = await run(['check', '--config', 'eleven.yaml'], cwd)
  t.equal(code, 2)
  const places = out.trimEnd().split('\n')
  t.equal(places.length, 11)
  for (const position of places) t.match(position, /^\S*eleven\.yaml:\d+:\d+ [\w.[\]" /]+: \S/)
  t.equal(new Set(places.map((position) => position.split(' ')[0])).size, 11, 'no two at one place')
  t.match(err, /11 problems in .*eleven\.yaml/)
  const [node = '', ...words] = programWords()
  const serve = spawnSync(node, [...words, 'serve', '--config', 'eleven.yaml'], { cwd, encoding: 'utf8' })
  t.equal(serve.status, 2, 'a start ends the same way')
  t.equal((serve.stderr.match(/eleven\.yaml:\d+:\d+ /g) ?? []).length, 11, serve.stderr)
})

t.test('a start that its arguments or its configuration forbid ends with 2, a sentence and no trace', async (t) => {
  const cwd = t.testdir()
  const [node = '', ...words] = programWords()
  const cases: [string[], NodeJS.ProcessEnv, RegExp][] = [
    [['backend', '--listen', 'nowhere'], {}, /^portcullis: --listen is not host:port: nowhere$/],
    [['backend', '--gateway', 'api.example.com'], {}, /^portcullis: --gateway is not an origin /],
    [['backend', '--gateway', 'https://api.example.com/api'], {}, /^portcullis: --gateway is not an origin /],
    [['backend', '--ca', 'absent.pem'], {}, /^portcullis: --ca cannot be read: ENOENT/],
    [
      ['serve'],
      { PORTCULLIS_MODE: 'production' },
      /^portcullis: production does not start [\s\S]*server\.baseUrl[\s\S]*openssl/,
    ],
  ]
  for (const [argv, env, expected] of cases) {
    const options = { cwd, env: { ...plainEnvironment(), ...env }, encoding: 'utf8', timeout: 120_000 } as const
    const { status, stdout, stderr } = spawnSync(node, [...words, ...argv], options)
    t.same({ status, stdout }, { status: 2, stdout: '' }, argv.join(' '))
    t.match(stderr.trimEnd(), expected)
  }
  t.same(readdirSync(cwd), [])
})

t.test('F8 a start without its PostgreSQL ends with 5, the setting, and no password', async (t) => {
  const [node = '', ...words] = programWords()
  const env = { ...plainEnvironment(), PORTCULLIS_STORE: 'postgresql://gate:s3cret-word@127.0.0.1:1/gate' }
  const options = { cwd: t.testdir(), env, encoding: 'utf8', timeout: 120_000 } as const
  const { status, stderr, stdout } = spawnSync(node, [...words, 'serve'], options)
  t.equal(status, 5, stderr)
  t.match(
    stderr,
    /^portcullis: PostgreSQL cannot be used: .*ECONNREFUSED.* See store\.url \(PORTCULLIS_STORE; .*portcullis doctor/m,
  )
  t.notMatch(stderr + stdout, 's3cret-word')
})

t.test('a command that needs the configuration ends with 2 when it is wrong', async (t) => {
  const cwd = t.testdir({ 'bad.yaml': 'version: 1\nservr: {}\n' })
  const { code, out, err } = await run(['app', 'list', '--config', 'bad.yaml'], cwd)
  t.same({ code, out }, { code: 2, out: '' })
  t.match(err, /the configuration is wrong:\n.*bad\.yaml:2:1/)
})

t.test(
  'a command finds the server although the rules of the file are wrong, for it may run by earlier ones',
  async (t) => {
    const file =
      'data: { folder: /nowhere/here }\nroutes: { GET /x: { to: nothing } }\nlimits: { a: { by: b } }\nupstreams: 7\n'
    const cwd = t.testdir({ 'bad.yaml': file })
    const { code, err } = await run(['app', 'list', '--config', 'bad.yaml'], cwd)
    t.equal(code, 5)
    t.match(err, /here\/admin\.sock/)
    writeFileSync(join(cwd, 'bad.yaml'), `${file}include: 7\n`)
    const wrong = await run(['app', 'list', '--config', 'bad.yaml'], cwd)
    t.same(
      [wrong.code, wrong.err.match(/bad\.yaml:\d+/g)],
      [2, ['bad.yaml:5']],
      'other mistakes are reported, and those alone',
    )
  },
)

t.test('X5 check --print shows the settings in effect and no secret', async (t) => {
  const key = 'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWY'
  const text = `${readFileSync(defaultConfigFile(), 'utf8').replace(/^ {2}masterKeys:.*$/m, '  masterKeys: ["${THE_KEY}"]')}`
  const cwd = t.testdir({ 'with-key.yaml': text })
  const { code, out, err } = await run(['check', '--print', '--config', 'with-key.yaml'], cwd, { THE_KEY: key })
  t.equal(code, 0, err)
  t.equal(JSON.parse(out).mode, 'development')
  t.notMatch(out + err, key)
  t.match(out, '***')
})

t.test('completion prints a script and answers what comes next', async (t) => {
  const [node = '', ...words] = programWords()
  const complete = (...argv: string[]) =>
    spawnSync(node, [...words, 'complete', ...argv], { encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } })
  const script = complete('bash')
  t.equal(script.status, 0, script.stderr)
  t.match(script.stdout, 'portcullis complete --')
  const next = complete('--', 'app', '')
  for (const name of ['create', 'list', 'show', 'rotate', 'disable'])
    t.match(next.stdout, new RegExp(`^${name}\t`, 'm'))
  const audit = complete('--', 'audit', '').stdout
  for (const name of ['list', 'activity', 'verify', 'export']) t.match(audit, new RegExp(`^${name}\t`, 'm'))
  t.match(complete('--', 'app', 'create', '--type', '').stdout, /^web\t?.*\nnative/m)
  t.equal(complete('tcsh').status, 2)
})

t.test('a reader that stops early ends the program quietly', async (t) => {
  const command = `${programWords()
    .map((word) => `'${word}'`)
    .join(' ')} app --help | true`
  const { status, stderr } = spawnSync('/bin/sh', ['-c', command], { encoding: 'utf8' })
  t.equal(status, 0)
  t.notMatch(stderr, /EPIPE/)
})

t.test('nothing slow is loaded before a command asks for it', async (t) => {
  const here = dirname(fileURLToPath(import.meta.url))
  const walked = new Set<string>()
  const packages = new Set<string>()
  const walk = (file: string): void => {
    if (walked.has(file)) return
    walked.add(file)
    const text = readFileSync(file, 'utf8')
    const imports = [...text.matchAll(/^import (type )?[^'"]*['"]([^'"]+)['"]/gm)]
    // The table of contents loads a command's file when it is requested; all of them are looked at here.
    const files = file.endsWith('/command-groups.ts') ? [...text.matchAll(/await import\(()'([^']+)'\)/g)] : []
    for (const [, types, specifier = ''] of [...imports, ...files]) {
      if (types) continue
      if (specifier.startsWith('.')) walk(join(dirname(file), specifier.replace(/\.js$/, '.ts')))
      else packages.add(specifier)
    }
  }
  walk(join(here.replace(/\/dist\/test\/cli$/, '/test/cli'), '../../src/cli/program.ts'))
  t.ok(walked.size > 15, `${walked.size} files`)
  t.same([...packages].filter((name) => !name.startsWith('node:')).sort(), ['commander'])
  t.notOk(packages.has('node:https'))
  const heavy = [...walked].filter(
    (file) =>
      !/\/src\/(cli|http|observability|egress)\/|\/(?:oauth\/(?:secrets\/guid|requests\/permission-name)|languages\/language)\.[jt]s$/.test(
        file,
      ),
  )
  t.same(heavy, [], 'no room with a server, a database or a parser in it')
})
