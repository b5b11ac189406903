// Names that untrusted parties choose, and the policy that a page is sent with.

import { runInNewContext } from 'node:vm'
import Fastify from 'fastify'
import t from 'tap'
import { hasLookalikes } from '../../src/naming/scripts.js'
import { Time } from '../../src/web/language/time.js'
import { displayName } from '../../src/web/pages/display-name.js'
import { Field } from '../../src/web/pages/elements.js'
import { Form } from '../../src/web/pages/form.js'
import { Page } from '../../src/web/pages/layout.js'
import { type SendOptions, sendPage } from '../../src/web/pages/send-page.js'
import { submitOnceScript } from '../../src/web/pages/submit-once.js'

t.test('C1 nothing invisible in a name, nothing that turns the line around, nothing that runs over it', async (t) => {
  const cases: [string, string][] = [
    ['Contoso', 'Contoso'],
    ['  Con\n\ttoso  AG ', 'Con toso AG'],
    ['Pay\u202Elap', 'Paylap'],
    ['a\u200Bb\u200D\uFEFF\u2066c\u2069', 'abc'],
    ['\u0007\u001b[31mred\u009b', '[31mred'],
    ['x\u2028y\u2029z', 'x y z'],
    ['q\u0301\u0302\u0303\u0304\u0305q', 'q\u0301\u0302q'],
    ['\u3164', '(no name)'],
    ['', '(no name)'],
    ['A\u030a', '\u00c5'],
    ['\u{e0041}tag\ufe0f', 'tag'],
  ]
  for (const [i, [name, shown]] of cases.entries()) t.equal(displayName(name), shown, `name ${i}`)
  t.equal([...displayName('\u{1f512}'.repeat(500))].length, 100, 'a million characters are not a name')
  t.equal(displayName('abcdef', 4), 'abc…')
})

t.test('C1 a word of two alphabets that look alike is recognised', async (t) => {
  for (const name of ['Pаypal', 'Contοso', 'MICROSОFT Online']) t.equal(hasLookalikes(name), true, name)
  for (const name of ['Contoso', 'Привет World', 'Ελλάδα', 'Straße 5', '日本 Portal', '']) {
    t.equal(hasLookalikes(name), false, name)
  }
})

t.test('U4 whatever a name says is text', async (t) => {
  const evil = `"><script>alert(1)</script>' onload=x`
  const { body } = await send(
    <Page title={evil} eyebrow={evil} intro={evil} user={{ name: evil, email: evil }}>
      <Field id="email" label={evil} value={evil} error={evil} hint={evil} />
    </Page>,
  )
  t.notMatch(body, /<script>/)
  t.match(body, `value="&quot;>&lt;script>`, 'in attributes too')
})

t.test('a password is never filled in', async (t) => {
  const { body } = await send(<Field id="password" label="Password" type="password" value="secret" />)
  t.notMatch(body, /secret/)
})

t.test('C4 only an origin or a scheme widens the policy, and only for forms', async (t) => {
  const policyOf = async (options: SendOptions) => {
    const answer = await send(<p>x</p>, options)
    return String(answer.headers['content-security-policy'])
  }
  for (const target of ['https://app.test', 'http://127.0.0.1:5000', 'com.example.app:', 'http:']) {
    t.ok((await policyOf({ formAction: [target] })).includes(`form-action 'self' ${target};`), target)
  }
  t.match(await policyOf({ forms: false }), /form-action 'none'/)
  t.notMatch(await policyOf({}), /script-src/)
  for (const target of ['https://a.test; script-src *', 'https://a.test/path', '*', "'unsafe-inline'", 'a b', '']) {
    t.equal((await send(<p>x</p>, { formAction: [target] })).statusCode, 500, target)
  }
})

t.test('every page with a form or a time has the script for both, and may run it; others run nothing', async (t) => {
  const page = (form: boolean) => (
    <Page title={'<head> <form '}>
      {form ? <Form id="f" action="/x" token="y" /> : null}
      <p>{'<form '}</p>
    </Page>
  )
  const withForm = await send(page(true))
  const tag = `<script src="${submitOnceScript.path}" defer></script>`
  t.equal(withForm.body.split('<script').length, 2)
  t.ok(withForm.body.includes(`<head>${tag}<meta charset`))
  t.match(withForm.headers['content-security-policy'], /; script-src https:\/\/id\.test\/assets\/$/)
  const withTime = await send(
    <Page title="x">
      <Time at={0} />
    </Page>,
    { forms: false },
  )
  t.match(withTime.headers['content-security-policy'], '/assets/', 'which says a time in the zone of the browser')
  const without = await send(page(false), { forms: false })
  t.notMatch(without.body, /<script/)
  t.notMatch(without.headers['content-security-policy'], /script-src/)
})

t.test(
  'a form that was sent is not sent again; another one, one that was held back, and a late or renewed one are',
  async (t) => {
    type Submit = { target: object; timeStamp: number; defaultPrevented: boolean; preventDefault(): void }
    const heard = new Map<string, (event: unknown) => void>()
    const withoutTimes = {
      documentElement: { lang: 'en' },
      querySelectorAll: () => [],
      createTreeWalker: () => ({ nextNode: () => false }),
    }
    runInNewContext(submitOnceScript.content, {
      ...{ document: withoutTimes, NodeFilter: { SHOW_TEXT: 4 } },
      addEventListener: (name: string, listener: (event: unknown) => void) => heard.set(name, listener),
    })
    const isSent = (target: object, timeStamp: number, defaultPrevented = false): boolean => {
      const event: Submit = {
        target,
        timeStamp,
        defaultPrevented,
        preventDefault: () => (event.defaultPrevented = true),
      }
      heard.get('submit')?.(event)
      return !event.defaultPrevented
    }
    const [a, b, passkey] = [{}, {}, {}]
    t.same([isSent(a, 0), isSent(a, 80), isSent(a, 29_999), isSent(b, 80)], [true, false, false, true])
    t.same([isSent(passkey, 0, true), isSent(passkey, 50)], [false, true], 'the passkey prompt comes first')
    t.same([isSent(a, 30_000), isSent(a, 30_080)], [true, false], 'loading may have been stopped')
    heard.get('pageshow')?.({ persisted: false })
    t.equal(isSent(a, 30_100), false)
    heard.get('pageshow')?.({ persisted: true })
    t.equal(isSent(a, 30_120), true, 'back from the cache of the browser')
  },
)

async function send(page: Parameters<typeof sendPage>[2], options: SendOptions = {}) {
  const app = Fastify()
  app.decorate('publicOrigin', 'https://id.test')
  app.get('/', async (_request, reply) => sendPage(reply, 200, page, options))
  try {
    return await app.inject('/')
  } finally {
    await app.close()
  }
}
