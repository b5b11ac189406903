// What every page about an application refuses, tried on one page.

import type { Test } from 'tap'
import { createTenant } from '../../../src/directory/tenants/tenants.js'
import type { PortalApp } from '../rooms/portal.js'
import { formOf } from './scripted-browser.js'

interface Refused {
  /** With the identifier of the application in it. */
  path: string
  /** The form that is on it, and what is filled in; absent: it has none. */
  form?: { id: string; fields: Record<string, string> }
}

/** Nobody who is signed out, a plain member, of another tenant, or sent by another site gets anything from it. */
export async function checkRefusals(t: Test, testApp: PortalApp, { path, form }: Refused): Promise<void> {
  const nobody = testApp.browser()
  const signedOut = await nobody.get(path)
  t.equal(signedOut.status, 303, 'signed out: to the sign-in page')
  t.match(signedOut.location, /^\/sign-in\?/)
  const member = await (await testApp.as('member')).get(path)
  t.equal(member.status, 403, 'a member sees no applications')
  const { tenantId } = await createTenant(testApp.writes, { name: 'Elsewhere' })
  const otherOwner = await testApp.as('owner', tenantId)
  t.equal((await otherOwner.get(path)).status, 404, 'U2 of another tenant there is nothing')
  if (form === undefined) return
  const headers = { origin: 'null', 'sec-fetch-site': 'same-origin' }
  const before = (await testApp.events()).length
  const own = await testApp.as('administrator')
  const page = await own.get(path)
  const { action, fields } = formOf(page, form.id)
  const filled = { ...fields, ...form.fields }
  const cases: [string, typeof own, Record<string, string>, Record<string, string>, number][] = [
    ['U1 without its token', own, { ...filled, form_token: '' }, headers, 403],
    ['U1 with the token of somebody else', await testApp.as('administrator'), filled, headers, 403],
    ['U1 from another site', own, filled, { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }, 403],
    ['of another tenant', otherOwner, filled, headers, 403],
    ['signed out', nobody, filled, headers, 403],
  ]
  for (const [title, browser, sent, more, status] of cases) {
    // A browser that was never here has no cookie to bind a form to.
    await browser.get('/portal')
    t.equal((await browser.post(action, sent, more)).status, status, title)
  }
  t.same(
    (await testApp.events()).slice(before).filter(({ event }) => !/^(?:user|tenant|membership)\./.test(event)),
    [],
    'nothing was done',
  )
}
