// What does not load, and what the message about it says. Positions are those of the texts below, counted from 1.

import t from 'tap'
import { readManifests } from '../../src/config/read/manifests.js'
import { ConfigurationErrors } from '../../src/config/report/problem.js'
import { ELEVEN, mistakesOf } from '../support/settings/config-file.js'

t.test('eleven different mistakes are reported in one run, each where it stands', async (t) => {
  const mistakes = mistakesOf(t, ELEVEN)
  t.same(
    mistakes.map((mistake) => mistake.slice(0, mistake.indexOf(':', mistake.indexOf(' ')))),
    [
      '2:7 mode',
      '4:12 server.baseUrl',
      '6:3 server.operator',
      '7:32 server.trustedProxies[1]',
      '9:14 server.timeouts.headers',
      '10:5 server.timeouts.keepalive',
      '12:15 secrets.masterKeys',
      '18:25 routes["GET /api/v2/me"].to',
      '19:47 routes["GET /api/v2/things"].require',
      '20:3 routes["GET /api/v2/open"]',
      '21:3 routes["POST /API/v2/OAuth/token"]',
    ],
  )
  t.match(mistakes[0], 'did you mean "production"?')
  t.match(mistakes[2], 'stands here twice; first at 5:3')
  t.match(mistakes[5], 'there is no such setting; did you mean "keepAlive"?')
  t.match(mistakes[6], 'the environment variable NOT_SET_ANYWHERE is not set')
  t.match(mistakes[7], 'there is no upstream "bakend"; did you mean "backend"?')
  t.match(mistakes[8], 'there is no permission "User.Raed.All"; did you mean "User.Read.All"?')
})

const BASE = `permissions: { P.Read: { describe: Read } }
upstreams: { backend: { target: builtin:backend } }
`

/** Title, text, the one mistake expected. */
type Case = readonly [string, string, string | RegExp]

const SYNTAX: readonly Case[] = [
  [
    'an unclosed bracket',
    'server: {\n',
    /^\d+:\d+ a closing quote, bracket, colon or comma is missing|the indentation/,
  ],
  ['an unknown alias', 'mode: *nothing\n', '1:7 mode: this alias has no anchor before it'],
  ['a tab as indentation', 'server:\n\tlisten: 127.0.0.1:1\n', /^2:1 /],
  ['a tag', 'mode: !secret production\n', '1:7 tags are not known here'],
  [
    'a reference without quotes inside braces',
    'log: { access: ${FLAG}, level: info }\n',
    '1:17 inside {…} and […], a reference is quoted: "${NAME}"',
  ],
  ['a second document', 'mode: production\n---\nmode: production\n', '2:1 the file holds more than one document'],
  ['a list instead of settings', '- mode\n', '1:1 the file must be a mapping of settings'],
  ['a text instead of settings', 'hello\n', '1:1 the file must be a mapping of settings'],
  [
    'a setting without value',
    'server:\n  listen:\n',
    '2:3 server.listen: has no value; remove the line or give it one',
  ],
  ['a group without value', 'server:\n', '1:1 server: has no value; remove the line or give it one'],
  ['a key that reaches for the prototype', '__proto__: { mode: production }\n', '1:1 a key is a plain text'],
  ['a key that is a list', '? [a, b]\n: c\n', /a key is a plain text$/],
  ['an alias within itself', 'log: &a { access: *a }\n', /is nested too deeply, or grows too large through aliases$/],
]

