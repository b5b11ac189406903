// What loads, and what comes out: the file that ships, references, quantities, the catalogue, and that secrets stay
// hidden.

import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import t from 'tap'
import { editorSchemaText, plainSchema } from '../../src/config/read/json-schema.js'
import { loadSettings } from '../../src/config/read/load.js'
import { defaultConfigFile, packageRoot } from '../../src/config/read/package-root.js'
import { maskedSettings } from '../../src/config/read/settings-mask.js'
import { formatProblem } from '../../src/config/report/problem.js'
import { mistakesOf, settingsFrom } from '../support/settings/config-file.js'
import { testSettings } from '../support/settings/settings.js'

const key = () => randomBytes(32).toString('base64url')

t.test('the file that ships loads without any variable set', async (t) => {
  const settings = loadSettings({ file: defaultConfigFile(), env: {}, cwd: '/somewhere' })
  t.match(settings, {
    mode: 'development',
    file: defaultConfigFile(),
    warnings: [],
    server: {
      baseUrl: 'https://localhost:8443',
      host: '127.0.0.1',
      port: 8443,
      tls: { kind: 'development' },
      trustedProxies: [],
      operator: { host: '127.0.0.1', port: 9464 },
    },
    data: { folder: '/somewhere/data' },
    store: { kind: 'sqlite', file: '/somewhere/data/portcullis.db', busyTimeoutMs: 5000 },
    masterKeys: [],
    tokens: { lifetimeSeconds: 3600, leewaySeconds: 60, algorithm: 'ES256' },
    revocation: { staleAfterMs: 5000, pollMs: 500 },
  })
  t.equal(settings.routes.length, 10)
  t.same(settings.tokenLimits, ['token-address', 'token-application'])
  t.match(settings.upstreams.get('backend'), { targets: [{ kind: 'builtin', service: 'backend' }], identity: 'jwt' })
})

t.test('the file that ships writes out the default of every setting, and an empty file means the same', async (t) => {
  const text = readFileSync(defaultConfigFile(), 'utf8')
  for (const name of settingNames(plainSchema()))
    t.match(text, new RegExp(`(^|[\\s{#,])${name}:`), `${name} stands in the file`)
  const shipped = settingsFrom(t, text)
  const empty = settingsFrom(t, '')
  const { catalogue: _one, routes: _two, upstreams: _three, ...rest } = shipped
  t.match(maskedSettings(empty), JSON.parse(JSON.stringify(maskedSettings({ ...empty, ...rest }))), 'the same defaults')
  t.equal(empty.routes.length, 0, 'nothing may be called that the file does not name')
})

t.test('T9 a code lives for a minute, and can be given ten at the most', async (t) => {
  t.equal(settingsFrom(t, '').tokens.codeLifetimeMs, 60_000)
  t.equal(settingsFrom(t, 'tokens: { code: 10min }').tokens.codeLifetimeMs, 600_000)
  t.match(mistakesOf(t, 'tokens: { code: 11min }').join('\n'), /tokens\.code/)
})

t.test('the file that ships takes its variables from the environment', async (t) => {
  const keys = [key(), key()]
  const env = {
    PORTCULLIS_MODE: 'production',
    PORTCULLIS_BASE_URL: 'https://api.example.com',
    PORTCULLIS_LISTEN: '[::]:443',
    PORTCULLIS_TLS: 'off',
    PORTCULLIS_TRUSTED_PROXIES: '10.0.0.0/8, fd00::/8',
    PORTCULLIS_OPERATOR: '0.0.0.0:9464',
    PORTCULLIS_FORWARD_AUTH: '[::1]:9465',
    PORTCULLIS_DATA: '/var/lib/portcullis',
    PORTCULLIS_MASTER_KEYS: keys.join(','),
    PORTCULLIS_LOG_LEVEL: 'warn',
    PORTCULLIS_LOG_FORMAT: 'json',
    PORTCULLIS_BACKEND: 'http://127.0.0.1:3000/',
  }
  const settings = loadSettings({ file: defaultConfigFile(), env })
  t.match(settings, {
    mode: 'production',
    server: { baseUrl: 'https://api.example.com', host: '::', port: 443, tls: { kind: 'off' } },
    data: { folder: '/var/lib/portcullis' },
    log: { level: 'warn', format: 'json' },
  })
  t.same(settings.server.trustedProxies, ['10.0.0.0/8', 'fd00::/8'])
  t.match(settings.server.forwardAuth, { listen: { host: '::1', port: 9465 }, proxies: ['127.0.0.0/8', '::1'] })
  t.same(
    settings.masterKeys.map((one) => one.reveal()),
    keys,
  )
  t.equal(settings.catalogue.own.id, 'https://api.example.com/api/v2')
  t.match(settings.upstreams.get('backend')?.targets, [{ kind: 'url', origin: 'http://127.0.0.1:3000', basePath: '' }])
})

