// The rules of ARCHITECTURE.md, enforced: who may import whom, file size, names, and that the walks exist.

import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import t from 'tap'
import { packageRoot } from '../src/config/read/package-root.js'
import { crowded, importsOf, type SourceFile, violations } from './support/models/architecture.js'

const root = String(packageRoot())
const syncKeyPair = /\bgenerateKeyPair(?:Sync)\b/

function sources(folder: string): SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: relative(root, path).split(sep).join('/'), text: readFileSync(path, 'utf8') }))
}

t.test('every source file keeps the rules of the project', async (t) => {
  const files = sources('src')
  t.ok(files.length > 50, `${files.length} files were read`)
  t.same(violations(files), [])
})

t.test('no folder of tests has more files than one of sources may have', async (t) => {
  const files = sources('test')
  t.ok(files.length > 300, `${files.length} files were read`)
  t.same(crowded(files), [])
})

t.test('no test and no source file makes key pairs synchronously', async (t) => {
  const makers = [...sources('src'), ...sources('test')].filter(({ text }) => syncKeyPair.test(text))
  const paths = makers.map(({ path }) => path)
  t.same(paths, [], 'newKeyPair of test/support/tokens/key-pair.ts: on Node 20 the other form can wait for ever')
})

/** Why they may: nobody's rights are in them, or they look at them again by themselves. */
const writesOfTheirOwn: Readonly<Record<string, string>> = {
  'src/portal/acts/once.ts': 'whether a form was sent before',
  'src/identity/authorize/current-request.ts': 'a request ends',
  'src/identity/authorize/finish.ts': 'looks again at session, person, membership and consent',
  'src/identity/issued-tokens/revoke.ts': 'an application revokes its own token',
  'src/identity/token/grants/refresh-successor.ts': 'the grant is read under its lock',
  'src/identity/token/grants/device-code.ts': 'when a device last came',
  'src/identity/token/grants/redeem-grant.ts': 'the grant is read under its lock',
  'src/identity/token/grants/ended-by-reuse.ts': 'ends a grant',
  'src/identity/token/exchange/record-exchange.ts': 'what people are shown of exchanges',
  'src/identity/sign-in/second-step.ts': 'a sign-in that is half done',
  'src/identity/client/single-use.ts': 'what was used up',
  'src/identity/device/device-authorization.ts': 'a device that nobody has allowed yet',
  'src/identity/external/pending-login.ts': 'a sign-in that is half done',
  'src/identity/admin-consent/page.tsx': 'a request ends',
}