const SHAPE: readonly Case[] = [
  ['an unknown section', 'sever: {}\n', '1:1 sever: there is no such setting; did you mean "server"?'],
  ['an unknown setting with nothing near it', 'server: { zebra: 1 }\n', '1:11 server.zebra: there is no such setting'],
  ['a group where a text belongs', 'mode: { a: 1 }\n', /^1:7 mode: must be one of .*; not a mapping$/],
  ['a text where a group belongs', 'server: fast\n', '1:9 server: must be a group of settings; not "fast"'],
  ['a future version', 'version: 2\n', '1:10 version: must be 1, the only version of the format; not "2"'],
  [
    'a bare number as a duration',
    'tokens: { lifetime: 3600 }\n',
    /^1:21 tokens.lifetime: must be a duration with its unit.*not "3600"$/,
  ],
  ['an unknown unit', 'tokens: { lifetime: 1week }\n', /^1:21 tokens.lifetime: must be a duration.*not "1week"$/],
  ['a duration out of range', 'tokens: { lifetime: 25h }\n', /^1:21 .*from 1min to 24h; not "25h"$/],
  [
    'a size with a decimal unit',
    'server: { limits: { body: 1MB } }\n',
    /^1:27 server.limits.body: must be a size with its unit.*not "1MB"$/,
  ],
  ['a size out of range', 'server: { limits: { url: 1GiB } }\n', /^1:26 .*from 256B to 64KiB; not "1GiB"$/],
  [
    'a rate without period',
    'server: { limits: { perAddress: 100 } }\n',
    /^1:33 .*must be a number per period.*not "100"$/,
  ],
  [
    'a fraction where a whole number belongs',
    'tokens: { cache: 1.5 }\n',
    /^1:18 tokens.cache: must be a whole number from 0 to 10000000; not "1.5"$/,
  ],
  ['a word for a flag', 'log: { access: sometimes }\n', '1:16 log.access: must be true or false; not "sometimes"'],
  [
    'a name with capitals',
    'upstreams: { Backend: { target: builtin:backend } }\n',
    /^1:14 upstreams.Backend: is not a name/,
  ],
  [
    'a permission id with a comma',
    'permissions: { "a,b": { describe: A } }\n',
    /^1:16 permissions\["a,b"\]: is not a permission id/,
  ],
  [
    'an upstream without target',
    'upstreams: { backend: { identity: jwt } }\n',
    /^1:14 upstreams.backend: needs "target": /,
  ],
  ['certificate without key', 'server: { tls: { cert: portcullis.yaml } }\n', /needs "key": /],
  [
    'an unknown way of TLS',
    'server: { tls: of }\n',
    '1:16 server.tls: must be development, off, {cert: …, key: …}, or both files with a comma between them; not "of"; did you mean "off"?',
  ],
]