t.test('a reference is resolved after parsing, so it changes neither structure nor kind', async (t) => {
  const load = (text: string, env: NodeJS.ProcessEnv) => settingsFrom(t, text, env)
  t.equal(load('tokens: { cache: "${N}" }', { N: '5' }).tokens.cacheEntries, 5, 'a text becomes a number')
  t.equal(load('log: { access: "${FLAG:-false}" }', {}).log.access, false, 'a text becomes a flag')
  t.equal(
    load('data: { folder: "/${A}/${B:-b}/$${C}" }', { A: 'a' }).data.folder,
    '/a/b/${C}',
    'several in one text, and an escape',
  )
  t.equal(
    load('data: { folder: "/${A}" }', { A: '${B}', B: 'b' }).data.folder,
    '/${B}',
    'a value is not resolved again',
  )
  t.equal(load('mode: ${MODE:-development}', { MODE: '' }).mode, 'development', 'an empty variable has its default')
  t.same(mistakesOf(t, 'mode: ${MODE}', { MODE: 'production\nserver: {listen: evil}' }), [
    '1:7 mode: must be one of development, production; not what "${MODE}" stands for',
  ])
  t.same(mistakesOf(t, 'mode: ${1X}'), [
    '1:7 mode: a reference is written ${NAME} or ${NAME:-default}; $${ stands for a plain ${',
  ])
  t.same(mistakesOf(t, 'mode: "${X"'), [
    '1:7 mode: a reference is written ${NAME} or ${NAME:-default}; $${ stands for a plain ${',
  ])
  t.same(mistakesOf(t, 'data: { folder: "${A}/${B}" }'), [
    '1:17 data.folder: the environment variable A is not set',
    '1:17 data.folder: the environment variable B is not set',
  ])
})

t.test('file: stands for what a file holds', async (t) => {
  const one = key()
  const settings = settingsFrom(t, 'secrets: { masterKeys: file:keys }', {}, { keys: `${one}\n` })
  t.equal(settings.masterKeys[0]?.reveal(), one)
  const viaVariable = settingsFrom(
    t,
    'secrets: { masterKeys: ["${KEYS}"] }',
    { KEYS: 'file:keys' },
    { keys: `${one}\n` },
  )
  t.equal(viaVariable.masterKeys[0]?.reveal(), one)
})

t.test('file: is refused when the file cannot be read as text', async (t) => {
  const mistakes = (text: string, files: Record<string, string> = {}) =>
    mistakesOf(t, text, { WHERE: 'file:/nowhere' }, files)
  t.same(mistakes('mode: file:gone'), ['1:7 mode: "gone" cannot be read (there is no such file)'])
  t.same(mistakes('mode: file:.'), ['1:7 mode: "." is not a file'])
  t.same(mistakes('mode: ${WHERE}'), ['1:7 mode: the file that it refers to cannot be read (there is no such file)'])
  t.same(mistakes('mode: file:big', { big: 'x'.repeat(1024 * 1024 + 1) }), ['1:7 mode: "big" is larger than 1 MiB'])
  t.same(mistakes('mode: file:mode', { mode: 'hunter2' }), [
    '1:7 mode: must be one of development, production; not what "file:mode" stands for',
  ])
})

