// The programs of the portal for Node with the client library that the server gives away, and the page for a browser at
// an address that is not http://localhost: pasted and run as in pasted.test.ts, at a server that was packed and
// installed.
// full: packs and installs the program, a browser, npm
// run: apart

import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { installServer, packServer } from '../../package/packed-server.js'
import { copyLanguage } from '../../support/programs/pasted-snippets.js'
import {
  calls,
  firstCall,
  openSnippets,
  type SnippetBench,
  type SnippetKind,
} from '../../support/programs/snippet-applications.js'

t.setTimeout(400_000)

let bench: SnippetBench
t.before(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pcl-library-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const server = join(folder, 'server')
  mkdirSync(server)
  installServer(packServer(folder), server)
  const main = join(server, 'node_modules', 'portcullis', 'dist', 'src', 'main.js')
  bench = await openSnippets(t, { command: [process.execPath, main, 'serve'] })
})

for (const kind of Object.keys(calls) as SnippetKind[]) {
  t.test(`Node with the library, ${kind}: what the page shows is pasted and makes its first call`, async (t) => {
    await bench.show(bench.applications[kind])
    t.match(await bench.page.textContent('#snippet-node-prepare'), 'npm install', 'the library is from this server')
    t.match(await bench.page.textContent('#snippet-node'), 'createClient')
    const { call, answer } = await firstCall(bench, 'node', kind)
    t.equal(call, calls[kind])
    t.match(JSON.parse(answer), kind === 'server' ? [] : { idProvider: 'local' })
  })
}

t.test('the page of a browser works from an https address of its own', async (t) => {
  const { page, manage, person, program, show } = bench
  const tls = ['localhost.key', 'localhost.pem'].map((name) => readFileSync(join(program.folder, 'tls', name)))
  let text = ''
  const site = createServer({ key: tls[0], cert: tls[1] }, (request, response) => {
    const isThere = new URL(request.url ?? '', 'https://site').pathname === '/app/'
    response.writeHead(isThere ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' }).end(isThere ? text : '')
  })
  await new Promise<void>((resolve) => void site.listen(0, '127.0.0.1', resolve))
  t.teardown(() => site.close())
  const redirectUri = `https://localhost:${(site.address() as AddressInfo).port}/app/`
  const { applicationId } = await manage.createApplication({
    ...{ name: 'Page on the web', type: 'native', redirectUris: [redirectUri] },
    permissions: [{ kind: 'delegated', id: 'User.Read' }],
  })
  await show(applicationId)
  const blocks = await copyLanguage(page, 'page')
  t.same(
    blocks.map(({ part, place }) => [part, place]),
    [
      ['prepare', 'Once, in a terminal'],
      ['program', 'app/index.html'],
    ],
    'a server of files is there already',
  )
  text = blocks.at(-1)?.text ?? ''
  await page.goto(redirectUri)
  await page.click('#sign-in')
  await page.click('#accept')
  await page.waitForURL((url) => url.href.startsWith(redirectUri))
  await page.waitForFunction("document.getElementById('answer').textContent !== ''")
  t.match(JSON.parse((await page.textContent('#answer')) ?? ''), { name: person.name })
})
