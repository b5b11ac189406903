// The programs that the portal shows of an application run as they are pasted: copied by Chromium from its page, in an
// empty folder, for the three kinds of application, by curl and Node, and in a page of a browser. The other languages
// are in languages.test.ts.
// run: apart

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { isFullEffort } from '../../support/effort.js'
import { copyLanguage, endProgram, pasteBlocks } from '../../support/programs/pasted-snippets.js'
import { freePort } from '../../support/programs/program.js'
import {
  calls,
  firstCall,
  openSnippets,
  type SnippetBench,
  type SnippetKind,
} from '../../support/programs/snippet-applications.js'
import { until } from '../../support/traffic/until.js'

t.setTimeout(240_000)

let bench: SnippetBench
t.before(async () => {
  bench = await openSnippets(t)
})

for (const language of ['curl', 'node']) {
  for (const kind of Object.keys(calls) as SnippetKind[]) {
    t.test(`${language}, ${kind}: what the page shows is pasted and makes its first call`, async (t) => {
      const { call, answer } = await firstCall(bench, language, kind)
      t.equal(call, calls[kind])
      t.match(JSON.parse(answer), kind === 'server' ? [] : { idProvider: 'local' })
    })
  }
}

t.test('one file from any server of files is a single-page application on http://localhost', async (t) => {
  const { page, manage, person, emptyFolder, show } = bench
  for (const path of isFullEffort ? ['/', '/app/callback'] : ['/app/callback']) {
    const redirectUri = `http://localhost:${await freePort()}${path}`
    const { applicationId } = await manage.createApplication({
      ...{ name: `Page ${path}`, type: 'native', redirectUris: [redirectUri] },
      permissions: [{ kind: 'delegated', id: 'User.Read' }],
    })
    await show(applicationId)
    t.match(await page.textContent('#page-closed'), 'GET /api/v2/me', 'the route answers no page of another origin')
    const started = await pasteBlocks(emptyFolder(), await copyLanguage(page, 'page'))
    try {
      await until('the server of files answers', async () => (await fetch(redirectUri)).status === 200, 60_000, 100)
      await page.goto(redirectUri)
      await page.click('#sign-in')
      await page.click('#accept')
      await page.waitForURL((url) => url.href.startsWith(redirectUri))
      await page.waitForFunction("document.getElementById('answer').textContent !== ''")
      t.match(JSON.parse((await page.textContent('#answer')) ?? ''), { name: person.name })
    } finally {
      await endProgram(started)
    }
  }
})

t.test('where no token comes, curl says why', async (t) => {
  const { page, manage, emptyFolder, show } = bench
  const { applicationId, clientSecret } = await manage.createApplication({
    ...{ name: 'Without consent', type: 'web' },
    permissions: [{ kind: 'application', id: 'Subscription.Read.All' }],
  })
  const cwd = emptyFolder()
  writeFileSync(join(cwd, 'portcullis.env'), `PORTCULLIS_CLIENT_SECRET=${clientSecret}\n`)
  await show(applicationId)
  for (const language of ['curl', 'node']) {
    const started = await pasteBlocks(cwd, await copyLanguage(page, language))
    t.not(await started.ended, 0)
    t.match(started.output(), /consented/, language)
    t.notMatch(started.output(), 'pcl_sk_')
  }
})

t.test('another authority than the one of the page is not trusted, and nothing is sent', async (t) => {
  const { page, applications, emptyFolder, show } = bench
  await show(applications.server)
  const blocks = await copyLanguage(page, 'curl')
  const fingerprint = (await page.textContent('#fingerprint')) ?? ''
  const other = fingerprint.replace(/^../, (first) => (first === '00' ? '11' : '00'))
  const cwd = emptyFolder()
  writeFileSync(join(cwd, 'portcullis.env'), 'PORTCULLIS_CLIENT_SECRET=secret\n')
  const forged = blocks.map((block) => ({ ...block, text: block.text.replace(fingerprint, other) }))
  t.not(fingerprint, '')
  const started = await pasteBlocks(cwd, forged)
  t.not(await started.ended, 0)
  t.match(started.output(), /ca\.pem/)
})