const MEANING: readonly Case[] = [
  [
    'a window of no use that is longer than counts are kept',
    'usage: { unusedAfter: 60d, keep: 30d }\n',
    /usage.unusedAfter: must not be longer than usage.keep/,
  ],
  [
    'a window of no use in which counts may not have been written',
    'usage: { unusedAfter: 15s }\n',
    /usage.unusedAfter: must be at least twice usage.flushEvery/,
  ],
  [
    'a base URL in plain HTTP',
    'server: { baseUrl: "http://api.example.com" }\n',
    /^1:20 server.baseUrl: must be an https origin/,
  ],
  [
    'a base URL with a slash at its end',
    'server: { baseUrl: "https://api.example.com/" }\n',
    /^1:20 server.baseUrl: must be an https origin/,
  ],
  [
    'a base URL with user',
    'server: { baseUrl: "https://u:p@api.example.com" }\n',
    /not "https:\/\/\*\*\*@api.example.com"$/,
  ],
  [
    'a base URL not in normal form',
    'server: { baseUrl: "https://API.example.com:443" }\n',
    /; write "https:\/\/api.example.com"$/,
  ],
  [
    'a port too high',
    'server: { listen: "127.0.0.1:70000" }\n',
    '1:19 server.listen: "127.0.0.1:70000" is no address with a port from 0 to 65535',
  ],
  ['an impossible address', 'server: { listen: "127.0.0.256:1" }\n', /is no address/],
  [
    'one address for both listeners',
    'server: { operator: "127.0.0.1:8443" }\n',
    /^1:21 server.operator: must differ from server.listen/,
  ],
  [
    'a proxy that is no address',
    'server: { trustedProxies: [balancer] }\n',
    /"balancer" is not an address or a CIDR block/,
  ],
  [
    'an address of an issuer instead of its name',
    'federation: { allow: [issuer.internal, "https://issuer.internal"] }\n',
    '1:40 federation.allow[1]: must be a host name or an address, without scheme, port or brackets',
  ],
  [
    'an address of a receiver instead of its name',
    'events: { allow: ["https://receiver.internal"] }\n',
    '1:19 events.allow[0]: must be a host name or an address, without scheme, port or brackets',
  ],
  ['everybody as a proxy', 'server: { trustedProxies: "0.0.0.0/0" }\n', /"0.0.0.0\/0" would believe everybody/],
  [
    'forward-auth on no address',
    'server: { forwardAuth: { listen: everywhere } }\n',
    '1:34 server.forwardAuth.listen: must be host:port, such as 127.0.0.1:9465, or unix:/path, or empty; not "everywhere"',
  ],
  [
    'forward-auth on the public listener',
    'server: { forwardAuth: { listen: "127.0.0.1:8443" } }\n',
    '1:34 server.forwardAuth.listen: must differ from server.listen and server.operator',
  ],
  [
    'forward-auth for everybody',
    'server: { forwardAuth: { proxies: [0.0.0.0/0] } }\n',
    '1:36 server.forwardAuth.proxies[0]: "0.0.0.0/0" would believe everybody; name the proxies',
  ],
  [
    'forward-auth for a host with a port',
    'server: { forwardAuth: { hosts: { "wiki.example.com:443": /wiki } } }\n',
    '1:35 server.forwardAuth.hosts["wiki.example.com:443"]: is not a host: lower case, without port, such as wiki.example.com',
  ],
  [
    'forward-auth for the host of the server itself',
    'server: { baseUrl: "https://login.example.com", forwardAuth: { hosts: { login.example.com: /wiki } } }\n',
    /1:\d+ server\.forwardAuth\.hosts\["login\.example\.com"\]: is this server's own host, by server\.baseUrl, so that its own paths/,
  ],
  [
    'forward-auth below no plain path',
    'server: { forwardAuth: { hosts: { wiki.example.com: "/wiki/**" } } }\n',
    '1:53 server.forwardAuth.hosts["wiki.example.com"]: must be a path of plain segments, such as /wiki',
  ],
  ['TLS off without a proxy', 'server: { tls: off }\n', /^1:16 server.tls: can be off only behind a proxy/],
  [
    'TLS files that are not there',
    'server: { tls: { cert: c.pem, key: portcullis.yaml } }\n',
    /^1:24 server\.tls\.cert: "c\.pem" cannot be read: \/\S+\/c\.pem \(there is no such file\)$/,
  ],
  [
    'a URL limit above that of the headers',
    'server: { limits: { url: 32KiB } }\n',
    /^1:26 .*must be smaller than server.limits.headers/,
  ],
  [
    'J16 a key that signs while others may still have the set without it',
    'tokens: { publishBefore: 4min }\n',
    /^1:26 tokens.publishBefore: must be .*5min/,
  ],
  [
    'a key rotated before it was published',
    'tokens: { publishBefore: 24h, rotateEvery: 12h }\n',
    /^1:26 tokens.publishBefore: must be shorter/,
  ],
  [
    'a view that is always stale',
    'revocation: { staleAfter: 1s, poll: 900ms }\n',
    /^1:27 revocation.staleAfter: must be at least twice/,
  ],
  [
    'an upstream of an unknown scheme',
    'upstreams: { a: { target: "ftp://a" } }\n',
    /^1:27 upstreams.a.target: must be http/,
  ],
  [
    'an upstream with a password',
    'upstreams: { a: { target: "http://u:hunter2@a" } }\n',
    '1:27 upstreams.a.target: must hold neither user nor password',
  ],
  [
    'an upstream with a query',
    'upstreams: { a: { target: "http://a/?b" } }\n',
    /must have neither query nor fragment$/,
  ],
  ['an upstream with dot segments', 'upstreams: { a: { target: "http://a/b/../c" } }\n', /must have a plain base path/],
  [
    'an upstream that is ourselves',
    'upstreams: { a: { target: "https://127.0.0.1:8443" } }\n',
    /is this gateway itself/,
  ],
  [
    'an unknown built-in service',
    'upstreams: { a: { target: "builtin:backed" } }\n',
    /there is one built-in service, builtin:backend; did you mean "builtin:backend"\?$/,
  ],
  [
    'a target beside targets',
    'upstreams: { a: { target: "http://a", targets: ["http://b"] } }\n',
    '1:39 upstreams.a.targets: stands beside target; one of the two is enough',
  ],
  ['no targets at all', 'upstreams: { a: { targets: [] } }\n', /^1:28 upstreams.a.targets: must be a list of 1 to 64/],
  [
    'targets with different base paths',
    'upstreams: { a: { targets: ["http://a/x", { url: "http://b/y" }] } }\n',
    '1:43 upstreams.a.targets[1]: must have the same base path as the first target: /x',
  ],
  [
    'the same target twice',
    'upstreams: { a: { targets: ["http://a:80/x/", "http://A/x"] } }\n',
    '1:47 upstreams.a.targets[1]: stands in this list already',
  ],
  [
    'the bundled service beside another one',
    'upstreams: { a: { targets: ["builtin:backend", "http://a"] } }\n',
    '1:29 upstreams.a.targets[0]: is the bundled service, which stands alone',
  ],
  [
    'a target without weight',
    'upstreams: { a: { targets: [{ url: "http://a", weight: 0 }, "http://b"] } }\n',
    /^1:56 upstreams.a.targets\[0\].weight: must be a whole number from 1 to 100/,
  ],
  [
    'a target in the middle of a list that is none',
    'upstreams: { a: { targets: ["http://a", { url: "ftp://b" }] } }\n',
    /^1:48 upstreams.a.targets\[1\].url: must be http/,
  ],
  [
    'a relative socket',
    'upstreams: { a: { target: "unix:a.sock" } }\n',
    /^1:27 upstreams.a.target: must be unix:\/path/,
  ],
  [
    'a socket by a path that the kernel would cut',
    `upstreams: { a: { target: "unix:/${'a'.repeat(107)}" } }\n`,
    '1:27 upstreams.a.target: must name a socket by 107 bytes at most',
  ],
  [
    'a socket with an encoded base path',
    'upstreams: { a: { target: "unix:/run/a.sock:/%61" } }\n',
    /^1:27 upstreams.a.target: must have a plain base path/,
  ],
  ['balance by a hash of nothing', 'upstreams: { a: { target: "http://a", balance: hash } }\n', /^1:14 .*needs "hash"/],
  [
    'a hash that nothing balances by',
    'upstreams: { a: { target: "http://a", hash: tenant } }\n',
    '1:39 upstreams.a.hash: belongs to balance: hash',
  ],
  [
    'a check of no path',
    'upstreams: { a: { target: "http://a", health: { path: "healthz" } } }\n',
    /^1:55 upstreams.a.health.path: must be a path/,
  ],
  [
    'a check that overtakes itself',
    'upstreams: { a: { target: "http://a", health: { path: /h, every: 1s, timeout: 2s } } }\n',
    '1:79 upstreams.a.health.timeout: must not be longer than health.every',
  ],
  [
    'a check that overtakes itself by what is left out',
    'upstreams: { a: { target: "http://a", health: { path: /h, every: 1s } } }\n',
    /health.timeout: must not be longer than health.every; it is 2s when left out$/,
  ],
  [
    'more than all targets left out',
    'upstreams: { a: { target: "http://a", eject: { max: 101% } } }\n',
    /^1:53 upstreams.a.eject.max: must be a whole number of percent from 1% to 100%/,
  ],
  [
    'P3 a retry after what was received',
    'upstreams: { a: { target: "http://a", retry: { when: [timeout] } } }\n',
    /^1:55 upstreams.a.retry.when\[0\]: must be one of connect, reset, 502, 503, 504/,
  ],
  [
    'a key without its certificate',
    'upstreams: { a: { target: "https://a", key: "-----BEGIN PRIVATE KEY-----" } }\n',
    /^1:14 upstreams.a: needs "cert": the certificate of key/,
  ],
  [
    'a key that is none, which is not shown',
    'upstreams: { a: { target: "https://a", key: hunter2 } }\n',
    '1:45 upstreams.a.key: must be a private key in PEM; not the value',
  ],
  [
    'a name that no certificate can have',
    'upstreams: { a: { target: "https://a", serverName: "a b" } }\n',
    '1:52 upstreams.a.serverName: must be the name of a host, such as service.internal',
  ],
  [
    'authorities for plain HTTP',
    'upstreams: { a: { target: "http://a", ca: "-----BEGIN CERTIFICATE-----x-----END CERTIFICATE-----" } }\n',
    /ca: belongs to an https target/,
  ],
  [
    'authorities that are none',
    'upstreams: { a: { target: "https://a", ca: nonsense } }\n',
    /ca: must be certificates in PEM, or file:\/path of a file with them; not "nonsense"$/,
  ],
  [
    'authorities that cannot be parsed',
    'upstreams: { a: { target: "https://a", ca: "-----BEGIN CERTIFICATE-----AAAA-----END CERTIFICATE-----" } }\n',
    /ca: must be certificates in PEM, or file:\/path of a file with them$/,
  ],
  [
    'a limit of nothing',
    'limits: { a: { by: address } }\ndefaults: { limits: [], tokenLimits: [] }\n',
    '1:11 limits.a: needs a rate or a quota',
  ],
  [
    'a limit of both kinds',
    'limits: { a: { by: address, rate: 1/s, quota: 9/h } }\ndefaults: { limits: [], tokenLimits: [] }\n',
    /^1:40 limits.a.quota: a limit is a rate or a quota/,
  ],
  [
    'a burst of a quota',
    'limits: { a: { by: address, quota: 9/h, burst: 2 } }\ndefaults: { limits: [], tokenLimits: [] }\n',
    '1:41 limits.a.burst: a burst belongs to a rate',
  ],
  [
    'a limit by something unknown',
    'limits: { a: { by: adress, rate: 1/s } }\ndefaults: { limits: [], tokenLimits: [] }\n',
    /^1:20 limits.a.by: must be one of .*not "adress"; did you mean "address"\?$/,
  ],
  [
    'an unknown default limit',
    'defaults: { limits: [tenants] }\n',
    '1:22 defaults.limits[0]: there is no limit "tenants"; did you mean "tenant"?',
  ],
  [
    'a limit named twice',
    'defaults: { limits: [tenant, tenant] }\n',
    '1:30 defaults.limits[1]: "tenant" stands in this list already',
  ],
  [
    'a default limit by another name, beside limits of the file',
    'limits: { mine: { by: address, rate: 1/s } }\ndefaults: { limits: [mine, tenants] }\n',
    '2:28 defaults.limits[1]: there is no limit "tenants"; did you mean "tenant"?',
  ],
]

