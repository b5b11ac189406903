// The pages about webhooks: made with a secret that is shown once, changed, paused, tried out; what was sent, and
// sending it again; what stands in the way of deleting one.

import t, { type Test } from 'tap'
import { plantDelivery } from '../support/browser/planted-delivery.js'
import { formOf, textOf } from '../support/browser/scripted-browser.js'
import { openPortal } from '../support/rooms/portal.js'
import { startReceiver } from '../support/upstreams/receiver.js'

const headers = { origin: 'null', 'sec-fetch-site': 'same-origin' }

async function open(t: Test) {
  const receiver = await startReceiver(t)
  const testApp = await openPortal(t, { events: { allow: ['localhost'], ca: receiver.ca } })
  const browser = await testApp.as('administrator')
  const url = `${receiver.origin}/hook`
  const make = async () => {
    const page = await browser.get('/portal/webhooks/new')
    return browser.submit(page, 'webhook-form', { url, event: 'consent.*' })
  }
  const ask = async (method: 'GET' | 'PATCH', path: string, body?: unknown) => {
    testApp.caller.principal = { kind: 'local' }
    return (await testApp.manage(method, path, body)).json()
  }
  const only = async () => (await ask('GET', '/webhooks')).value[0]
  return { receiver, testApp, browser, url, make, ask, only }
}

t.test('a webhook is made with a secret that is shown once, and that once only', async (t) => {
  const { browser, url, make, only } = await open(t)
  const empty = await browser.get('/portal/webhooks')
  t.match(textOf(empty, 'no-webhooks'), /No webhooks yet/)
  const page = await browser.get('/portal/webhooks/new')
  t.match(page.body, 'A private key ends soon.', 'events have words')
  const { action, fields } = formOf(page, 'webhook-form')
  const form = { ...fields, url, event: 'consent.*' }
  const made = await browser.post(action, form, headers)
  t.equal(made.status, 201)
  t.match(made.body, /value="whsec_[^"]+"/)
  t.match(await only(), { url, events: ['consent.*'] })
  const again = await browser.post(action, form, headers)
  t.equal(again.status, 409, 'the same showing makes nothing twice')
  t.notMatch(again.body, 'whsec_')
  const list = await browser.get('/portal/webhooks')
  t.match(textOf(list, 'webhooks'), /localhost:\d+.*consent\.\*.*on/s)
  t.notMatch(list.body, '/hook<', 'the path may have a secret in it')
  for (const [url, event, at] of [
    ['https://10.0.0.1/', '*', 'url'],
    ['https://x.test/', '', 'events'],
    ['http://x.test/', '*', 'url'],
  ]) {
    const refused = await browser.post(action, { ...fields, url: url ?? '', ...(event ? { event } : {}) }, headers)
    t.equal(refused.status, 400, `${url} ${event}`)
    t.ok(textOf(refused, `${at}-error`), 'at its field')
  }
  t.equal((await make()).status, 201)
})

t.test('it is tried out, changed, paused after a question, and gets another secret', async (t) => {
  const { receiver, browser, url, make, only } = await open(t)
  await make()
  const { id } = await only()
  const path = `/portal/webhooks/${id}`
  const tested = await browser.submit(await browser.get(path), 'test-form')
  t.match(textOf(tested, 'tested'), /arrived.*answered 204 after/s)
  t.same(receiver.types('/hook'), ['portcullis.test'])
  receiver.answers.set('/hook', 500)
  const failed = await browser.submit(tested, 'test-form')
  t.match(textOf(failed, 'tested'), /did not arrive.*answered 500.*Only an answer of 2xx/s)

  const edit = await browser.get(`${path}/edit`)
  t.match(edit.body, /value="consent\.\*" checked/)
  const changed = await browser.submit(edit, 'webhook-form', { url, event: '*' })
  t.match(textOf(changed, 'done'), 'changed')
  t.match(await only(), { events: ['*'] })

  const question = await browser.submit(changed, 'switch-form')
  t.match(question.body, 'is never sent there')
  t.match(await only(), { enabled: true }, 'a question changes nothing')
  const paused = await browser.submit(question, 'confirm-form')
  t.match(textOf(paused, 'webhook'), 'paused')
  const resumed = await browser.submit(paused, 'switch-form')
  t.match(textOf(resumed, 'done'), 'on again')

  const rotated = await browser.submit(await browser.get(`${path}/secret`), 'rotate-form')
  t.equal(rotated.status, 201)
  t.match(rotated.body, /value="whsec_[^"]+"/)
  t.match(textOf(await browser.get(path), 'webhook'), /the one before signs too until/)
})

t.test('deliveries are listed with what became of them, and sent again one by one or all', async (t) => {
  const { testApp, browser, make, only, ask } = await open(t)
  await make()
  const { id } = await only()
  const path = `/portal/webhooks/${id}`
  const [first = ''] = [await plantDelivery(testApp.store, id, 1), await plantDelivery(testApp.store, id, 2)]
  const page = await browser.get(path)
  t.match(textOf(page, 'deliveries'), /secret\.expiring.*dead letter.*503.*41 ms.*11/s)
  t.match(page.body, 'Dead letters (2)')
  t.match(textOf(await browser.get(`${path}?state=waiting`), 'no-deliveries'), 'None')
  const delivery = await browser.get(`${path}/deliveries/${first}`)
  t.match(textOf(delivery, 'event'), 'portcullis.secret.expiring')
  t.match(textOf(delivery, 'delivery'), /Only an answer of 2xx counts as delivered/)
  const again = await browser.submit(delivery, 'again-form')
  t.match(textOf(again, 'delivery'), /waiting/)
  const replayed = await browser.submit(await browser.get(path), 'replay-form')
  t.match(textOf(replayed, 'done'), 'in line again')
  t.same(await ask('GET', `/webhooks/${id}/backlog`), { waiting: 2, dead: 0, atLeast: false })
  t.equal((await browser.get(`${path}/deliveries/${id}`)).status, 404)

  await ask('PATCH', `/webhooks/${id}`, { enabled: false })
  t.match((await browser.get(`${path}/deliveries/${first}`)).body, 'The webhook is paused')
})

t.test('it is deleted when its host was typed; nobody below administrators comes near', async (t) => {
  const { testApp, browser, url, make, only } = await open(t)
  await make()
  const { id } = await only()
  await plantDelivery(testApp.store, id)
  const path = `/portal/webhooks/${id}`
  for (const role of ['member', 'developer'] as const) {
    const other = await testApp.as(role)
    for (const address of ['/portal/webhooks', '/portal/webhooks/new', path, `${path}/delete`])
      t.equal((await other.get(address)).status, 403, `${role} ${address}`)
  }
  const question = await browser.get(`${path}/delete`)
  t.match(textOf(question, 'consequences'), /Dead letters\s*1/)
  const wrong = await browser.submit(question, 'confirm-form', { typed: 'localhost' })
  t.equal(wrong.status, 400)
  t.ok(textOf(wrong, 'typed-error'))
  const gone = await browser.submit(wrong, 'confirm-form', { typed: new URL(url).host })
  t.match(textOf(gone, 'done'), 'deleted')
  t.equal(await only(), undefined)
  t.equal((await browser.get(path)).status, 404)
})
