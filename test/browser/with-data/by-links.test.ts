// Long lists without JavaScript: whatever there is of an organisation with 300 applications and 2,100 events is reached
// by links.
// full: a browser and a program with thousands of rows, half a minute
// run: apart

import t from 'tap'
import { fill, openFullBrowser } from '../../support/browser/full-tenant/look-at-pages.js'

t.setTimeout(300_000)

t.test('without JavaScript every application and every event is reached by links, and found by a search', async (t) => {
  const { context } = await openFullBrowser(t)
  const plain = await context({ javaScriptEnabled: false })
  const page = await plain.newPage()
  const rowsFrom = async (address: string, most: number) => {
    const ids = new Set<string>()
    await page.goto(address)
    for (let at = 0; at < most; at += 1) {
      for (const [, id = ''] of (await page.content()).matchAll(/<tr id="([^"]+)"/g)) ids.add(id)
      const [further] = await page.locator('#next, #older').all()
      if (further === undefined) return { rows: ids.size, pages: at + 1 }
      await page.goto((await further.getAttribute('href')) ?? '')
    }
    return { rows: ids.size, pages: most }
  }
  const applications = await rowsFrom('/portal/applications', 20)
  t.ok(applications.rows >= fill.applications, `${applications.rows} applications on ${applications.pages} pages`)
  const events = await rowsFrom('/portal/audit', 60)
  t.ok(events.rows >= 2_000, `${events.rows} events on ${events.pages} pages`)
  await page.goto('/portal/applications?search=Nairobi')
  t.match(await page.textContent('main'), 'Nairobi')
  t.notMatch(await page.textContent('main'), 'Reykjavík')
  await page.goto('/portal/audit')
  t.match(await page.textContent('main'), 'The audit log is intact')
})
