// The pages about registration tokens: made and shown once, listed, ended; and where registration by standard is off.

import t from 'tap'
import { formOf, textOf } from '../support/browser/scripted-browser.js'
import { openPortal } from '../support/rooms/portal.js'

const path = '/portal/registration-tokens'
const headers = { origin: 'null', 'sec-fetch-site': 'same-origin' }

t.test('a token is made, shown once, listed with what it allows, and ended after a question', async (t) => {
  const testApp = await openPortal(t)
  const browser = await testApp.as('administrator')
  const page = await browser.get(path)
  t.match(textOf(page, 'no-tokens'), /No registration tokens/)
  const { action, fields } = formOf(page, 'token-form')
  const permission = `delegated ${testApp.catalogue.own.id} User.Read`
  t.match(page.body, `value="${permission}"`)
  const wrong = await browser.post(action, { ...fields, label: 'CI', uses: '0' }, headers)
  t.equal(wrong.status, 400)
  t.ok(textOf(wrong, 'uses-error'), 'at its field')
  t.match(wrong.body, /id="label"[^>]*value="CI"/, 'what was typed stays')
  const form = { ...fields, label: 'CI', uses: '3', expiresInHours: '168', permission }
  const made = await browser.post(action, form, headers)
  t.equal(made.status, 201)
  t.match(textOf(made, 'made'), /3 applications/)
  const token = /id="registration-token"[^>]*value="([^"]+)"/.exec(made.body)?.[1] ?? ''
  t.ok(token.length > 30)
  t.equal((await browser.post(action, form, headers)).status, 409, 'once')
  const list = await browser.get(path)
  t.notMatch(list.body, token, 'U9')
  t.match(textOf(list, 'tokens'), /CI.*3.*in 7 days|CI.*3.*in 6 days/s)
  t.match(textOf(list, 'tokens'), /User\.Read/)
  const id = /registration-tokens\/([^/]+)\/end/.exec(list.body)?.[1] ?? ''
  const question = await browser.get(`${path}/${id}/end`)
  t.match(
    textOf(question, 'consequences'),
    /registered with it, which stay\s*none.*last hour\s*none.*left and end\s*3/s,
  )
  for (const role of ['member', 'developer'] as const)
    t.equal((await (await testApp.as(role)).get(`${path}/${id}/end`)).status, 403, role)
  const ended = await browser.submit(question, 'confirm-form')
  t.match(textOf(ended, 'done'), /stays/)
  t.match(textOf(ended, 'no-tokens'), /No registration tokens/)
  t.equal((await browser.get(`${path}/${id}/end`)).status, 404)
})

t.test('the page is for administrators', async (t) => {
  const testApp = await openPortal(t)
  for (const role of ['member', 'developer'] as const)
    t.equal((await (await testApp.as(role)).get(path)).status, 403, role)
})