t.test('a secret that everybody on the machine may read loads with a warning', async (t) => {
  const folder = t.testdir({
    'p.yaml': 'secrets: { masterKeys: file:keys }\nserver: { tls: { cert: cert.pem, key: file:key.pem } }\n',
    keys: key(),
    'cert.pem': 'c',
    'key.pem': 'k',
  })
  const warnings = () =>
    loadSettings({ file: join(folder, 'p.yaml'), env: {} }).warnings.map((one) => formatProblem({ ...one, file: '' }))
  for (const name of ['keys', 'key.pem']) chmodSync(join(folder, name), 0o644)
  t.match(warnings(), [
    /^:1:24 secrets.masterKeys: "keys" holds a secret and everybody/,
    /^:2:39 server.tls.key: everybody on this machine may read/,
  ])
  for (const name of ['keys', 'key.pem']) chmodSync(join(folder, name), 0o600)
  t.same(warnings(), [])
  const literal = settingsFrom(t, `secrets: { masterKeys: [${key()}] }`)
  t.match(literal.warnings, [{ line: 1, column: 25, message: /stands in the configuration itself/ }])
})

t.test('a master key is 32 random bytes in base64url, and no message shows one', async (t) => {
  const good = key()
  const wrong = [good.slice(1), `${good}=`, `${good}A`, Buffer.alloc(32).toString('base64'), 'hunter2', 'A'.repeat(43)]
  for (const one of wrong) {
    const mistakes = mistakesOf(t, `secrets: { masterKeys: ["${one}"] }`)
    t.match(mistakes, [/^1:25 secrets.masterKeys\[0\]: key 1 (must be 32 random bytes|is not random)/])
    t.notMatch(mistakes.join(), one)
  }
  t.match(mistakesOf(t, 'secrets: { masterKeys: "${K}" }', { K: `${good} ${good}` }), [
    /^1:24 secrets.masterKeys: key 2 stands in this list already$/,
  ])
  t.notMatch(mistakesOf(t, `secrets: { masterKeys: { a: ${good} } }`).join(), good)
  t.notMatch(mistakesOf(t, `secrets: { masterKey: ${good} }`).join(), good)
  t.notMatch(mistakesOf(t, `secrets: { masterKeys: "${good} }`).join(), good, 'nor does a mistake of syntax')
  t.notMatch(
    mistakesOf(t, `secrets: { masterKeys: [&k ${good}] }\nmode: *k\n`).join(),
    good,
    'nor a use of it elsewhere',
  )
})

t.test('X5 no output of the settings shows a secret', async (t) => {
  const one = key()
  const settings = settingsFrom(t, 'secrets: { masterKeys: ["${K}"] }', { K: one })
  const outputs = [
    JSON.stringify(settings),
    JSON.stringify(maskedSettings(settings)),
    inspect(settings, { depth: 20, showHidden: true, getters: true }),
    `${settings.masterKeys[0]}`,
    String(settings.masterKeys),
    JSON.stringify({ ...settings.masterKeys[0] }),
  ]
  for (const output of outputs) t.notMatch(output, one)
  t.same(Reflect.get(maskedSettings(settings), 'masterKeys'), ['***'])
  t.equal(settings.masterKeys[0]?.reveal(), one)
})

t.test('masked settings are plain data with every part of the settings', async (t) => {
  const masked = maskedSettings(testSettings())
  t.same(JSON.parse(JSON.stringify(masked)), masked)
  t.match(masked, {
    mode: 'development',
    upstreams: { backend: { identity: 'jwt' } },
    limits: { tenant: { by: ['application', 'tenant', 'user'] } },
  })
  t.equal(Reflect.get(masked, 'routes').length, 10)
})

t.test('settings are frozen', async (t) => {
  const settings = loadSettings({ file: defaultConfigFile(), env: {} })
  t.throws(() => Object.assign(settings.server, { baseUrl: 'https://evil.example' }), TypeError)
  t.throws(() => Object.assign(settings.routes[0] ?? {}, { upstream: 'evil' }), TypeError)
})

