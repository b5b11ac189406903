// Which applications serve a resource, as the file says it (decision 154).

import t from 'tap'
import { mistakesOf, settingsFrom } from '../support/settings/config-file.js'

const id = '3f0c1f9e-9f34-4c6e-8f9e-0a6d1c5b7a01'
const file = (exchange: string) => `permissions: { A: { describe: A } }
resources:
  desk:
    id: "https://gate.example.com/desk"
    name: Help desk
    permissions: { read: { describe: Read } }
    ${exchange}
`

const exchangeOf = (text: string) =>
  settingsFrom(t, file(text)).catalogue.resources.get('https://gate.example.com/desk')?.exchange

t.test('nobody exchanges what no file names; a caller is the bound unless the file says a person', async (t) => {
  t.equal(exchangeOf(''), undefined)
  t.same(exchangeOf(`exchange: { applications: [${id}] }`), { applications: [id], ceiling: 'caller' })
  t.same(exchangeOf(`exchange: { applications: [${id}], ceiling: person }`), { applications: [id], ceiling: 'person' })
})

t.test('a mistake is told where it stands', async (t) => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['exchange: {}', /applications/],
    ['exchange: { applications: [] }', /1 to 16 applicationIds/],
    ['exchange: { applications: [desk] }', /must be the applicationId of an application, a GUID in lower case/],
    [`exchange: { applications: [${id.toUpperCase()}] }`, /GUID in lower case/],
    [`exchange: { applications: [${id}, ${id}] }`, /each once/],
    [`exchange: { applications: [${id}], ceiling: agent }`, /caller.*person/],
    [`exchange: { applications: [${id}], to: [billing] }`, /to/],
    ['exchange: true', /exchange/],
  ]
  for (const [text, expected] of cases) t.match(mistakesOf(t, file(text)).join('\n'), expected, text)
})
