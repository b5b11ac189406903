// Branding in a real browser, with the pages' policy as it is: what an administrator uploads, how it looks in the portal,
// and the pages that people then see: light, dark and narrow.
// full: a program and a browser of its own
// run: apart

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { createLocalClient } from '../../src/cli/calls/local-client.js'
import { pngFile } from '../support/brands/pictures.js'
import { startBrowser } from '../support/browser/browser.js'
import { inspectPage, inspectWidths } from '../support/browser/pages.js'
import { plantSetUpLink } from '../support/programs/planted-link.js'
import { startProgram } from '../support/programs/program.js'
import { pkcePair } from '../support/rooms/delegation.js'

t.setTimeout(170_000)

const picture = (buffer: Buffer) => ({ name: 'logo.png', mimeType: 'image/png', buffer })
const callback = 'https://reports.example/callback'

t.test('a tenant gets its look in the portal, and its sign-in and consent have it', async (t) => {
  const cwd = mkdtempSync(join(tmpdir(), 'pcl-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  const program = await startProgram({ cwd })
  t.teardown(() => program.stop())
  const browser = await startBrowser()
  t.teardown(() => browser.close())
  const open = () => browser.newContext({ ignoreHTTPSErrors: true, baseURL: program.baseUrl })
  const ada = await open()
  const page = await ada.newPage()
  const problems: string[] = []
  ada.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  await page.goto(await plantSetUpLink(program))
  const person = { name: 'Ada', email: 'ada@example.com', password: 'seven unrelated green words' }
  for (const [id, text] of Object.entries(person)) await page.fill(`#${id}`, text)
  await page.click('#create-account')
  await page.waitForSelector('#register')
  await page.goto('/portal/branding')
  t.same(await inspectWidths(page, 'branding-none'), [])
  await page.fill('#name', 'Acme Sign-on')
  await page.fill('#accent', '#ffcc00')
  await page.click('#save')
  await page.waitForSelector('#accent-error')
  t.same(await inspectPage(page, 'branding-pale'), [])
  // What refuses is not shown as an error of the page.
  problems.length = 0
  const said = {
    ...{ accent: '#0b3a75', accentDark: '#b9dcff', support: 'mailto:help@acme.example' },
    ...{ terms: 'https://acme.example/terms', privacy: 'https://acme.example/privacy' },
  }
  for (const [id, text] of Object.entries(said)) await page.fill(`#${id}`, text)
  await page.setInputFiles('#logo', picture(pngFile(96, 48, [], [11, 58, 117])))
  await page.setInputFiles('#logoDark', picture(pngFile(96, 48, [], [185, 220, 255])))
  await page.click('#save')
  await page.waitForSelector('#done')
  t.same(await inspectWidths(page, 'branding-tenant'), [])
  const shown = 'img.logo, #logo-now, #logoDark-now'
  const widths = `[...document.querySelectorAll('${shown}')].map((one) => one.naturalWidth)`
  t.same(await page.evaluate(widths), [96, 96, 96, 96, 96, 96], 'each picture is one')
  await page.goto('/portal/branding/remove')
  t.same(await inspectPage(page, 'branding-remove'), [])

  const made = (await createLocalClient(`${program.folder}/admin.sock`).call('POST', '/applications', {
    ...{ name: 'Quarterly reports', type: 'web', redirectUris: [callback] },
    permissions: [{ kind: 'delegated', id: 'User.Read' }],
  })) as { applicationId: string }
  await page.goto('/portal/applications')
  await page.waitForSelector('span.app-icon')
  await page.goto(`/portal/applications/${made.applicationId}/branding`)
  t.same(await inspectWidths(page, 'branding-application-none'), [])
  await page.fill('#home', 'https://reports.example/')
  await page.fill('#terms', 'https://reports.example/terms')
  await page.setInputFiles('#logo', picture(pngFile(120, 40, [], [150, 30, 60])))
  await page.click('#save')
  await page.waitForSelector('#done')
  t.same(await inspectWidths(page, 'branding-application'), [])
  await page.goto('/portal/applications')
  const icon = `[...document.querySelectorAll('img.app-icon')].map((one) => [one.clientWidth, one.clientHeight])`
  t.same(await page.evaluate(icon), [[24, 24]], 'a wide logo has the room of a letter')
  t.same(await inspectWidths(page, 'branding-list'), [])
  await page.goto(`/portal/server/brands?search=${made.applicationId}`)
  await page.waitForSelector('#remove-form')
  t.same(await inspectWidths(page, 'branding-server'), [])
  const query = new URLSearchParams({
    ...{ client_id: made.applicationId, redirect_uri: callback, response_type: 'code', scope: 'User.Read', state: 'a' },
    ...{ code_challenge: pkcePair().challenge, code_challenge_method: 'S256' },
  })
  const address = `/api/v2/oauth2/v2.0/authorize?${query}`
  await page.goto(address)
  await page.waitForSelector('#application')
  t.same(await inspectWidths(page, 'branding-consent'), [])
  const visitor = await (await open()).newPage()
  await visitor.goto(address)
  await visitor.waitForSelector('#sign-in-form')
  t.match(await visitor.textContent('#of-server'), /This page is from/)
  t.same(await inspectWidths(visitor, 'branding-sign-in'), [])
  t.same(problems, [], 'nothing against the policy')
})