t.test('X5 an included file shows nobody what only the server may know', async (t) => {
  const main =
    'include: [{ file: conf.d/a.yaml, variables: [TEAM_TITLE, TEAM_FILE] }]\npermissions:\n  x_read: { describe: "${PORTCULLIS_TITLE}" }\n'
  const part = (describe: string) => `permissions:\n  a_read: { describe: "${describe}" }\n`
  const load = (describe: string) => {
    const folder = t.testdir({
      'secret.txt': 'hidden',
      'conf.d': { 'a.yaml': part(describe), a: { 'a.txt': 'Read a' }, 'b.txt': 'hidden' },
    })
    return mistakesOf({ testdir: (files) => writtenInto(folder, files) }, main, {
      ...{
        PORTCULLIS_TITLE: 'Read x',
        PORTCULLIS_MASTER: 'hidden',
        TEAM_TITLE: 'Read a',
        TEAM_FILE: 'file:../secret.txt',
      },
    })
  }
  for (const fine of ['file:a/a.txt', '${TEAM_TITLE}']) t.same(load(fine), [])
  for (const wrong of [
    '${PORTCULLIS_MASTER}',
    '${PORTCULLIS_MASTER:-}',
    'file:../secret.txt',
    'file:/etc/hostname',
    '${TEAM_FILE}',
    '${HOME}',
    'file:b.txt',
    'file:a/../../secret.txt',
  ]) {
    const [mistake = '', ...more] = load(wrong)
    t.match(mistake, /^2:23 permissions\.a_read\.describe: .*included file may/, wrong)
    t.notMatch(mistake, 'hidden')
    t.same(more, [])
  }
})

