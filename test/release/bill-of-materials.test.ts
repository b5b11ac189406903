// What a release says about the packages of others: all of production's are in it, under licences that are permitted.

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { packageRoot } from '../../src/config/read/package-root.js'
import { billOfMaterials } from './bill-of-materials.js'
import { licenceReport, refusedLicences } from './licences.js'
import { type Lock, productionPackages } from './production-packages.js'

interface Bill {
  bomFormat: string
  specVersion: string
  metadata: { component: { 'bom-ref': string; version: string } }
  components: {
    'bom-ref': string
    name: string
    version: string
    scope: string
    licenses?: object[]
    hashes?: object[]
  }[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

const root = String(packageRoot())
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock
const made = { serial: '3e671687-395b-41f5-a30f-a58921a69b79', at: new Date(0) }
const bill = billOfMaterials(lock, made) as Bill

const small: Lock = {
  name: 'server',
  version: '1.2.3',
  packages: {
    '': { license: 'Apache-2.0', dependencies: { '@a/b': '1' }, optionalDependencies: { c: '1' } },
    'node_modules/@a/b': { version: '1.0.0', license: 'MIT', integrity: 'sha512-AAEC', dependencies: { c: '2' } },
    'node_modules/@a/b/node_modules/c': { version: '2.0.0', license: '(MIT OR CC0-1.0)', dependencies: { d: '1' } },
    'node_modules/c': { version: '1.0.0', license: 'GPL-3.0-only', optional: true },
    'node_modules/d': { version: '1.0.0' },
    'node_modules/e': { version: '1.0.0', license: 'GPL-3.0-only', dev: true },
  },
}

t.test('the bill of materials has every package of production, and nothing of development', async (t) => {
  const wanted = new Set<string>()
  for (const [path, { dev, version }] of Object.entries(lock.packages)) {
    if (path !== '' && dev !== true) wanted.add(`${path.split('node_modules/').at(-1)}@${version}`)
  }
  t.ok(wanted.size > 100, `${wanted.size} packages`)
  const listed = bill.components.map(({ name, version }) => `${name}@${version}`)
  t.same(listed.toSorted(), [...wanted].sort())
  for (const name of Object.keys(lock.packages['']?.dependencies ?? {})) {
    t.ok(
      bill.components.some((component) => component.name === name),
      `${name} of package.json is in it`,
    )
  }
})

t.test(
  'the bill of materials is whole: each package once, with licence and digest, and each can be followed',
  async (t) => {
    t.match(bill, { bomFormat: 'CycloneDX', specVersion: '1.5', metadata: { component: { version: lock.version } } })
    const itself = bill.metadata.component['bom-ref']
    const refs = [itself, ...bill.components.map((component) => component['bom-ref'])]
    t.equal(new Set(refs).size, refs.length)
    t.same(
      bill.dependencies.map(({ ref }) => ref),
      refs,
    )
    const incomplete = bill.components.filter(({ licenses, hashes }) => licenses === undefined || hashes === undefined)
    t.same(incomplete, [])
    const needs = new Map(bill.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]))
    const reached = new Set([itself])
    for (const ref of reached) for (const needed of needs.get(ref) ?? [`${ref} is not in it`]) reached.add(needed)
    t.same([...reached].sort(), refs.toSorted(), 'somebody needs each of them')
  },
)

t.test('every licence of production is a permitted one', async (t) => {
  t.same(refusedLicences(productionPackages(lock)), [], 'judge it, then name it in test/release/licences.ts')
})

t.test('a licence that is new, a choice or missing is refused with the name of its package', async (t) => {
  t.same(refusedLicences(productionPackages(small)), [
    'c@1.0.0: GPL-3.0-only',
    'c@2.0.0: (MIT OR CC0-1.0)',
    'd@1.0.0: names no licence',
  ])
})

