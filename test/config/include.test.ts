// `include`: rules in further files, one whole with the main one, and every mistake under the name of its file.

import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { loadConfiguration, loadSettings } from '../../src/config/load.js'
import { ConfigurationErrors, formatProblem } from '../../src/config/problem.js'
import { isSame, readDisk, readSeen, seeAgain } from '../../src/config/reading.js'

type Test = Pick<typeof t, 'testdir'>

const main = (more = '') => `include: [conf.d/*.yaml]
permissions:
  things_read: { describe: Read things }
upstreams:
  things: { target: "http://127.0.0.1:3001" }
routes:
  GET /api/v2/things: { to: things, require: things_read }
${more}`

/** Writes the files into a folder of the test; a name may have folders. */
function written(t: Test, files: Record<string, string>): string {
  const folder = t.testdir({})
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

function load(folder: string, env: NodeJS.ProcessEnv = {}) {
  return loadSettings({ file: 'portcullis.yaml', env, cwd: folder })
}

function mistakes(folder: string): string[] {
  try {
    load(folder)
    return []
  } catch (error) {
    if (!(error instanceof ConfigurationErrors)) throw error
    return error.problems.map(formatProblem)
  }
}

t.test('a file of another team adds routes, upstreams, limits and permissions, and positions name it', async (t) => {
  const folder = written(t, {
    'portcullis.yaml': main(),
    'conf.d/b.yaml': 'routes:\n  GET /api/v2/b: { to: things, require: b_read }\n',
    'conf.d/a.yaml': [
      'permissions:',
      '  b_read: { describe: Read b }',
      'limits: { b: { by: user, rate: 10/min } }',
      'resources: { box: { id: "https://box.example.com", name: Box, permissions: { open: { describe: Open } } } }',
      'upstreams: { b: { target: "http://127.0.0.1:3002" } }',
      'defaults: {}',
    ]
      .slice(0, 5)
      .join('\n'),
    'conf.d/c.yml': 'not: read',
    'conf.d/.hidden.yaml': 'not: read',
    'conf.d/folder.yaml/x': '',
  })
  const settings = load(folder)
  t.same(
    settings.routes.map(({ id, position }) => `${id} ${position.file}:${position.line}:${position.column}`),
    ['GET /api/v2/things portcullis.yaml:7:3', 'GET /api/v2/b conf.d/b.yaml:2:3'],
  )
  t.same([...settings.upstreams.keys()], ['things', 'b'])
  t.same(
    [...settings.limits.keys()],
    ['application', 'tenant', 'token-address', 'token-revocation', 'token-application', 'b'],
  )
  t.equal(settings.upstreams.get('b')?.position.file, 'conf.d/a.yaml')
  t.ok(settings.catalogue.find('delegated', 'https://box.example.com', 'open'))
})

t.test('all mistakes of all files are told at once, each in its file, and nothing is defined twice', async (t) => {
  const folder = written(t, {
    'portcullis.yaml': main('limit: {}\n'),
    'conf.d/1.yaml':
      'routes:\n  GET /api/v2/things: { to: things, require: things_read }\n  GET /api/v2/one: { to: thing, require: things_read }\n',
    'conf.d/2.yaml':
      'server: { listen: "0.0.0.0:80" }\nroute: {}\ninclude: [more/*.yaml]\npermissions: { things_read: { describe: Again } }\n',
    'conf.d/3.yaml': 'routes:\n  GET /api/v2/things/{name}: { to: things, require: things_raed }\n   GET: wrong\n',
    'conf.d/4.yaml': '- a list\n',
    'conf.d/5.yaml': '',
  })
  t.same(mistakes(folder), [
    'portcullis.yaml:8:1 limit: there is no such setting; did you mean "limits"?',
    'conf.d/1.yaml:2:3 routes["GET /api/v2/things"]: is defined already, at portcullis.yaml:7:3',
    'conf.d/1.yaml:3:26 routes["GET /api/v2/one"].to: there is no upstream "thing"; did you mean "things"?',
    'conf.d/2.yaml:1:1 server: does not belong in an included file, which may have resources, permissions, upstreams, limits, routes, tests',
    'conf.d/2.yaml:2:1 route: does not belong in an included file, which may have resources, permissions, upstreams, limits, routes, tests; did you mean "routes"?',
    'conf.d/2.yaml:3:1 include: does not belong in an included file, which may have resources, permissions, upstreams, limits, routes, tests',
    'conf.d/2.yaml:4:16 permissions.things_read: is defined already, at portcullis.yaml:3:3',
    'conf.d/3.yaml:2:53 routes["GET /api/v2/things/{name}"].require: there is no permission "things_raed"; did you mean "things_read"?',
    'conf.d/3.yaml:3:1 the indentation does not fit the lines around it',
    'conf.d/3.yaml:3:9 routes.GET: must be a group of settings; not "wrong"',
    'conf.d/4.yaml:1:1 an included file is a mapping of settings',
  ])
})

t.test('what include names must be there, what it looks for need not; a * stands in the last part only', async (t) => {
  const of = (include: string) => {
    const text = main().replace('[conf.d/*.yaml]', include)
    return mistakes(written(t, { 'portcullis.yaml': text, 'here/a.yaml': 'routes: {}\n' }))
  }
  t.same(of('[nowhere/*.yaml, here/b*.yaml, here/a.yaml, "*.yaml", "*"]'), [])
  t.same(of('[here/b.yaml]'), ['portcullis.yaml:1:11 include[0]: "here/b.yaml": there is no such file'])
  t.same(of('[here]'), ['portcullis.yaml:1:11 include[0]: "here": this is no file'])
  const shape = 'must name files: a * may stand in the last part of the path only'
  t.same(
    of('["**/a.yaml", "*/a.yaml", here/]').map((line) => line.slice(-shape.length)),
    [shape, shape, shape],
  )
  t.match(of('here/a.yaml'), [/include: must be a list of files/])
  t.match(of('[[here/a.yaml]]'), [/include\[0\]/])
})

t.test('routes of two files that match the same are told with both files', async (t) => {
  const folder = written(t, {
    'portcullis.yaml': main(),
    'conf.d/1.yaml': 'routes:\n  GET /a/{one}: { to: things, require: things_read }\n',
    'conf.d/2.yaml': 'routes:\n  GET /a/{other}: { to: things, require: things_read }\n',
  })
  const same = 'matches the same GET requests as "GET /a/{one}" at conf.d/1.yaml:2:3; one of them can never be reached'
  t.same(mistakes(folder), [`conf.d/2.yaml:2:3 routes["GET /a/{other}"]: ${same}`])
})

t.test('references of a part are resolved from its own folder; a part that cannot be read is a mistake', async (t) => {
  const folder = written(t, {
    'portcullis.yaml': main(),
    'conf.d/a.yaml': 'upstreams:\n  a: { target: "file:target.txt" }\n  b: { target: "${B_TARGET}" }\n',
    'conf.d/target.txt': 'http://127.0.0.1:3003\n',
  })
  t.equal(load(folder, { B_TARGET: 'http://127.0.0.1:3004' }).upstreams.size, 3)
  t.match(mistakes(folder), [
    /^conf\.d\/a\.yaml:3:\d+ upstreams\.b\.target: the environment variable B_TARGET is not set$/,
  ])
  writeFileSync(join(folder, 'conf.d/b.yaml'), Buffer.from([0x61, 0x3a, 0xff]))
  symlinkSync('nowhere', join(folder, 'conf.d/c.yaml'))
  t.match(mistakes(folder).slice(1), [/^conf\.d\/b\.yaml:1:1 .*UTF-8/, /^conf\.d\/c\.yaml:1:1 .*no such file/])
})

t.test('what a load read can be looked at again, and be loaded again from memory', async (t) => {
  const folder = written(t, {
    'portcullis.yaml': main(),
    'conf.d/a.yaml': 'upstreams: { a: { target: "file:target.txt" } }\n',
    'conf.d/target.txt': 'http://127.0.0.1:3003\n',
  })
  const disk = readDisk()
  const options = { file: 'portcullis.yaml', env: {}, cwd: folder }
  const first = loadSettings({ ...options, reading: disk })
  t.ok(isSame(disk.seen, seeAgain(disk.seen)))
  const target = join(folder, 'conf.d/target.txt')
  chmodSync(target, 0o600)
  writeFileSync(target, 'http://127.0.0.1:3005\n')
  t.notOk(isSame(disk.seen, seeAgain(disk.seen)), 'a file that a setting names is part of it')
  writeFileSync(join(folder, 'conf.d/new.yaml'), 'routes: {}\n')
  t.match(seeAgain(disk.seen).folders[join(folder, 'conf.d')], { names: ['a.yaml', 'new.yaml', 'target.txt'] })
  const passedOn = JSON.parse(JSON.stringify(disk.seen))
  t.same(loadSettings({ ...options, reading: readSeen(passedOn) }).upstreams, first.upstreams)
})

t.test('a running process gets the rules of the file, and hears what else waits for the next start', async (t) => {
  const folder = written(t, { 'portcullis.yaml': main() })
  const options = { file: 'portcullis.yaml', env: { KEY: randomBytes(32).toString('base64url') }, cwd: folder }
  const running = loadConfiguration(options)
  const more = `server: { listen: "127.0.0.1:1", baseUrl: https://other.example.com, limits: { body: 5MiB } }
redis: { url: "redis://127.0.0.1:1" }
secrets: { masterKeys: "\${KEY}" }
`
  writeFileSync(join(folder, 'portcullis.yaml'), main(more).replaceAll('things_read', 'things_see'))
  const { settings, waiting, fixed } = loadConfiguration(options, running.fixed)
  t.same(waiting.map(formatProblem), [
    'portcullis.yaml:8:43 server.baseUrl: takes effect at the next start',
    'portcullis.yaml:8:19 server.listen: takes effect at the next start',
    'portcullis.yaml:8:86 server.limits.body: takes effect at the next start',
    'portcullis.yaml:9:15 redis.url: takes effect at the next start',
    'portcullis.yaml:10:24 secrets.masterKeys: takes effect at the next start',
  ])
  t.equal(fixed, running.fixed)
  t.equal(settings.catalogue.own.id, running.settings.catalogue.own.id)
  t.same(settings.server, running.settings.server)
  t.equal(settings.routes[0]?.bodyBytes, 1_048_576, 'not even through a route')
  t.equal(settings.limits.get('tenant')?.mode, 'local')
  t.ok(settings.catalogue.find('application', settings.catalogue.own.id, 'things_see'))
  t.notOk(JSON.stringify([waiting, fixed]).includes(String(options.env.KEY)), 'and no secret is told')
})