const CATALOGUE: readonly Case[] = [
  [
    'a permission that is a word of the protocol',
    'permissions: { OpenID: { describe: A } }\n',
    /^1:16 permissions.OpenID: is a word of the protocol/,
  ],
  ['a permission without description', 'permissions: { a: {} }\n', /^1:16 permissions.a: needs "describe": /],
  [
    'a permission of an unknown kind',
    'permissions: { a: { describe: A, kinds: [app] } }\n',
    /^1:42 permissions.a.kinds\[0\]: must be one of application, delegated; not "app"/,
  ],
  [
    'a permission of no kind',
    'permissions: { a: { describe: A, kinds: [] } }\n',
    /^1:41 permissions.a.kinds: must be a list of/,
  ],
  [
    'a permission for everybody that nobody must grant',
    'permissions: { a.All: { describe: A, adminConsent: false } }\n',
    /always needs an administrator$/,
  ],
  [
    'covering what is not there',
    'permissions: { a.Write: { describe: A, covers: [a.Raed] }, a.Read: { describe: A } }\n',
    /^1:49 permissions\["a.Write"\].covers\[0\]: there is no permission "a.Raed"; did you mean "a.Read"\?$/,
  ],
  ['covering itself', 'permissions: { a: { describe: A, covers: [a] } }\n', /does not cover itself$/],
  [
    'covering across kinds',
    'permissions: { a: { describe: A, kinds: [application], covers: [b] }, b: { describe: B, kinds: [delegated] } }\n',
    /no kind in common$/,
  ],
  [
    'a resource that is not a URI',
    'resources: { r: { id: assets, name: R } }\n',
    /^1:23 resources.r.id: must be an absolute URI/,
  ],
  [
    'a resource with a fragment',
    'resources: { r: { id: "https://a.example#b", name: R } }\n',
    /must have neither query nor fragment$/,
  ],
  [
    'a resource that ends with a slash',
    'resources: { r: { id: "https://a.example/", name: R } }\n',
    /must not end with a slash$/,
  ],
  [
    'a resource that is the own API',
    'resources: { r: { id: "https://localhost:8443/api/v2", name: R } }\n',
    /is the identifier of "Portcullis" already$/,
  ],
]

