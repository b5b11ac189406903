// From a service's own description to rules that load: what is proposed, what is said about the rest, and files that
// are none.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { loadSettings } from '../../src/config/read/load.js'
import { packageRoot } from '../../src/config/read/package-root.js'
import { readPlainYaml } from '../../src/openapi/plain-yaml.js'
import { runCommand } from '../support/rooms/cli.js'

const propose = async (...options: string[]) => {
  const { code, out, err } = await runCommand(['import', 'openapi', ...options], { cwd: String(packageRoot()) })
  return { exitCode: code, output: out, errors: err }
}

const sample = join(String(packageRoot()), 'test/cli/samples/pets-openapi.yaml')

t.test('a document becomes rules that load, and nothing of it stands open that it does not call open', async (t) => {
  const folder = t.testdir()
  const { output, exitCode } = await propose(sample, '--name', 'pets', '--prefix', '/api/v2/shop')
  t.equal(exitCode, 0)
  const file = join(folder, 'portcullis.yaml')
  writeFileSync(file, output)
  const settings = loadSettings({ file, env: {}, cwd: folder })
  const rules = settings.routes.flatMap(({ path, methods }) =>
    [...methods].map(([method, need]) => [`${method} ${path}`, need === 'public' ? need : need.anyOf]),
  )
  t.strictSame(
    new Map(rules as [string, unknown][]),
    new Map<string, unknown>([
      ['GET /api/v2/shop/pets', [['pets:read']]],
      ['POST /api/v2/shop/pets', [['pets:write', 'pets:read']]],
      ['GET /api/v2/shop/pets/{pet_id}', [['pets:read'], ['pets_read']]],
      ['DELETE /api/v2/shop/pets/{pet_id}', [['pets_write']]],
      ['PUT /api/v2/shop/pets/{pet_id}', [['pets:write']]],
      ['GET /api/v2/shop/orders/{id_pdf}', [['pets.example.com.auth.orders']]],
      ['POST /api/v2/shop/orders/{id_pdf}', [['pets:read']]],
      ['GET /api/v2/shop/opening-hours', 'public'],
      ['GET /api/v2/shop/news', 'public'],
      ['POST /api/v2/shop/news', [['pets:read']]],
    ]),
  )
  t.match(settings.upstreams.get('pets'), { name: 'pets' })
  t.match(output, /target: "https:\/\/pets.example.com"/)
  t.ok(settings.routes.every(({ prefix }) => prefix?.from === '/api/v2/shop' && prefix.to === '/v1'))
  const permissions = new Map(settings.catalogue.permissions.map((one) => [one.id, one]))
  t.match(permissions.get('pets:read'), { describe: 'Look at pets', kinds: ['application', 'delegated'] })
  t.match(permissions.get('pets:write'), { describe: 'Add, change and remove pets', kinds: ['application'] })
  t.match(permissions.get('pets.example.com.auth.orders'), { kinds: ['delegated'] })
})

t.test('what was guessed or could not be carried is said', async (t) => {
  const { output } = await propose(sample, '--name', 'pets', '--prefix', '/api/v2/shop')
  const notes = output.split('\n').filter((line) => line.startsWith('# - '))
  for (const expected of [
    /the first of 2 servers/,
    /TRACE \/pets\/\{pet-id\} was left out/,
    /GET \/pets\/\{petId\} was left out: GET .* is the same route/,
    /\{id\}\.pdf is matched by any segment/,
    /GET \/a path was left out: "a path" holds a character/,
    /"https:\/\/pets.example.com\/auth\/orders" is called pets.example.com.auth.orders/,
    /pets_write was made/,
  ])
    t.ok(
      notes.some((note) => expected.test(note)),
      String(expected),
    )
  const bare = await propose(sample)
  t.match(
    bare.output,
    /"GET \/v1\/pets": \{ to: service, require: "pets:read" \}|GET,POST/,
    'without a prefix paths stay',
  )
  t.notMatch(bare.output, /rewrite|strip/)
})

t.test('a document without security is closed, and one that lies below an address of ours is moved', async (t) => {
  const folder = t.testdir()
  const document = { openapi: '3.1.0', paths: { '/portal/x': { get: {} }, '/things': { get: {}, post: {} } } }
  const file = join(folder, 'plain.json')
  writeFileSync(file, JSON.stringify(document))
  const { output } = await propose(file, '--name', 'things')
  t.match(output, '"GET,POST /things": { to: things, require: { GET: "things_read", POST: "things_write" } }')
  t.match(
    output,
    /GET \/portal\/x was left out: it could reach \/portal, which|GET \/portal\/x was left out: it could reach \/portal/,
  )
  t.match(output, /where the service is stands nowhere/)
  writeFileSync(join(folder, 'portcullis.yaml'), output)
  t.equal(loadSettings({ file: 'portcullis.yaml', env: {}, cwd: folder }).routes.length, 1)
})

