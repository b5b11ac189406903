// The decision: a permission is (kind, resource, id), what is not required by name is refused, and a refusal helps.

import t from 'tap'
import { compileRequirement, decide } from '../../src/access/decide.js'
import { describeMissing } from '../../src/access/missing-permission.js'
import type { TokenPrincipal } from '../../src/access/principal.js'
import { createCovering } from '../../src/config/routes/permission-closure.js'
import type { Catalogue, PermissionDefinition } from '../../src/config/settings/settings.js'
import type { Installation, PermissionKind, PermissionRef, Registration } from '../../src/directory/records.js'
import { commandLineClient } from '../../src/oauth/command-line-client.js'
import { applicationId, issuer, nowSeconds, resource, tenantId, userId } from '../support/tokens/tokens-forge.js'

const reports = 'https://reports.example'

function definition(id: string, changes: Partial<PermissionDefinition> = {}): PermissionDefinition {
  const kinds = ['application', 'delegated'] as const
  return {
    id,
    resource,
    kinds,
    describe: '',
    adminConsent: id.endsWith('.All'),
    role: 'member',
    covers: [],
    ...changes,
  }
}

const permissions = [
  definition('User.Read', { kinds: ['delegated'] }),
  definition('User.Read.All'),
  definition('User.ReadWrite.All', { covers: ['User.Read.All'] }),
  definition('Directory.All', { covers: ['User.ReadWrite.All'] }),
  definition('Report.Read'),
  definition('Report.Write'),
  definition('Daemon.Run', { kinds: ['application'] }),
  definition('User.Read.All', { resource: reports }),
]

const own = { id: resource, name: 'own', own: true }
const catalogue: Catalogue = {
  own,
  language: 'en',
  resources: new Map([
    [resource, own],
    [reports, { id: reports, name: 'reports', own: false }],
  ]),
  permissions,
  find: (kind, of, id) => permissions.find((one) => one.resource === of && one.id === id && one.kinds.includes(kind)),
  resourcesOf: (id) => permissions.filter((one) => one.id === id).map((one) => one.resource),
  satisfying: createCovering(permissions),
}

function caller(kind: PermissionKind, held: readonly string[], changes: Partial<TokenPrincipal> = {}): TokenPrincipal {
  const common = {
    ...{
      applicationId,
      tenantId,
      resource,
      permissions: new Set(held),
      issuedAt: nowSeconds,
      expiresAt: nowSeconds + 3600,
    },
    ...{ jti: 'jti', credentialId: 'k1', seq: 7 },
  }
  const principal = kind === 'application' ? { kind, ...common } : { kind, ...common, userId, grantId: 'grant-1' }
  return { ...principal, ...changes } as TokenPrincipal
}

const compile = (...anyOf: string[][]) => compileRequirement(catalogue, resource, { anyOf })
const readUsers = compile(['User.Read.All'])

t.test('a caller with the permission passes, and the upstream hears of that permission alone', async (t) => {
  const held = ['Report.Read', 'User.Read.All', 'Daemon.Run']
  t.same(decide(caller('application', held), readUsers), { allowed: true, permissions: ['User.Read.All'] })
  t.same(decide(caller('delegated', held), readUsers), { allowed: true, permissions: ['User.Read.All'] })
})

t.test('J13 without the permission the answer is no, for every caller', async (t) => {
  const missing = (kind: PermissionKind) => ({ allowed: false, missing: { kind, resource, id: 'User.Read.All' } })
  for (const kind of ['application', 'delegated'] as const) {
    for (const held of [
      [],
      [''],
      ['User.Read'],
      ['user.read.all'],
      ['User.Read.All '],
      ['User.Read.All.Too'],
      ['Report.Read'],
      ['*'],
    ]) {
      t.same(decide(caller(kind, held), readUsers), missing(kind), JSON.stringify(held))
    }
  }
})

t.test('J13 a route that requires nothing, or what does not exist, cannot be compiled', async (t) => {
  for (const anyOf of [[], [[]], [['User.Read.All'], []]]) {
    t.throws(() => compileRequirement(catalogue, resource, { anyOf }), { message: /must name a permission/ })
  }
  for (const id of ['Nothing', 'user.read.all', '', 'User.Read.All ', '__proto__']) {
    t.throws(() => compile([id]), { message: /has no permission/ }, JSON.stringify(id))
  }
  t.throws(() => compileRequirement(catalogue, reports, { anyOf: [['Report.Read']] }), { message: /has no permission/ })
})

t.test('an id of another resource is another permission', async (t) => {
  const held = ['User.Read.All']
  const elsewhere = caller('application', held, { resource: reports })
  t.match(decide(elsewhere, readUsers), { allowed: false })
  const readReports = compileRequirement(catalogue, reports, { anyOf: [['User.Read.All']] })
  t.match(decide(elsewhere, readReports), { allowed: true })
  t.match(decide(caller('application', held), readReports), { allowed: false })
  t.match(decide(caller('application', ['User.ReadWrite.All'], { resource: reports }), readReports), { allowed: false })
})