for (const [kind, cases] of Object.entries({ SYNTAX, SHAPE, MEANING, CATALOGUE })) {
  t.test(`does not load (${kind.toLowerCase()}), and says one thing about it`, async (t) => {
    for (const [title, text, expected] of cases) {
      const mistakes = mistakesOf(t, text)
      t.equal(mistakes.length, 1, `${title}: one mistake, ${JSON.stringify(mistakes)}`)
      t.match(mistakes[0], expected, title)
    }
  })
}

t.test('a mistake of syntax does not hide others, nor makes what it swallowed look missing', async (t) => {
  const mistakes = mistakesOf(
    t,
    `mode: prodction\n${BASE}routes:\n  GET /a: { to: backend, require: P.Read }\nlog: { level: "info }\n`,
  )
  t.match(mistakes[0], '1:7 mode: must be one of development, production')
  t.match(mistakes.at(-1), /closing quote|indentation/)
  t.equal(mistakes.filter((mistake) => /there is no|needs/.test(mistake)).length, 0, JSON.stringify(mistakes))
})

t.test('a definition that is wrong does not make its uses wrong too', async (t) => {
  const text = `permissions: { P.Read: 5 }
upstreams: { backend: 6 }
routes: { GET /a: { to: backend, require: P.Read } }
`
  t.match(mistakesOf(t, text), [
    /^1:24 permissions\["P.Read"\]: must be a group/,
    /^2:23 upstreams.backend: must be a group/,
  ])
  t.equal(mistakesOf(t, text).length, 2)
})

