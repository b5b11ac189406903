// How the banner names this program: by words that work where they are pasted.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { isInstalledPackage } from '../../src/config/read/package-root.js'
import { programCommand } from '../../src/process/program-command.js'

const path = '/usr/local/bin:/usr/bin:/home/ada/shop/node_modules/.bin'

t.test('a checkout is run by node, with the file as it is seen from the working directory', async (t) => {
  const script = '/opt/portcullis/dist/src/main.js'
  t.equal(programCommand({ script, cwd: '/opt/portcullis', path }), 'node dist/src/main.js')
  t.equal(programCommand({ script, cwd: '/opt', path }), 'node portcullis/dist/src/main.js')
  t.equal(programCommand({ script: "/o/it's/main.js", cwd: '/o', path: undefined }), "node 'it'\\''s/main.js'")
})

t.test('installed in a project it is run by npx, from every folder of the project', async (t) => {
  const script = '/home/ada/shop/node_modules/.bin/portcullis'
  t.equal(programCommand({ script, cwd: '/home/ada/shop', path }), 'npx portcullis')
  t.equal(programCommand({ script, cwd: '/home/ada/shop/gate', path }), 'npx portcullis')
  t.equal(
    programCommand({ script, cwd: '/home/ada', path }),
    'node shop/node_modules/.bin/portcullis',
    'outside the project npx would not find it',
  )
  t.equal(
    programCommand({ script, cwd: '/home/ada/shop..', path }),
    'node ../shop/node_modules/.bin/portcullis',
    'a folder whose name only begins so is outside',
  )
})

t.test('installed for everybody it has its own name', async (t) => {
  t.equal(programCommand({ script: '/usr/local/bin/portcullis', cwd: '/srv', path }), 'portcullis')
  t.equal(programCommand({ script: '/opt/bin/portcullis', cwd: '/srv', path }), 'node ../opt/bin/portcullis')
})

t.test('fetched by npx for this run, it is what npx was given', async (t) => {
  const project = join(t.testdir(), '_npx', '5248cbceca2134f7')
  mkdirSync(project, { recursive: true })
  const script = join(project, 'node_modules', '.bin', 'portcullis')
  const write = (manifest: unknown) => writeFileSync(join(project, 'package.json'), JSON.stringify(manifest))
  write({ _npx: { packages: ['./portcullis-0.1.0.tgz'] } })
  t.equal(programCommand({ script, cwd: '/srv', path }), 'npx --yes ./portcullis-0.1.0.tgz')
  write({ _npx: { packages: ['portcullis@^1'] } })
  t.equal(programCommand({ script, cwd: '/srv', path }), "npx --yes 'portcullis@^1'")
  for (const manifest of [{}, { _npx: null }, { _npx: { packages: 'x' } }, { _npx: { packages: [7] } }]) {
    write(manifest)
    t.match(programCommand({ script, cwd: '/srv', path }), /^node \.\.\//, JSON.stringify(manifest))
  }
  writeFileSync(join(project, 'package.json'), 'no JSON')
  t.match(programCommand({ script, cwd: '/srv', path }), /^node \.\.\//)
})

t.test('an installed package is one below node_modules', async (t) => {
  t.equal(isInstalledPackage('/srv/node_modules/portcullis'), true)
  t.equal(isInstalledPackage('/srv/node_modules/@contoso/portcullis'), true)
  t.equal(isInstalledPackage('/srv/my_node_modules/portcullis'), false)
  t.equal(isInstalledPackage(), false, 'this checkout')
})