t.test('files that are no such document, and wrong options, are one sentence and exit code 2', async (t) => {
  const folder = t.testdir({
    'swagger.json': '{"swagger":"2.0","paths":{"/a":{}}}',
    'empty.yaml': '',
    'paths.yaml': 'openapi: 3.0.0\npaths: {}\n',
    'broken.yaml': 'a: [1\nb: 2\n',
    'servers.yaml': 'openapi: 3.0.0\npaths: { /a: { get: {} } }\nservers: nowhere\n',
    'security.yaml': 'openapi: 3.0.0\npaths: { /a: { get: {} } }\nsecurity: all\n',
    'bomb.yaml': `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'
      .split('')
      .map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[at]}`).join(',')}]`)
      .join('\n')}\n`,
  })
  const refused = async (options: string[], expected: RegExp) => {
    const { exitCode, errors } = await propose(...options)
    t.equal(exitCode, 2, String(expected))
    t.match(errors, expected)
  }
  await refused([join(folder, 'swagger.json')], /Swagger 2.0/)
  await refused([join(folder, 'empty.yaml')], /no OpenAPI document/)
  await refused([join(folder, 'paths.yaml')], /has no paths/)
  await refused([join(folder, 'broken.yaml')], /2:1: this is not YAML|not YAML/)
  await refused([join(folder, 'servers.yaml')], /servers must be/)
  await refused([join(folder, 'security.yaml')], /security must be/)
  await refused([join(folder, 'bomb.yaml')], /aliases/)
  await refused([join(folder, 'nothing.yaml')], /ENOENT/)
  await refused([sample, '--name', 'Bad Name'], /--name/)
  await refused([sample, '--prefix', 'no/slash'], /--prefix/)
  await refused([sample, '--target', 'ftp://x'], /--target/)
  t.same(readPlainYaml('{"a": null, "b": "${X}"}'), { a: null, b: '${X}' })
})

t.test('what a document says cannot become more than text of a rule', async (t) => {
  const folder = t.testdir()
  const evil = 'x" }\nroutes:\n  "GET /**": { to: service, public: true }\n#'
  const document = {
    openapi: '3.0.0',
    info: { title: evil },
    servers: [{ url: `https://a.example/${evil}` }],
    components: {
      securitySchemes: { o: { type: 'oauth2', flows: { clientCredentials: { scopes: { [evil]: evil } } } } },
    },
    paths: { [`/a/${evil}`]: { get: {} }, '/b': { get: { security: [{ o: [evil] }] } } },
  }
  const file = join(folder, 'evil.json')
  writeFileSync(file, JSON.stringify(document))
  const { output } = await propose(file, '--target', 'http://127.0.0.1:3000')
  writeFileSync(join(folder, 'portcullis.yaml'), output)
  const { routes } = loadSettings({ file: 'portcullis.yaml', env: {}, cwd: folder })
  t.same(
    routes.map(({ path, methods }) => [path, [...methods.keys()], methods.get('GET') === 'public']),
    [['/b', ['GET'], false]],
  )
  t.ok(
    readFileSync(join(folder, 'portcullis.yaml'), 'utf8')
      .split('\n')
      .every((line) => /^(#|$| {2}|[a-z]+:$)/.test(line)),
  )
})

t.test('a text of a document refers to no variable and no file of this machine', async (t) => {
  const scopes = { a: '${HOME} and $${HOME}', b: 'file:/etc/passwd', c: 'x\u2028\u202ey' }
  const document = {
    openapi: '3.0.0',
    components: { securitySchemes: { o: { type: 'oauth2', flows: { clientCredentials: { scopes } } } } },
    paths: { '/a': { get: { security: [{ o: ['a', 'b', 'c'] }] } } },
  }
  const folder = t.testdir({ 'texts.json': JSON.stringify(document) })
  const { output } = await propose(join(folder, 'texts.json'))
  writeFileSync(join(folder, 'portcullis.yaml'), output)
  const { catalogue } = loadSettings({ file: 'portcullis.yaml', env: { HOME: 'secret' }, cwd: folder })
  t.same(
    ['a', 'b', 'c'].map((id) => catalogue.permissions.find((one) => one.id === id)?.describe),
    ['${HOME} and $${HOME}', 'file /etc/passwd', 'x y'],
  )
})