t.test('a file that cannot be read is one mistake at its beginning', async (t) => {
  const { loadSettings } = await import('../../src/config/read/load.js')
  const folder = t.testdir({ 'latin1.yaml': Buffer.from([0x6d, 0xff, 0xfe]) })
  t.throws(() => loadSettings({ file: 'nowhere.yaml', env: {}, cwd: folder }), {
    message: 'nowhere.yaml:1:1 there is no such file',
  })
  t.throws(() => loadSettings({ file: '.', env: {}, cwd: folder }), { message: '.:1:1 this is a folder, not a file' })
  t.throws(() => loadSettings({ file: 'latin1.yaml', env: {}, cwd: folder }), {
    message: 'latin1.yaml:1:1 the file is not UTF-8',
  })
})

t.test('a key of the file cannot make a terminal do anything', async (t) => {
  const [mistake] = mistakesOf(t, '"\\e[31mred\\n": 1\n')
  t.notMatch(mistake, /[\u0000-\u001f]/)
})

t.test('a manifest is held to the same: every mistake at once, with its place, in YAML and in JSON', async (t) => {
  const wrongIn = (text: string) => {
    try {
      readManifests(text, 'm')
    } catch (error) {
      if (error instanceof ConfigurationErrors) return error.message.split('\n')
      throw error
    }
    return []
  }
  t.same(wrongIn('name: a\ntype: web\n'), [])
  t.same(readManifests('---\nname: a\ntype: web\n---\nname: b\ntype: native\n---\n', 'm').length, 2)
  t.same(readManifests('[{"name": "a", "type": "web"}]', 'm'), [{ name: 'a', type: 'web' }])
  const text = 'name: a\ntype: wob\nredirectUri: []\n---\nname: ${NAME}\nrequirePkce: "yes"\n---\n- 7\n'
  t.match(wrongIn(text), [
    /^m:2:7 \[0\]\.type: must be one of web, native; not "wob"; did you mean "web"\?$/,
    /^m:3:1 \[0\]\.redirectUri: there is no such setting; did you mean "redirectUris"\?$/,
    /^m:5:1 \[1\]: needs "type"/,
    /^m:5:7 \[1\]\.name: no references are resolved in this file/,
    /^m:6:14 \[1\]\.requirePkce: must be true or false; not "yes"$/,
    /^m:8:3 \[2\]\[0\]: must describe an application/,
  ])
  t.match(wrongIn('{"name": "a", "name": "b", "type": "web"}'), [/^m:1:15 name: stands here twice/])
  t.match(wrongIn('name: a\ntype: web\n---\nname: a\ntype: web\n'), [/^m:4:7 \[1\]\.name: two applications/])
  t.match(wrongIn('name: a\ntype: web\n---\nname: [\n'), [/^m:/])
  t.match(wrongIn(''), [/describes no application/])
  t.equal(wrongIn('a: &a [x, x]\nb: &b [*a, *a]\n').length, 4)
})

