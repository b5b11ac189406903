// Clients that nobody registered in the configuration: whose are taken, what they may ask for, and which mistakes are told.

import t from 'tap'
import { documentPermissions } from '../../src/directory/documents/document-registration.js'
import { mistakesOf, settingsFrom } from '../support/settings/config-file.js'

const desk = `upstreams: { desk: { target: "http://desk:3000" } }
resources:
  desk:
    id: "https://gate.example.com/desk/mcp"
    name: Help desk
    permissions: { read: { describe: Read }, write: { describe: Write }, run: { describe: Run, kinds: [application] } }
`

t.test('nobody is taken, and nothing is open, unless the file says so', async (t) => {
  const settings = settingsFrom(t, desk)
  t.same(settings.registration.documents, { trust: 'off', allow: [], ca: undefined })
  t.same(settings.registration.open, {
    ...{ enabled: false, hosts: [] },
    perAddress: { limit: 20, periodMs: 60_000 },
    overall: { limit: 600, periodMs: 60_000 },
  })
  t.same(documentPermissions(settings.catalogue), [])
})

t.test('hosts are listed in lower case, and permissions are those of the resource', async (t) => {
  const listed = settingsFrom(
    t,
    `registration: { documents: { trust: listed, hosts: [Agent.Example], allow: [10.0.0.1] } }\n${desk}    documents: [write, read]\n`,
  )
  t.match(listed.registration.documents, { trust: ['agent.example'], allow: ['10.0.0.1'] })
  const resource = 'https://gate.example.com/desk/mcp'
  t.same(
    documentPermissions(listed.catalogue),
    ['write', 'read'].map((id) => ({ kind: 'delegated', resource, id })),
  )
  t.equal(documentPermissions(listed.catalogue), documentPermissions(listed.catalogue), 'the same list each time')
  const open = settingsFrom(t, 'registration: { open: { enabled: true, hosts: [Agent.Example], perAddress: 3/h } }\n')
  t.match(open.registration.open, {
    enabled: true,
    hosts: ['agent.example'],
    perAddress: { limit: 3, periodMs: 3_600_000 },
  })
  t.equal(settingsFrom(t, 'registration: { documents: { trust: any } }\n').registration.documents.trust, 'any')
})

t.test('what could not be meant is told', async (t) => {
  const cases = [
    ['registration: { documents: { trust: listed } }\n', '1:37 registration.documents.trust: needs hosts'],
    ['registration: { documents: { trust: any, hosts: [a.example] } }\n', 'means nothing where trust is any'],
    ['registration: { documents: { trust: listed, hosts: ["https://a.example"] } }\n', 'must be a host name'],
    ['registration: { documents: { trust: everybody } }\n', 'registration.documents.trust'],
    ['registration: { open: { hosts: [a.example] } }\n', 'registration.open.hosts: means nothing without enabled'],
    ['registration: { standard: false, open: { enabled: true } }\n', 'needs registration.standard: true'],
    ['registration: { open: { enabled: true, hosts: ["https://a.example"] } }\n', 'must be a host name'],
    ['registration: { open: { perAddress: 0/min } }\n', 'registration.open.perAddress'],
    [`${desk}    documents: [raed]\n`, 'there is no permission "raed"; did you mean "read"?'],
    [`${desk}    documents: [run]\n`, 'only delegated permissions can be given to such clients'],
    [`${desk}    documents: [read, read]\n`, 'must be a list of permission ids, each once'],
  ] as const
  for (const [text, expected] of cases) {
    const mistakes = mistakesOf(t, text)
    t.equal(mistakes.length, 1, mistakes.join('\n'))
    t.match(mistakes[0], expected)
  }
})