t.test('V11 C14 what a caller or a person does is written by ways that look at them again', async (t) => {
  const rooms = ['management', 'portal', 'web', 'identity'].flatMap((room) => sources(`src/${room}`))
  const past = rooms.filter(({ text }) => /\.(?:commit|transaction)\(/.test(text)).map(({ path }) => path)
  t.same(past.sort(), Object.keys(writesOfTheirOwn).sort(), 'writesOf, peopleOf, keysOf (management), actingAs (pages)')
  const unlooked = sources('src')
    .filter(({ text }) => /\bsigningIn\(/.test(text))
    .map(({ path }) => path)
  t.same(unlooked.sort(), ['src/web/acting.ts', 'src/web/browser.ts'], 'who is not signed in yet, or any more')
})

t.test('each decision has a number of its own, and its title says the same one', async (t) => {
  const names = readdirSync(join(root, 'src/decisions'))
    .filter((name) => name !== 'README.md')
    .sort()
  const numbers = names.map((name) => Number(name.slice(0, 4)))
  t.same(
    numbers.filter((number, at) => numbers.indexOf(number) !== at),
    [],
  )
  for (const [at, name] of names.entries()) {
    const [title = ''] = readFileSync(join(root, 'src/decisions', name), 'utf8').split('\n')
    t.equal(Number(/^# (\d+)\. /.exec(title)?.[1]), numbers[at], name)
  }
})

t.test('no two source files import each other in a circle', async (t) => {
  t.same(circles(sources('src')), [])
})

/** Each hands on more than anybody names, whatever the bag is called and no matter who made it. */
const waysToSpread = [
  'b({ ...gateDeps, c })',
  'b({ ...this.deps })',
  'b({ ...options.services, c })',
  'b({ c, ...deps?.writes })',
  'b({ ...(deps as B) })',
  'b({ ...deps! })',
  'b({ ...(deps ?? {}) })',
  'b({ ...context, c })',
  'b({ ...routeContext })',
  'b({ ...(sharedCollaborators) })',
  'b({ ...pageDependencies(options), c })',
  'b({ ...(await createCollaborators(options)), c })',
  'b(...services)',
  'const a = <B {...deps} />',
  'const a = Object.assign({}, deps, { c })',
  'const a = Object.assign({ c }, options.deps)',
  'const a = structuredClone(deps)',
  'const a = Object.fromEntries(Object.entries(deps))',
  'const { a, ...others } = deps',
  'function b({ a, ...others }: UserDeps) {}',
  'function b(given: UserDependencies) {\n  return c({ ...given })\n}',
  "const b = (given: Pick<Collaborators, 'store'>) => c({ d, ...given })",
  'const all = deps\nb({ ...all })',
]

t.test('a planted violation of each rule is found', async (t) => {
  const plant = (path: string, text: string) => violations([{ path, text }])
  const cases: [string, string, string, RegExp][] = [
    ['an import upwards', 'src/oauth/a.ts', "// x\nimport { b } from '../tokens/b.js'\n", /imports go down only/],
    ['an import sideways', 'src/gateway/a.ts', "// x\nimport { b } from '../identity/b.js'\n", /imports go down only/],
    [
      'a page that knows a page above it',
      'src/identity/consent/a.ts',
      "// x\nimport { b } from '../authorize/b.js'\n",
      /imports go down only/,
    ],
    ['a folder without a place', 'src/identity/new/a.ts', "// x\nimport { b } from '../pages/b.js'\n", /no place/],
    [
      'a dynamic import upwards',
      'src/http/a.ts',
      "// x\nconst b = await import('../instance/app.js')\n",
      /imports go down only/,
    ],
    [
      'a type import upwards',
      'src/limits/a.ts',
      "// x\nimport type { B } from '../access/b.js'\n",
      /imports go down only/,
    ],
    [
      'the backend reaching for the directory',
      'src/backend/a.ts',
      "// x\nimport { b } from '../directory/b.js'\n",
      /stands aside/,
    ],
    ['a package in a foreign room', 'src/gateway/a.ts', "// x\nimport { SignJWT } from 'jose'\n", /belongs to tokens/],
    ['a package nobody owns', 'src/http/a.ts', "// x\nimport x from 'left-pad'\n", /no room owns/],
    ['a long file', 'src/http/a.ts', `// x\n${'const a = 1\n'.repeat(300)}`, /300 is the most/],
    ['a file in no room', 'src/a.ts', '// x\n', /is in no room/],
    ['a room that no level names', 'src/attic/a.ts', "// x\nimport { b } from '../oauth/b.js'\n", /no level names/],
    ['a drawer', 'src/http/utils.ts', '// x\n', /drawer/],
    ['a drawer folder', 'src/helpers/a.ts', '// x\n', /drawer/],
    ['a default export', 'src/http/a.ts', '// x\nexport default 1\n', /default export/],
    ['a re-export', 'src/http/a.ts', "// x\nexport { a } from './b.js'\n", /re-exports/],
    ['an enum', 'src/http/a.ts', '// x\nexport enum A { B }\n', /enum/],
    ['a file without its purpose', 'src/http/a.ts', 'export const a = 1\n', /purpose/],
    ['dependencies that are spread', 'src/users/a.ts', '// x\nb({ ...deps, c })\n', /spreads its dependencies/],
    ['a part of them', 'src/users/a.ts', '// x\nb({ d, ...deps.writes })\n', /spreads its dependencies/],
    ['the same by another name', 'src/users/a.ts', '// x\nb({\n  ...things,\n})\n', /spreads its dependencies/],
    ...waysToSpread.map((line): [string, string, string, RegExp] => [
      `the same by a detour: ${line}`,
      'src/gateway/a.ts',
      `// x\n${line}\n`,
      /spreads its dependencies/,
    ]),
    ['fields folded into a spread', 'src/http/a.ts', '// x\nconst a = { ...{ b, c }, d }\n', /spreads a literal/],
    [
      'fields folded into a constant spread',
      'src/http/a.ts',
      '// x\nconst a = { ...({ b } as const), d }\n',
      /spreads a literal/,
    ],
    ['attributes folded into a spread', 'src/web/a.tsx', '// x\nconst a = <B {...{ c, d }} />\n', /spreads a literal/],
    ['a CamelCase name', 'src/http/requestContext.ts', '// x\n', /kebab-case/],
  ]
  for (const [title, path, text, expected] of cases) t.match(plant(path, text).join('\n'), expected, title)
  const crowd = Array.from({ length: 21 }, (_, i) => ({ path: `src/http/a${i}.ts`, text: '// x\n' }))
  t.match(violations(crowd).join('\n'), /src\/http has 21 files; 20 is the most/, 'a folder with too many files')
  t.same(violations(crowd.slice(1)), [])
  t.same(
    plant('src/gateway/a.ts', "// x\nimport { b } from '../access/b.js'\nimport Fastify from 'fastify'\n"),
    [],
    'what is allowed passes',
  )
  const named = 'b({ store: deps.store, list: [...deps.settings.providers.values()], ...named })'
  t.same(plant('src/gateway/a.ts', `// x\n${named}\n`), [], 'fields that are named, and lists, pass')
})

t.test('ARCHITECTURE.md names every room, and the files of each walk exist', async (t) => {
  const text = readFileSync(join(root, 'src/ARCHITECTURE.md'), 'utf8')
  const rooms = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  for (const room of rooms) t.match(text, `${room.name}/`, `the room ${room.name} is named`)
  const walks = text.split(/^## A walk: /m).slice(1)
  t.equal(walks.length, 3)
  const files = new Map(sources('src').map((file) => [file.path, file.text]))
  for (const walk of walks) {
    const steps = [...walk.matchAll(/^(\d+)\. `([^`]+\.ts)`/gm)].map((match) => ({
      at: match[1],
      path: `src/${match[2]}`,
    }))
    t.ok(steps.length >= 15, `${steps.length} steps are listed`)
    const reached = new Set(steps.slice(0, 1).map(({ path }) => path))
    for (const [index, { at, path }] of steps.entries()) {
      t.equal(Number(at), index + 1, `${path} has its number`)
      t.ok(files.has(path), `${path} exists`)
      t.ok(reached.has(path), `${path} is imported by a step before it`)
      for (const specifier of importsOf(files.get(path) ?? '')) {
        if (specifier.startsWith('.')) reached.add(target(path, specifier))
      }
    }
  }
})

t.test('every file that ARCHITECTURE.md names is there, and no step is named by its number', async (t) => {
  const text = readFileSync(join(root, 'src/ARCHITECTURE.md'), 'utf8')
  const files = new Set(sources('src').map((file) => file.path.slice('src/'.length)))
  const named = filesNamed(text)
  t.ok(named.length > 120, `${named.length} files are named`)
  t.same(
    named.filter((path) => !files.has(path)),
    [],
  )
  t.notMatch(text, /\bsteps? \d/, 'its number changes with every step before it')
  t.same(
    filesNamed('`gateway/a.ts` and `b.tsx` beside it; `web/pages/` has `d.ts`, `test/gateway/c.test.ts` is none'),
    ['gateway/a.ts', 'gateway/b.tsx', 'web/pages/d.ts'],
  )
})

t.test('what carries requests is not older than the fixed versions of what attackers found in it', async (t) => {
  const floors = {
    fastify: '5.12.4',
    '@fastify/http-proxy': '11.6.3',
    '@fastify/reply-from': '12.6.5',
    '@fastify/rate-limit': '11.2.0',
    undici: '7.28.0',
    jose: '6.0.0',
  }
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; dev?: boolean }>
  }
  for (const [name, floor] of Object.entries(floors)) {
    const served = Object.entries(packages).filter(([, { dev }]) => dev !== true)
    const installed = served.filter(([path]) => path.endsWith(`node_modules/${name}`))
    t.ok(installed.length > 0, `${name} is there`)
    for (const [path, { version }] of installed)
      t.ok(isAtLeast(version, floor), `${path} ${version}, ${floor} at least`)
  }
  t.notOk(isAtLeast('5.12.3', '5.12.4'))
  t.notOk(isAtLeast('6.99.99', '7.0.0'))
})

/** Paths below src/, in the order of the text. A name without a folder has that of the path before it. */
function filesNamed(text: string): string[] {
  let folder = ''
  return [...text.matchAll(/`([\w./-]+(?:\.tsx?|\/))`/g)].flatMap(([, name = '']) => {
    if (name.startsWith('test/')) return []
    if (name.includes('/')) folder = name.slice(0, name.lastIndexOf('/'))
    if (name.endsWith('/')) return []
    return [name.includes('/') || name === 'main.ts' ? name : `${folder}/${name}`]
  })
}

function isAtLeast(version: string, floor: string): boolean {
  const [have, want] = [version, floor].map((text) => text.split('.').map(Number)) as [number[], number[]]
  const at = want.findIndex((part, i) => have[i] !== part)
  return at === -1 || (have[at] ?? 0) > (want[at] ?? 0)
}

function circles(files: readonly SourceFile[]): string[] {
  const imports = new Map(
    files.map((file) => [
      file.path,
      importsOf(file.text)
        .filter((s) => s.startsWith('.'))
        .map((s) => target(file.path, s)),
    ]),
  )
  const found: string[] = []
  const done = new Set<string>()
  const follow = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path)
    if (start !== -1) found.push([...trail.slice(start), path].join(' > '))
    if (start !== -1 || done.has(path)) return
    for (const next of imports.get(path) ?? []) follow(next, [...trail, path])
    done.add(path)
  }
  for (const file of files) follow(file.path, [])
  return found
}

function target(from: string, specifier: string): string {
  return relative(root, join(root, from, '..', specifier))
    .split(sep)
    .join('/')
    .replace(/\.js$/, '.ts')
}
