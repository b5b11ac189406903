// `include`: rules in further files, one whole with the main one, and every mistake under the name of its file.

import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { isSame, readDisk, readSnapshot, snapshotAgain } from '../../src/config/read/file-reader.js'
import { loadConfiguration, loadSettings } from '../../src/config/read/load.js'
import { ConfigurationErrors, formatProblem } from '../../src/config/report/problem.js'

type Test = Pick<typeof t, 'testdir'>

const main = (more = '', include = '{ file: conf.d/*.yaml, paths: [/**] }') => `include: [${include}]
permissions:
  things_read: { describe: Read things }
upstreams:
  things: { target: "http://127.0.0.1:3001" }
routes:
  GET /api/v2/things: { to: things, require: things_read }
${more}`

const upstream = (name: string) => `upstreams: { ${name}: { target: "http://${name}.example.com" } }\n`

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

t.test('a file with the other ending of YAML is not read, and a warning says so', async (t) => {
  const files = {
    'conf.d/a.yaml': upstream('a'),
    'conf.d/b.yml': upstream('b'),
    'conf.d/.c.yml': '',
    'conf.d/d.txt': '',
  }
  const folder = written(t, { ...files, 'portcullis.yaml': main() })
  const { upstreams, warnings } = load(folder)
  t.same(
    [...upstreams.keys()].filter((name) => name !== 'things'),
    ['a'],
  )
  t.same(
    warnings.map(formatProblem).filter((text) => text.includes('not read')),
    [
      'portcullis.yaml:1:11 include[0]: conf.d/b.yml is not read: rename it to fit conf.d/*.yaml, or add an entry for it',
    ],
  )
  const both = '{ file: conf.d/*.yaml, paths: [/**] }, { file: conf.d/*.yml, paths: [/**] }'
  writeFileSync(join(folder, 'portcullis.yaml'), main('', both))
  t.notMatch(load(folder).warnings.map(formatProblem).join(), /not read/)
  const above = written(t, { 'main.yml': main('', '{ file: "*.yaml", paths: [/**] }'), 'a.yaml': upstream('a') })
  const itself = loadSettings({ file: 'main.yml', env: {}, cwd: above }).warnings.map(formatProblem)
  t.notMatch(itself.join(), /not read/, 'the main file may end as it likes')
})

t.test('a file of another team adds routes, upstreams, limits and permissions, and positions name it', async (t) => {
  const folder = written(t, {
    'portcullis.yaml': main(),
    'conf.d/b.yaml':
      'routes:\n  GET /api/v2/b: { to: b2, require: b_read }\nupstreams: { b2: { target: "http://127.0.0.1:3009" } }\n',
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
  t.same([...settings.upstreams.keys()], ['things', 'b', 'b2'])
  t.same(
    [...settings.limits.keys()],
    ['application', 'tenant', 'token-address', 'token-revocation', 'token-application', 'b'],
  )
  t.equal(settings.upstreams.get('b')?.position.file, 'conf.d/a.yaml')
  t.ok(settings.catalogue.find('delegated', 'https://box.example.com', 'open'))
})

t.test('all mistakes of all files are reported at once, each in its file, and nothing is defined twice', async (t) => {
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
    'conf.d/3.yaml:2:36 routes["GET /api/v2/things/{name}"].to: is an upstream of portcullis.yaml:5:3; an included file uses its own',
    'conf.d/3.yaml:2:53 routes["GET /api/v2/things/{name}"].require: there is no permission "things_raed"; did you mean "things_read"?',
    'conf.d/3.yaml:3:1 the indentation does not fit the lines around it',
    'conf.d/3.yaml:3:9 routes.GET: must be a group of settings; not "wrong"',
    'conf.d/4.yaml:1:1 an included file is a mapping of settings',
  ])
})

