// The client library as a developer gets it: from a running gate that was itself installed from its tarball, without a
// registry, in Node and bundled for a browser.
//
// full: packs, installs and starts the program, and a browser
// run: apart

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../src/config/read/package-root.js'
import { clientPackageName } from '../../src/downloads/client-package.js'
import { startBrowser } from '../support/browser/browser.js'
import type { FormPage } from '../support/browser/form-browser.js'
import { inspectPage } from '../support/browser/pages.js'
import { textOf } from '../support/browser/scripted-browser.js'
import { call, demoCredential } from '../support/programs/demo.js'
import { browseProgram } from '../support/programs/people-program.js'
import { startProgram } from '../support/programs/program.js'
import { trustingFetch } from '../support/programs/trusting-fetch.js'
import { plainEnvironment } from '../support/settings/plain-environment.js'
import { installServer, namesIn, packServer, run } from './packed-server.js'

t.setTimeout(240_000)

interface Listed {
  name: string
  version: string
  url: string
  size: number
  integrity: string
}

// Outside of the repository: npm installs into the nearest folder above that is a project.
const folder = mkdtempSync(join(tmpdir(), 'pcl-package-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const [server, project] = [join(folder, 'server'), join(folder, 'project')]
for (const each of [server, project]) mkdirSync(each)
writeFileSync(join(project, 'package.json'), '{ "private": true }')
const tarball = packServer(folder)
installServer(tarball, server)
const program = await startProgram({
  cwd: server,
  command: [process.execPath, join(server, 'node_modules', 'portcullis', 'dist', 'src', 'main.js'), 'serve'],
})
t.teardown(() => program.stop())
const { value } = JSON.parse((await call(program, '/downloads')).body) as { value: Listed[] }
const [client, own] = value

t.test('the gate gives both packages away, and each is what its integrity value says', async (t) => {
  t.same(
    value.map(({ name }) => name),
    [clientPackageName, 'portcullis'],
  )
  const fetching = trustingFetch(t, program)
  for (const { url, size, integrity } of value) {
    const bytes = Buffer.from(await (await fetching(url)).arrayBuffer())
    t.equal(bytes.length, size, url)
    t.equal(`sha512-${createHash('sha512').update(bytes).digest('base64')}`, integrity)
    writeFileSync(join(folder, url.split('/').at(-1) ?? ''), bytes)
  }
  const given = namesIn(join(folder, own?.url.split('/').at(-1) ?? ''))
  t.same(given, namesIn(tarball).sort(), 'the server is the package that npm packed')
  t.comment(`${clientPackageName}: ${client?.size} bytes; portcullis: ${own?.size} bytes`)
})

t.test('npm pack:client writes the same bytes as the gate gives away', async (t) => {
  const checkout = join(folder, 'checkout')
  const [file = '', integrity] = run('npm', ['run', '--silent', 'pack:client', '--', folder], checkout)
    .trim()
    .split('\n')
  t.equal(integrity, client?.integrity)
  t.same(
    namesIn(file).filter((name) => !/^(?:(?:grants|tokens)\/)?[a-z0-9-]+\.(?:js|d\.ts)$/.test(name)),
    ['LICENSE', 'README.md', 'package.json'],
    'modules, their types, and what explains them',
  )
})

t.test(
  'what the portal shows is pasted in an empty folder: npm installs from the gate alone, and it calls',
  async (t) => {
    const ca = join(program.folder, 'tls', 'ca.pem')
    const page = await demoApplicationPage()
    const prepare = textOf(page, 'snippet-node-prepare')
    const line = prepare.split('\n').at(-1) ?? ''
    t.equal(line.split(' ').at(-1), client?.url, 'the portal names what the gate serves')
    const { stderr, status } = spawnSync('sh', ['-c', prepare], {
      cwd: project,
      // There is no registry, and npm is not to look for one.
      env: {
        ...plainEnvironment(),
        npm_config_registry: 'http://127.0.0.1:1',
        npm_config_update_notifier: 'false',
        npm_config_cache: join(folder, 'cache'),
      },
      encoding: 'utf8',
    })
    t.equal(status, 0, stderr)
    t.same(
      readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.')),
      [clientPackageName],
    )
    const lock = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'))
    t.equal(lock.packages[`node_modules/${clientPackageName}`].integrity, client?.integrity)
    writeFileSync(
      join(project, 'app.mjs'),
      `import { createClient, createFetch } from '${clientPackageName}'
import { listenForCallback } from '${clientPackageName}/loopback'
const { ISSUER: issuer, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret } = process.env
const call = createFetch(createClient({ issuer, clientId, clientSecret }).application(), { resources: [issuer] })
console.log((await call(issuer + '/api/v2/me')).status, typeof listenForCallback)
`,
    )
    const { clientId, clientSecret } = demoCredential(program)
    const trust = { ...plainEnvironment(), NODE_EXTRA_CA_CERTS: ca }
    const env = { ...trust, ISSUER: program.baseUrl, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret }
    const ran = spawnSync(process.execPath, ['app.mjs'], { cwd: project, env, encoding: 'utf8' })
    t.equal(ran.stdout.trim(), '200 function', ran.stderr)

    writeFileSync(join(project, 'pasted.mjs'), textOf(page, 'snippet-node'))
    const pasted = spawnSync(process.execPath, ['pasted.mjs'], {
      cwd: project,
      env: { ...trust, PORTCULLIS_CLIENT_SECRET: clientSecret },
      encoding: 'utf8',
    })
    t.match(pasted.stdout, 'Example Business', pasted.stderr)
  },
)

/** The page of the demo application, as the first owner sees it. */
async function demoApplicationPage(): Promise<FormPage> {
  const owner = browseProgram(program)
  const link = /Set up +https:\/\/[^/]+(\/set-up\/\S+)/.exec(program.output())?.[1] ?? 'there is no link'
  await owner.open(link)
  const password = 'seven unrelated green words'
  await owner.submit({ name: 'Ada', email: 'ada@contoso.example', password }, { form: 'set-up-form' })
  await owner.open('/portal/applications')
  const [path = ''] = /\/portal\/applications\/[0-9a-f-]{36}[^"]*/.exec(owner.page.body) ?? []
  return owner.open(path)
}

t.test('bundled for a browser it calls from Chromium', async (t) => {
  writeFileSync(
    join(project, 'page.js'),
    `import { createClient, createFetch } from '${clientPackageName}'
globalThis.callOnce = async (issuer, clientId, clientSecret) => {
  const call = createFetch(createClient({ issuer, clientId, clientSecret }).application(), { resources: [issuer] })
  return (await call(issuer + '/api/v2/me')).status
}
`,
  )
  const bundler = join(packageRoot(), 'node_modules', 'esbuild', 'bin', 'esbuild')
  const bundle = run(process.execPath, [bundler, 'page.js', '--bundle', '--platform=browser', '--format=iife'], project)
  t.notMatch(bundle, /node:|require\(/, 'nothing of Node is in it')
  const browser = await startBrowser()
  t.teardown(() => browser.close())
  // A page of the gate's own origin: its policy allows no script, which is not what is tried here.
  const page = await (await browser.newContext({ ignoreHTTPSErrors: true, bypassCSP: true })).newPage()
  await page.goto(`${program.baseUrl}/downloads`)
  t.match(await page.textContent('main'), client?.integrity)
  t.same(await inspectPage(page, 'downloads-packed'), [])
  await page.addScriptTag({ content: bundle })
  const { clientId, clientSecret } = demoCredential(program)
  const words = [program.baseUrl, clientId, clientSecret].map((word) => JSON.stringify(word)).join()
  t.equal(await page.evaluate(`callOnce(${words})`), 200)
})