t.test('a package is found where Node finds it, and said as CycloneDX says it', async (t) => {
  const { components, dependencies } = billOfMaterials(small, made) as Bill
  t.match(components[0], {
    'bom-ref': 'pkg:npm/%40a/b@1.0.0',
    name: '@a/b',
    scope: 'required',
    hashes: [{ alg: 'SHA-512', content: '000102' }],
    licenses: [{ license: { id: 'MIT' } }],
  })
  t.match(components[1], { name: 'c', version: '1.0.0', scope: 'optional' })
  t.match(components[2], { name: 'c', version: '2.0.0', licenses: [{ expression: '(MIT OR CC0-1.0)' }] })
  t.notOk('licenses' in (components[3] ?? {}), 'nothing is made up')
  t.same(dependencies, [
    { ref: 'pkg:npm/server@1.2.3', dependsOn: ['pkg:npm/%40a/b@1.0.0', 'pkg:npm/c@1.0.0'] },
    { ref: 'pkg:npm/%40a/b@1.0.0', dependsOn: ['pkg:npm/c@2.0.0'] },
    { ref: 'pkg:npm/c@1.0.0', dependsOn: [] },
    { ref: 'pkg:npm/c@2.0.0', dependsOn: ['pkg:npm/d@1.0.0'] },
    { ref: 'pkg:npm/d@1.0.0', dependsOn: [] },
  ])
})

t.test('the licence report names every package, and has the texts that were installed', async (t) => {
  const packages = productionPackages(lock)
  const report = licenceReport(packages, root)
  for (const { name, version, licence } of packages) {
    t.ok(report.includes(`\n${name} ${version}: ${licence} (`), `${name} ${version}`)
  }
  t.match(report, readFileSync(join(root, 'node_modules/fastify/LICENSE'), 'utf8').trim())
})

t.test('npm run sbom writes both files without a registry', async (t) => {
  const { folder, run } = openProject(t, { ...small.packages['node_modules/@a/b'] })
  t.match(run(), { status: 0, stdout: 'dist/sbom.cdx.json\ndist/THIRD-PARTY.txt\n' })
  const written = JSON.parse(readFileSync(join(folder, 'dist/sbom.cdx.json'), 'utf8')) as Bill
  t.match(written, { bomFormat: 'CycloneDX', serialNumber: /^urn:uuid:[0-9a-f-]{36}$/, components: [{ name: 'x' }] })
  const report = readFileSync(join(folder, 'dist/THIRD-PARTY.txt'), 'utf8')
  t.match(report, 'x 1.0.0: MIT (LICENSE.md, NOTICE)\n')
  t.match(report, 'x 1.0.0\n\nDo what you like.\n')
})

t.test('npm run sbom with a licence that is not permitted names it and writes nothing', async (t) => {
  const { folder, run } = openProject(t, { version: '1.0.0', license: 'SSPL-1.0' })
  t.match(run(), { status: 1, stderr: 'not a permitted licence (test/release/licences.ts):\nx@1.0.0: SSPL-1.0\n' })
  t.notOk(existsSync(join(folder, 'dist')))
})

/** A project that needs one package `x`, and what `npm run sbom` does there. */
function openProject(t: Test, x: Lock['packages'][string]) {
  const packages = { '': { dependencies: { x: '1' } }, 'node_modules/x': x }
  const folder = t.testdir({
    'package-lock.json': JSON.stringify({ name: 'server', version: '1.2.3', packages }),
    node_modules: { x: { 'LICENSE.md': 'Do what you like.\n', NOTICE: 'Note.', 'index.js': '', licenses: {} } },
  })
  const fromSource = import.meta.url.endsWith('.ts')
  const script = fileURLToPath(new URL(fromSource ? 'write-bill.ts' : 'write-bill.js', import.meta.url))
  const loader = fromSource ? ['--import', import.meta.resolve('tsx')] : []
  const run = () => spawnSync(process.execPath, [...loader, script], { cwd: folder, encoding: 'utf8' })
  return { folder, run }
}