t.test(
  'the kind decides: what only a user may have is not open to an application that holds the same id',
  async (t) => {
    const self = compile(['User.Read'])
    t.same(decide(caller('delegated', ['User.Read']), self), { allowed: true, permissions: ['User.Read'] })
    const missing = { kind: 'delegated', resource, id: 'User.Read' }
    t.same(decide(caller('application', ['User.Read']), self), { allowed: false, missing })
    const daemon = compile(['Daemon.Run'])
    t.match(decide(caller('application', ['Daemon.Run']), daemon), { allowed: true })
    t.match(decide(caller('delegated', ['Daemon.Run']), daemon), { allowed: false, missing: { kind: 'application' } })
  },
)

t.test('of alternatives any is enough, of a list all are needed', async (t) => {
  const either = compile(['User.Read.All'], ['User.Read'])
  t.same(decide(caller('delegated', ['User.Read']), either), { allowed: true, permissions: ['User.Read'] })
  t.same(decide(caller('delegated', ['User.Read.All']), either), { allowed: true, permissions: ['User.Read.All'] })
  t.match(decide(caller('application', ['User.Read']), either), { allowed: false })
  const both = compile(['Report.Read', 'Report.Write'])
  t.match(decide(caller('application', ['Report.Read']), both), { allowed: false, missing: { id: 'Report.Write' } })
  t.match(decide(caller('application', ['Report.Write']), both), { allowed: false, missing: { id: 'Report.Read' } })
  const allowed = { allowed: true, permissions: ['Report.Read', 'Report.Write'] }
  t.same(decide(caller('application', ['Report.Write', 'Report.Read', 'Daemon.Run']), both), allowed)
  const covering = compile(['User.Read.All', 'User.ReadWrite.All'])
  t.same(decide(caller('application', ['Directory.All']), covering), { allowed: true, permissions: ['Directory.All'] })
})

t.test(
  'a permission that covers another opens its routes, in its own kind, and never the other way round',
  async (t) => {
    for (const id of ['User.ReadWrite.All', 'Directory.All']) {
      t.same(decide(caller('application', [id]), readUsers), { allowed: true, permissions: [id] })
    }
    t.match(decide(caller('application', ['User.Read.All']), compile(['User.ReadWrite.All'])), { allowed: false })
    const several = caller('application', ['Directory.All', 'User.ReadWrite.All', 'User.Read.All'])
    t.same(decide(several, readUsers), { allowed: true, permissions: ['User.Read.All'] }, 'the least of those held')
  },
)

t.test('J14 a refusal names the least of the alternatives, whatever order they are written in', async (t) => {
  const leastFor = (kind: PermissionKind, ...anyOf: string[][]) => {
    const decision = decide(caller(kind, []), compile(...anyOf))
    return decision.allowed ? 'allowed' : `${decision.missing.kind} ${decision.missing.id}`
  }
  t.equal(leastFor('delegated', ['User.Read.All'], ['User.Read']), 'delegated User.Read', 'no administrator needed')
  t.equal(leastFor('delegated', ['User.Read'], ['User.Read.All']), 'delegated User.Read')
  t.equal(
    leastFor('application', ['User.Read'], ['User.Read.All']),
    'application User.Read.All',
    'the one that it can have',
  )
  t.equal(
    leastFor('application', ['Directory.All'], ['User.ReadWrite.All'], ['User.Read.All']),
    'application User.Read.All',
  )
  t.equal(
    leastFor('application', ['Report.Read', 'Report.Write'], ['User.Read.All']),
    'application User.Read.All',
    'the shorter list',
  )
  t.equal(leastFor('application', ['Report.Write'], ['Report.Read']), 'application Report.Write', 'else the first')
})

t.test('the local socket may do everything and lends no permission', async (t) => {
  t.same(decide({ kind: 'local' }, readUsers), { allowed: true, permissions: [] })
})

/** A directory that knows one application. */
function directoryWith(configured: readonly PermissionRef[], granted: Installation['granted'] | undefined) {
  const registration = { applicationId, tenantId, configured } as unknown as Registration
  return {
    findRegistration: async (id: string) => (id === applicationId ? registration : undefined),
    findInstallation: async (application: string, tenant: string) =>
      application === applicationId && tenant === tenantId && granted !== undefined
        ? { applicationId, tenantId, granted }
        : undefined,
  }
}