t.test('what include names must be there, what it looks for need not; a * stands in the last part only', async (t) => {
  const of = (include: string) => {
    const text = main('', include.replace(/^\[(.*)\]$/, '$1'))
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
  t.match(mistakes(written(t, { 'portcullis.yaml': main().replace(/include: .*/, 'include: here/a.yaml') })), [
    /include: must be a list of files/,
  ])
  t.match(of('[[here/a.yaml]]'), [/include\[0\]/])
})

t.test('routes of two files that match the same are reported with both files', async (t) => {
  const folder = written(t, {
    'portcullis.yaml': main(),
    'conf.d/1.yaml': `routes:\n  GET /a/{one}: { to: one, require: things_read }\n${upstream('one')}`,
    'conf.d/2.yaml': `routes:\n  GET /a/{other}: { to: two, require: things_read }\n${upstream('two')}`,
  })
  const same = 'matches the same GET requests as "GET /a/{one}" at conf.d/1.yaml:2:3; one of them can never be reached'
  t.match(mistakes(folder), [
    /^conf\.d\/1\.yaml:2:3 .*would take requests from/,
    `conf.d/2.yaml:2:3 routes["GET /a/{other}"]: ${same}`,
    /^conf\.d\/2\.yaml:2:3 .*would take requests from/,
  ])
})

t.test('references of a part are resolved from its own folder; a part that cannot be read is a mistake', async (t) => {
  const folder = written(t, {
    'portcullis.yaml': main('', '{ file: conf.d/*.yaml, variables: [B_TARGET] }'),
    'conf.d/a.yaml': 'upstreams:\n  a: { target: "file:a/target.txt" }\n  b: { target: "${B_TARGET}" }\n',
    'conf.d/a/target.txt': 'http://127.0.0.1:3003\n',
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
    'conf.d/a.yaml': 'upstreams: { a: { target: "file:a/target.txt" } }\n',
    'conf.d/a/target.txt': 'http://127.0.0.1:3003\n',
  })
  const disk = readDisk()
  const options = { file: 'portcullis.yaml', env: {}, cwd: folder }
  const first = loadSettings({ ...options, reader: disk })
  t.ok(isSame(disk.snapshot, snapshotAgain(disk.snapshot)))
  const target = join(folder, 'conf.d/a/target.txt')
  chmodSync(target, 0o600)
  writeFileSync(target, 'http://127.0.0.1:3005\n')
  t.notOk(isSame(disk.snapshot, snapshotAgain(disk.snapshot)), 'a file that a setting names is part of it')
  writeFileSync(join(folder, 'conf.d/new.yaml'), 'routes: {}\n')
  t.match(snapshotAgain(disk.snapshot).folders[join(folder, 'conf.d')], { names: ['a.yaml', 'new.yaml'] })
  const passedOn = JSON.parse(JSON.stringify(disk.snapshot))
  t.same(loadSettings({ ...options, reader: readSnapshot(passedOn) }).upstreams, first.upstreams)
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
  t.notOk(JSON.stringify([waiting, fixed]).includes(String(options.env.KEY)), 'and no secret is shown')
})

t.test(
  'gateway H2: an included file has its own paths, upstreams, files and variables, and nothing else',
  async (t) => {
    const more =
      'resources: { box: { id: "https://box.example.com", name: Box, permissions: { open: { describe: Open } } } }\n'
    const of = (part: string, include = 'conf.d/a.yaml', extra: Record<string, string> = {}) =>
      mistakes(
        written(t, {
          'portcullis.yaml': main(more, include),
          'conf.d/a.yaml': part,
          'conf.d/a/x.txt': 'http://a.example.com',
          'conf.d/b.key': 'secret',
          ...extra,
        }),
      )
    const a = upstream('a')
    const wide = '{ file: conf.d/a.yaml, paths: [/team/**, /api/**] }'
    t.same(of(`${a}routes: { GET /a: { to: a, public: true }, "GET /a/{id}": { to: a, public: true } }\n`), [])
    t.same(of(`${a}routes: { GET /team/x: { to: a, public: true }, GET /api/x: { to: a, public: true } }\n`, wide), [])
    const [b, c] = ['b', 'c'].map(
      (name) => `${upstream(name)}routes: { "GET /team/{${name}}/1": { to: ${name}, public: true } }\n`,
    )
    for (const [part, expected, include, extra] of [
      [
        `${a}routes: { GET /b: { to: a, public: true } }`,
        /conf\.d\/a\.yaml:2:\d+ .*not among the paths of this included file \(\/a\/\*\*\)/,
      ],
      [`${a}routes: { GET /**: { to: a, public: true } }`, /not among the paths/],
      [`${a}routes: { "GET /{a}": { to: a, public: true } }`, /not among the paths/],
      [
        `${a}routes: { GET /abc: { to: a, public: true } }`,
        /not among the paths .*; name the file abc\.yaml, or include:/,
      ],
      [
        'routes: { GET /a: { to: things, public: true } }',
        /is an upstream of portcullis\.yaml:5:3; an included file uses its own/,
      ],
      [
        `${a}routes: { "GET /api/v2/{x}": { to: a, public: true } }`,
        /would take requests from "GET \/api\/v2\/things"/,
        wide,
      ],
      [`${a}routes: { GET /api/v2/THINGS: { to: a, public: true } }`, /would take requests from/, wide],
      [c, /would take requests from "GET \/team\/\{b\}\/1" at conf\.d\/b\.yaml/, wide, { 'conf.d/b.yaml': b ?? '' }],
      ['upstreams: { a: { target: "builtin:backend" } }', /bundled service is the server’s own/],
      ['upstreams: { a: {} }', /bundled service is the server’s own|needs "target"/],
      [
        'upstreams: { a: { target: "http://other.example.com" } }',
        /not among the targets of this included file/,
        '{ file: conf.d/a.yaml, targets: ["http://a.example.com"] }',
      ],
      ['upstreams: { a: { target: "file:b.key" } }', /may refer to files in a only/],
      ['upstreams: { a: { target: "http://a.example.com", key: "file:b.key" } }', /may refer to files in a only/],
      [
        'upstreams: { a: { target: "http://a.example.com", openapi: "file:/etc/passwd" } }',
        /may refer to files in a only/,
      ],
      ['upstreams: { a: { target: "http://${HOST}" } }', /HOST is not among the variables/],
      [
        'permissions: { mine: { describe: Mine, covers: [things_read] } }',
        /covers\[0\]: is a permission of portcullis\.yaml:3:3/,
      ],
    ] as [string, RegExp, string?, Record<string, string>?][]) {
      const both = extra === undefined ? include : `${include}, { file: conf.d/b.yaml, paths: [/team/**] }`
      t.match(of(part, both, extra).join('\n'), expected, part)
    }
    t.same(of('upstreams: { a: { target: "file:a/x.txt" } }'), [], 'its own folder')
    t.same(
      of('upstreams: { a: { target: "file:b.key" } }', '{ file: conf.d/a.yaml, folder: conf.d }').length,
      1,
      'read, and no URL',
    )
  },
)

t.test('gateway H2: links out of the folder of an included file lead nowhere', async (t) => {
  const part = `upstreams: { a: { target: "file:a/x.txt" } }\n`
  const folder = written(t, {
    'portcullis.yaml': main('', 'conf.d/a.yaml'),
    'conf.d/a.yaml': part,
    'conf.d/b.key': 'x',
  })
  mkdirSync(join(folder, 'conf.d/a'))
  symlinkSync('../b.key', join(folder, 'conf.d/a/x.txt'))
  t.match(mistakes(folder), [/may refer to files in a only/])
})

t.test('gateway H2: no upstream of any file leads to the server itself', async (t) => {
  // The kernel's limit of a socket's path is 107 bytes.
  const here = mkdtempSync(join(tmpdir(), 'pcl-'))
  t.teardown(() => rmSync(here, { recursive: true }))
  mkdirSync(join(here, 'here'))
  writeFileSync(join(here, 'here/admin.sock'), '')
  symlinkSync('here', join(here, 'there'))
  const of = (target: string) => {
    const text = `upstreams: { x: { target: "${target}" } }
server: { listen: "0.0.0.0:8443", operator: "127.0.0.1:9464", forwardAuth: { listen: "[::1]:9465" } }
store: { url: "postgresql://u:p@db.example.com/p?sslmode=disable" }
redis: { url: "redis://127.0.0.1:6380" }
secrets: { masterKeys: "${randomBytes(32).toString('base64url')}" }
data: { folder: "${here}/here" }
`
    const folder = written(t, { 'portcullis.yaml': text })
    return mistakes(folder).filter((line) => line.includes('upstreams'))
  }
  for (const [target, expected] of [
    ['http://127.0.0.1:9464', /the operator listener, which no upstream may be/],
    ['http://localhost:9464/metrics', /operator/],
    ['http://LOCALHOST.:9464', /operator/],
    ['http://2130706433:9464', /operator/],
    ['http://0.0.0.0:9464', /operator/],
    ['http://[::ffff:127.0.0.1]:9464', /operator/],
    ['https://127.9.9.9:8443', /public listener/],
    ['http://[::1]:9465', /forward-auth/],
    ['http://db.example.com:5432', /PostgreSQL/],
    ['http://localhost:6380', /Redis/],
    ['http://169.254.169.254/latest', /machines learn their secrets/],
    ['http://100.100.100.200/latest', /machines learn their secrets/],
    ['http://168.63.129.16/machine', /machines learn their secrets/],
    ['http://[fd20:ce::254]/', /machines learn their secrets/],
    [`unix:${here}/here/admin.sock`, /data folder/],
    [`unix:${here}/there/admin.sock`, /data folder/],
    [`unix:${here}/there/new.sock`, /data folder/],
  ] as const) {
    t.match(of(target), [expected], target)
  }
  for (const fine of ['http://127.0.0.1:9466', 'http://db.example.com', `unix:${here}/elsewhere/a.sock`])
    t.same(of(fine), [], fine)
})