function writtenInto(folder: string, files: Record<string, string>): string {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

t.test('quantities come out in base units', async (t) => {
  const settings = settingsFrom(
    t,
    `server: { limits: { body: 3MiB, perAddress: 20/10s }, timeouts: { headers: 1500ms } }
tokens: { lifetime: 30min, rotateEvery: 2d, failedAuthentications: 5/h }
limits: { r: { by: address, rate: 50/s }, b: { by: [application, route], rate: 600/min, burst: 7 }, q: { by: tenant, quota: 1000000/day, shadow: true } }
defaults: { limits: [r], tokenLimits: [q] }
`,
  )
  t.equal(settings.server.bodyBytes, 3 * 1024 * 1024)
  t.equal(settings.server.headersTimeoutMs, 1500)
  t.same(settings.addressGuard, { limit: 20, periodMs: 10_000 })
  t.equal(settings.tokens.lifetimeSeconds, 1800)
  t.equal(settings.tokens.rotateEveryMs, 172_800_000)
  t.same(settings.failedAuthentications, { limit: 5, periodMs: 3_600_000 })
  t.same(settings.limits.get('r')?.algorithm, { kind: 'rate', limit: 50, periodMs: 1000, burst: 5 })
  t.match(settings.limits.get('b'), {
    name: 'b',
    by: ['application', 'route'],
    algorithm: { kind: 'rate', limit: 600, periodMs: 60_000, burst: 7 },
    mode: 'local',
    onDown: 'local',
  })
  t.match(settings.limits.get('q'), {
    algorithm: { kind: 'quota', limit: 1_000_000, periodMs: 86_400_000 },
    shadow: true,
  })
  t.equal(settings.limits.get('r')?.shadow, false)
  t.equal(settings.limits.size, 8, 'the five that there are stay beside those of the file')
  const own = settingsFrom(t, 'limits: { tenant: { by: user, quota: 9/day } }\n')
  t.same(own.limits.get('tenant')?.by, ['user'], 'unless it has one of the same name')
  t.equal(own.limits.size, 5)
})

t.test('a permission is found by kind, resource and id together', async (t) => {
  const { catalogue } = loadSettings({ file: defaultConfigFile(), env: {} })
  const own = catalogue.own.id
  t.match(catalogue.find('delegated', own, 'User.Read'), { id: 'User.Read', adminConsent: false })
  t.equal(catalogue.find('application', own, 'User.Read'), undefined, 'not of that kind')
  t.equal(catalogue.find('delegated', 'https://other.example', 'User.Read'), undefined, 'not of that resource')
  t.equal(catalogue.find('delegated', own, 'user.read'), undefined, 'not in that letter case')
  t.equal(catalogue.find('delegated', own, 'constructor'), undefined)
  t.match(catalogue.find('application', own, 'User.Read.All'), { adminConsent: true }, '.All needs an administrator')
  t.match(catalogue.find('delegated', own, 'assets_delete'), { adminConsent: true })
  t.same(catalogue.resourcesOf('assets_read'), [own])
  t.same(catalogue.resourcesOf('nothing'), [])
})

t.test('what covers a permission satisfies it, directly or not, within its kind', async (t) => {
  const { catalogue } = settingsFrom(
    t,
    `permissions:
  A: { describe: A, covers: [B] }
  B: { describe: B, covers: [C] }
  C: { describe: C, covers: [A] }
  Users: { describe: U, kinds: [delegated] }
  Both: { describe: D, covers: [Users] }
resources: { r: { id: "urn:r", name: R, permissions: { A: { describe: A } } } }
`,
  )
  const own = catalogue.own.id
  t.same([...catalogue.satisfying('application', own, 'C')].sort(), ['A', 'B', 'C'], 'a circle is no end')
  t.same(catalogue.satisfying('application', 'urn:r', 'A'), ['A'], 'another resource covers for itself')
  t.same([...catalogue.satisfying('delegated', own, 'Users')], ['Users', 'Both'])
  t.same(
    catalogue.satisfying('application', own, 'Users'),
    [],
    'what only a user can have, no application has through another',
  )
  t.same(catalogue.satisfying('application', own, 'Nothing'), [])
  t.same(catalogue.resourcesOf('A'), [own, 'urn:r'])
})

t.test('the JSON Schema for editors is up to date', async (t) => {
  const file = join(packageRoot(), 'config', 'portcullis.schema.json')
  // TAP_SNAPSHOT=1 writes it, as it does for snapshots.
  if (process.env['TAP_SNAPSHOT'] === '1') writeFileSync(file, editorSchemaText())
  t.equal(readFileSync(file, 'utf8'), editorSchemaText())
  t.match(
    readFileSync(defaultConfigFile(), 'utf8').split('\n')[0],
    '# yaml-language-server: $schema=./portcullis.schema.json',
  )
})

t.test('the JSON Schema for editors accepts what loads and marks what does not', async (t) => {
  const { Ajv } = await import('ajv')
  const { parse } = await import('yaml')
  const ajv = new Ajv({ strict: false })
  t.equal(ajv.validateSchema(plainSchema()), true, ajv.errorsText())
  const check = ajv.compile(JSON.parse(editorSchemaText()))
  t.equal(check(parse(readFileSync(defaultConfigFile(), 'utf8'))), true, ajv.errorsText(check.errors))
  for (const good of [
    'tokens: { cache: "${N}" }',
    'log: { access: "${A:-true}" }',
    'server: { limits: { body: file:/x } }',
    'version: 1',
  ]) {
    t.equal(check(parse(good)), true, good)
  }
  for (const bad of [
    'version: 2',
    'mode: prod',
    'tokens: { lifetime: 5 }',
    'serverr: {}',
    'routes: { GET /x: { require: A } }',
  ]) {
    t.equal(check(parse(bad)), false, bad)
  }
  for (const [name, schema] of Object.entries(JSON.parse(editorSchemaText()).properties)) {
    t.ok(Reflect.get(schema as object, 'description'), `${name} is described`)
  }
})

function settingNames(schema: Record<string, unknown>): string[] {
  const properties = (schema['properties'] ?? {}) as Record<string, Record<string, unknown>>
  return Object.entries(properties).flatMap(([name, below]) => [name, ...settingNames(below)])
}