t.test('a missing permission is described by how far it got', async (t) => {
  const missing: PermissionRef = { kind: 'application', resource, id: 'User.Read.All' }
  const grantedAt = (ms: number) => [{ ...missing, grantedAt: ms, grantedBy: 'x' }]
  const issuedMs = nowSeconds * 1000
  const cases: [string, PermissionRef[], Installation['granted'] | undefined, RegExp][] = [
    ['not_configured', [], undefined, /not configured/],
    ['not_configured', [], grantedAt(1), /not configured/],
    ['not_configured', [{ ...missing, kind: 'delegated' }], grantedAt(1), /not configured/],
    ['not_configured', [{ ...missing, resource: reports }], grantedAt(1), /not configured/],
    ['not_consented', [missing], undefined, /no administrator/],
    ['not_consented', [missing], [], /no administrator/],
    [
      'not_consented',
      [missing],
      grantedAt(1).map((one) => ({ ...one, kind: 'delegated' as const })),
      /no administrator/,
    ],
    ['not_consented', [missing], grantedAt(1).map((one) => ({ ...one, resource: reports })), /no administrator/],
    ['not_requested', [missing], grantedAt(issuedMs), /did not ask for/],
    ['consented_after_issue', [missing], grantedAt(issuedMs + 1), /after this token was issued/],
  ]
  for (const [status, configured, granted, message] of cases) {
    const deps = { directory: directoryWith(configured, granted), consentsOf: async () => [], baseUrl: issuer }
    const described = await describeMissing(deps, caller('application', []), missing)
    t.match(described, { status, message }, status)
    t.match(described.message, /application permission User\.Read\.All/)
    const uri = new URL(described.consentUri)
    t.equal(uri.origin, issuer)
    t.equal(uri.searchParams.get('client_id'), applicationId)
    t.equal(uri.searchParams.get('tenant'), tenantId)
    t.equal(uri.searchParams.get('scope'), `${resource}/User.Read.All`)
  }
})

t.test('of the command line’s own application, which nobody changes, the refusal says what works', async (t) => {
  const deps = { directory: directoryWith([], undefined), consentsOf: async () => [], baseUrl: issuer }
  const missing: PermissionRef = { kind: 'delegated', resource, id: 'Posts.Read' }
  const principal = { ...caller('delegated', []), applicationId: commandLineClient.applicationId }
  const { message } = await describeMissing(deps, principal, missing)
  t.match(message, /portcullis call --client-id ID --client-secret-file FILE, or --app NAME/)
  t.notMatch(message, /Add it to the API permissions/)
})

t.test('what a client that nobody registered cannot be given is out of its reach, and no step on a way', async (t) => {
  const missing: PermissionRef = { kind: 'delegated', resource, id: 'User.Read.All' }
  const open: PermissionRef = { kind: 'delegated', resource, id: 'User.Read' }
  const plain = directoryWith([open], [])
  const document = { url: 'https://agent.example/c', clientName: '', digest: '', fetchedAt: 0, isStored: true }
  const findRegistration = async (id: string) => {
    const found = await plain.findRegistration(id)
    return found === undefined ? undefined : { ...found, document }
  }
  const deps = { directory: { ...plain, findRegistration }, consentsOf: async () => [], baseUrl: issuer }
  const described = await describeMissing(deps, caller('delegated', []), missing)
  t.match(described, { status: 'not_configured', message: /not open to clients that nobody/ })
  t.not((await describeMissing(deps, caller('delegated', []), open)).status, 'not_configured')
  const registered = await describeMissing({ ...deps, directory: plain }, caller('delegated', []), missing)
  t.match(registered.message, /Add it to the API permissions/, 'its developer can have it configured')
})

t.test('a missing permission of the other kind is said to be for the other kind of caller', async (t) => {
  const deps = { directory: directoryWith([], undefined), consentsOf: async () => [], baseUrl: issuer }
  const forUsers: PermissionRef = { kind: 'delegated', resource, id: 'User.Read' }
  t.match((await describeMissing(deps, caller('application', []), forUsers)).message, /signed-in user/)
  const forDaemons: PermissionRef = { kind: 'application', resource, id: 'Daemon.Run' }
  t.match((await describeMissing(deps, caller('delegated', []), forDaemons)).message, /act as themselves/)
})

t.test('of a delegated permission, what the person allowed counts beside what an administrator did', async (t) => {
  const missing: PermissionRef = { kind: 'delegated', resource, id: 'User.Read.All' }
  const issuedMs = nowSeconds * 1000
  const cases: [string, number | undefined, RegExp][] = [
    ['not_consented', undefined, /neither this user nor an administrator/],
    ['not_requested', issuedMs, /authorization request/],
    ['consented_after_issue', issuedMs + 1, /new token/],
  ]
  for (const [status, grantedAt, message] of cases) {
    const queries: object[] = []
    const consentsOf = async (about: object) => {
      queries.push(about)
      return grantedAt === undefined ? [] : [{ ...missing, grantedAt }]
    }
    const deps = { directory: directoryWith([missing], []), consentsOf, baseUrl: issuer }
    t.match(await describeMissing(deps, caller('delegated', []), missing), { status, message })
    t.match(queries, [{ applicationId, tenantId }])
  }
})