const ISSUER = `permissions: { A: { describe: A } }
resources: { assets: { id: "https://assets.example.com", name: Assets, permissions: { read: { describe: Read } } } }
upstreams: { up: { target: "http://up:3000" } }
defaults: { limits: [], tokenLimits: [] }
limits: {}
`
const entra = {
  issuer: 'https://login.example/v2.0',
  audience: 'api://gate',
  acts: 'user',
  tenant: '9b2c51d4-1a77-4bb7-9b0f-6f6f5d4c3b02',
  permissions: { scp: { read: 'A' } },
}
/** Flow style from line 6 on: JSON is YAML. */
const withIssuers = (issuers: object, routes: object = {}, more = '') =>
  `${ISSUER}issuers: ${JSON.stringify(issuers)}\nroutes: ${JSON.stringify(routes)}\n${more}`

t.test('J6 an issuer outside that is not said exactly does not load', async (t) => {
  t.same(mistakesOf(t, withIssuers({ entra })), [])
  t.same(mistakesOf(t, withIssuers({ entra: { ...entra, audience: ['a', 'b'], typ: 'at+jwt', leeway: '5s' } })), [])
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: 'x', kid: 'k' }
  const pinned = (...keys: object[]) => ({ ...entra, issuer: 'realm', pinned: JSON.stringify({ keys }) })
  t.same(mistakesOf(t, withIssuers({ entra: pinned(jwk) }, {}, 'federation: { fetch: false }\n')), [])
  const cases: [string, object, RegExp][] = [
    ['ours', { ...entra, issuer: 'https://localhost:8443' }, /issuers\.entra\.issuer: is this server itself$/],
    ['nowhere', { ...entra, issuer: 'realm' }, /issuer: is no https address, so its keys need a place/],
    ['keys in plain', { ...entra, jwks: 'http://login.example/keys' }, /jwks: must be an https address$/],
    ['fetched and pinned', { ...pinned(jwk), jwks: 'https://login.example/keys' }, /pinned: says the opposite of jwks/],
    ['a private key', pinned({ ...jwk, d: 'd' }), /pinned: must be a JSON Web Key Set of public keys/],
    ['a secret', pinned({ kty: 'oct', k: 'k', kid: 'k' }), /pinned: must be a JSON Web Key Set of public keys/],
    ['no key set', { ...entra, pinned: '[' }, /pinned: must be a JSON Web Key Set of public keys/],
    ['J1 an algorithm of secrets', { ...entra, algorithms: ['HS256'] }, /algorithms/],
    ['J1 no signature', { ...entra, algorithms: ['none'] }, /algorithms/],
    ['no algorithm', { ...entra, algorithms: [] }, /algorithms/],
    ['no audience', { ...entra, audience: [] }, /audience/],
    ['whose tokens', { ...entra, acts: undefined }, /needs "acts"/],
    ['no tenant', { ...entra, tenant: undefined }, /needs "tenant"/],
    ['a tenant by name', { ...entra, tenant: 'blue' }, /tenant: must be a tenantId/],
    [
      'one of its tenants',
      { ...entra, tenant: { claim: 'tid', values: { a: 'b' } } },
      /tenant\.values\.a: must be a tenantId/,
    ],
    ['a permission', { ...entra, permissions: { scp: { read: ['B'] } } }, /there is no permission "B"/],
    ['of another resource', { ...entra, resource: 'assets' }, /there is no permission "A"/],
    ['a resource', { ...entra, resource: 'asets' }, /there is no resource "asets"; did you mean "assets"\?$/],
    ['a leeway', { ...entra, leeway: '1h' }, /leeway: must be a duration/],
  ]
  for (const [title, one, expected] of cases) t.match(mistakesOf(t, withIssuers({ entra: one }))[0], expected, title)
  const secret = { ...entra, permissions: { scp: { read: '${VALUE}', write: ['A', '${VALUE}'] } } }
  t.strictSame(
    mistakesOf(t, withIssuers({ entra: secret }), { VALUE: 'hidden-value' }).filter((line) => line.includes('hidden')),
    [],
    'what the environment says is in no message',
  )
  t.match(mistakesOf(t, withIssuers({ own: entra })), [/issuers\.own: is what routes call the tokens of this server$/])
  t.match(mistakesOf(t, withIssuers({ a: entra, b: entra })), [/issuers\.b\.issuer: is that of "a" already$/])
  t.match(mistakesOf(t, withIssuers({ entra }, {}, 'federation: { fetch: false }\n')), [/cannot be fetched while/])
})

