// The client library as a program outside gets it: the package's own build, imported by its name, the types of a
// consumer included; and one file of checks against a running server, in Node and in Chromium.
// full: the client library in a browser and elsewhere
// run: apart

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, normalize } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../src/config/read/package-root.js'
import { startBrowser } from '../support/browser/browser.js'
import { compile, installClient } from '../support/programs/installed-client.js'
import { type PeopleProgram, startWithPeople } from '../support/programs/people-program.js'
import { trustingFetch } from '../support/programs/trusting-fetch.js'
import { begin, type CheckSettings, checkThousand, finish } from './checks.js'

t.setTimeout(180_000)
const root = String(packageRoot())
const folder = mkdtempSync(join(tmpdir(), 'pcl-client-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

/** A program that uses the library in a page: no types of Node are there. */
const consumer = `
import { type AccessToken, ClientError, createClient, createFetch, type TokenStore } from 'portcullis/client'
const client = createClient({ issuer: 'https://id.example', clientId: 'app', clientSecret: 'secret' })
const call: typeof fetch = createFetch(client.application({ scope: 'A' }), { resources: ['https://api.example'] })
export async function run(store: TokenStore): Promise<AccessToken | Response | 'sign_in_required'> {
  try {
    return store === undefined ? await call('https://api.example/') : await client.person(store).token()
  } catch (error) {
    if (error instanceof ClientError && error.code === 'sign_in_required') return error.code
    throw error
  }
}
`

t.test('a program finds it by its name, with types for Node and for browsers alone', async (t) => {
  installClient(folder)
  writeFileSync(join(folder, 'consumer.ts'), consumer)
  const strict = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022', '--skipLibCheck', 'false']
  compile(folder, [...strict, '--types', '', '--lib', 'es2022,dom', 'consumer.ts'])
  writeFileSync(join(folder, 'wrong.ts'), consumer.replace("issuer: 'https://id.example'", 'issuer: 1'))
  t.throws(
    () => compile(folder, [...strict, '--types', '', '--lib', 'es2022,dom', 'wrong.ts']),
    /TS2322/,
    'types that say no',
  )

  writeFileSync(join(folder, 'names.js'), "console.log(Object.keys(await import('portcullis/client')).join())")
  const printed = spawnSync(process.execPath, ['names.js'], { cwd: folder, encoding: 'utf8' })
  t.equal(
    printed.stdout.trim(),
    'ClientError,InsufficientScope,InsufficientUserAuthentication,OAuthRefusal,ResourceRefusal,createClient,createFetch,createMemoryStore',
    printed.stderr,
  )
  const inner = "import('portcullis/dist/src/client/person.js').catch((e) => console.log(e.code))"
  const refused = spawnSync(process.execPath, ['-e', inner], { cwd: folder, encoding: 'utf8' })
  t.equal(refused.stdout.trim(), 'ERR_PACKAGE_PATH_NOT_EXPORTED', 'nothing but its entries')
})

t.test('one file of checks, in Node and in Chromium, against a running server', async (t) => {
  const testApp = await startWithPeople(t)
  const { program, manage, person, authorize } = testApp
  const origin = await serveModules(t, testApp)
  const redirectUri = `${origin}/page.html`
  const web = await manage.createApplication({
    ...{ name: 'Worker', type: 'web', redirectUris: [redirectUri] },
    permissions: [{ kind: 'application', id: 'Subscription.Read.All' }],
    consent: true,
  })
  const native = await manage.createApplication({
    ...{ name: 'Page', type: 'native', redirectUris: [redirectUri] },
    permissions: [{ kind: 'delegated', id: 'User.Read' }],
  })
  const settings: CheckSettings = {
    issuer: program.baseUrl,
    web: { clientId: web.applicationId, clientSecret: web.clientSecret ?? '' },
    native: { clientId: native.applicationId, redirectUri },
  }
  const expected = {
    thousand: { requests: { token: 1, 'oauth-authorization-server': 1 }, distinct: 1 },
    person: {
      ...{ forged: 'not_this_request', email: person.email, distinct: 1, otherOrigin: 'foreign_origin' },
      afterMany: { token: 2, 'oauth-authorization-server': 1 },
      called: { status: 200, email: person.email },
      together: Array(10).fill(200),
      afterRevocation: { token: 3, userinfo: 21 },
      ended: 'sign_in_required',
      requests: { token: 4, 'oauth-authorization-server': 1 },
      held: undefined,
    },
  }

  await t.test('Node', async (t) => {
    const fetching = trustingFetch(t, program)
    const thousand = await checkThousand(settings, fetching)
    t.match(thousand, { ...expected.thousand, refused: 'refused' })
    t.comment(`1,000 callers in ${thousand.tookMs} ms`)
    const started = await begin(settings, fetching)
    const found = await finish(settings, started, (await authorize(started.url)).href, fetching)
    t.match(found, expected.person)
  })

  await t.test('Chromium', async (t) => {
    const browser = await startBrowser()
    t.teardown(() => browser.close())
    const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage()
    /** As text, so that no compiler of ours takes part in it. */
    const run = (name: string, ...words: unknown[]) =>
      page.evaluate(
        `import('/test/client/checks.js').then((checks) => checks.${name}(${words.map((word) => JSON.stringify(word)).join()}))`,
      )
    await page.goto(redirectUri)
    const thousand = (await run('checkThousand', settings)) as Awaited<ReturnType<typeof checkThousand>>
    // Decision 52: a page does not read why a client could not be authenticated.
    t.match(thousand, { ...expected.thousand, refused: 'unreachable' })
    t.comment(`1,000 callers in ${thousand.tookMs} ms`)
    const started = (await run('begin', settings)) as Awaited<ReturnType<typeof begin>>
    await page.goto(started.url)
    await page.fill('#email', person.email)
    await page.fill('#password', person.password)
    await page.click('#sign-in')
    const back = page.waitForURL(`${redirectUri}?**`)
    const accept = page.locator('#accept')
    await Promise.race([accept.waitFor(), back])
    if (await accept.isVisible()) await accept.click()
    await back
    t.match(await run('finish', settings, started, page.url()), expected.person)
  })
})

/** Serves what the compiler makes of the checks, and an empty page, from an https origin of its own. */
async function serveModules(t: { teardown(work: () => unknown): void }, { program }: PeopleProgram): Promise<string> {
  const built = join(folder, 'built')
  const options = ['--module', 'nodenext', '--target', 'es2022', '--types', '', '--lib', 'es2023,dom', '--strict']
  compile(folder, [
    ...options,
    '--exactOptionalPropertyTypes',
    '--rootDir',
    root,
    '--outDir',
    built,
    join(root, 'test/client/checks.ts'),
  ])
  const tls = join(program.folder, 'tls')
  const [cert, key] = ['localhost.pem', 'localhost.key'].map((name) => readFileSync(join(tls, name)))
  const server = createServer({ cert, key }, (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'https://localhost')
    const isModule = /^\/[a-z0-9/-]+\.js$/.test(pathname)
    response.setHeader('content-type', isModule ? 'text/javascript' : 'text/html')
    response.end(isModule ? readFileSync(join(built, normalize(pathname))) : '<!doctype html><title>page</title>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return `https://localhost:${(server.address() as AddressInfo).port}`
}