t.test('a route takes tokens of issuers that there are, for its resource', async (t) => {
  const assets = { ...entra, issuer: 'https://a.example', resource: 'assets', permissions: { scp: { read: 'read' } } }
  const mistakes = (route: object) =>
    mistakesOf(t, withIssuers({ entra, assets }, { 'GET /x': { to: 'up', require: 'A', ...route } }))
  t.same(mistakes({ issuers: ['own', 'entra'] }), [])
  t.same(mistakes({ issuers: ['assets'], resource: 'assets', require: 'read' }), [])
  t.match(mistakes({ issuers: ['entar'] }), [/issuers\[0\]: there is no issuer "entar"; did you mean "entra"\?$/])
  t.match(mistakes({ issuers: ['own', 'assets'] }), [/issuers\[1\]: "assets" is for the routes of another resource$/])
  t.match(mistakes({ issuers: [] }), [/issuers/])
  t.match(mistakes({ issuers: ['entra'], require: undefined, public: true }), [/means nothing on a public route/])
})

t.test('a route costs no more than its limits ever let through at once', async (t) => {
  const limits = {
    quota: { by: 'tenant', quota: '10/h' },
    rate: { by: 'tenant', rate: '100/s', burst: 8, mode: 'local' },
    leased: { by: 'tenant', rate: '100/s', burst: 8, mode: 'leased' },
  }
  const mistakes = (cost: number, name: string) => {
    const route = { to: 'up', require: 'A', cost, limits: [name] }
    const text = ISSUER.replace('limits: {}\n', `limits: ${JSON.stringify(limits)}\n`)
    return mistakesOf(t, `${text}routes: ${JSON.stringify({ 'GET /x': route })}\nredis: { url: "redis://127.0.0.1" }\n`)
  }
  for (const [name, most, enough] of [
    ['quota', 10, 'quota of 11'],
    ['rate', 8, 'burst of 9'],
    ['leased', 6, 'burst of 10'],
  ] as const) {
    t.same(mistakes(most, name), [], name)
    const what = `cost: is more than the limit "${name}" ever lets through at once, which is ${most}`
    const remedy = `give limits.${name} a ${enough} or more, lower this cost, or leave the limit out here`
    t.match(mistakes(most + 1, name), [new RegExp(`${what}; ${remedy}$`)])
  }
  for (const burst of [9, 10]) {
    limits.leased.burst = burst
    t.equal(mistakes(7, 'leased').length, burst === 10 ? 0 : 1, 'what it names is enough, and no less is')
  }
})

t.test('a role that may do more is not guarded less by a second factor', async (t) => {
  const [mistake, ...others] = mistakesOf(t, 'signIn: { secondFactor: { developer: required, owner: required } }\n')
  t.match(mistake, /signIn\.secondFactor\.administrator: must be required, because developer is, who may do less/)
  t.same(others, [])
  const all =
    'signIn: { secondFactor: { developer: required, administrator: required, owner: required, grace: 14d } }\n'
  t.same(mistakesOf(t, all), [])
})
