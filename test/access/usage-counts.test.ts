// What tokens count in: one object for those of an application that the same permissions let pass.

import t from 'tap'
import type { TokenPrincipal } from '../../src/access/principal.js'
import { createUsageCounts } from '../../src/access/usage-counts.js'
import type { CountedCalls } from '../../src/access/usage-sums.js'

const route = { id: 'GET /things' }

function principal(changes: Partial<TokenPrincipal> = {}): TokenPrincipal {
  const common = { applicationId: 'app', tenantId: 'tenant', resource: 'https://things.test', uses: undefined }
  return { kind: 'application', ...common, ...changes } as TokenPrincipal
}

function counts() {
  const gathered: CountedCalls[] = []
  const made = createUsageCounts({
    now: () => 86_400_000,
    onDropped: () => undefined,
    onGathered: (calls) => void gathered.push({ ...calls }),
  })
  return { ...made, gathered }
}

t.test('tokens that are new leave one count for all of them, and each call is in it', async (t) => {
  const { allowed, gather, take, gathered } = counts()
  for (let i = 0; i < 500; i += 1) {
    const call = allowed(principal(), route, ['read'])
    if (i % 5 === 0) call.failed(500)
  }
  gather()
  t.equal(gathered.length, 1)
  t.match(gathered[0], { allowed: 500, serverErrors: 100, permissions: ['read'], routeId: 'GET /things' })
  allowed(principal(), route, ['read'])
  const rows = take()
  t.match(rows?.routes, [{ allowed: 501, server_errors: 100 }])
  t.match(rows?.permissions, [{ permission_id: 'read', uses: 501 }])
  t.equal(take(), undefined)
})

t.test('whatever rows are told apart by is counted apart', async (t) => {
  const { allowed, refused, take } = counts()
  allowed(principal(), route, ['read'])
  allowed(principal(), route, ['read', 'write'])
  allowed(principal(), { id: 'GET /others' }, ['read'])
  allowed(principal({ tenantId: 'other' }), route, ['read'])
  allowed(principal({ applicationId: 'other' }), route, ['read'])
  allowed(principal({ resource: 'https://others.test' }), route, ['read'])
  allowed(principal({ kind: 'delegated' }), route, ['read'])
  refused(principal(), route.id, 403)
  const rows = take()
  const permissions = rows?.permissions.map((row) => [
    row.application_id,
    row.tenant_id,
    row.kind,
    row.resource.slice(8, 14),
    row.permission_id,
    row.uses,
  ])
  t.same(permissions, [
    ['app', 'tenant', 'application', 'things', 'read', 3],
    ['app', 'tenant', 'application', 'things', 'write', 1],
    ['app', 'other', 'application', 'things', 'read', 1],
    ['other', 'tenant', 'application', 'things', 'read', 1],
    ['app', 'tenant', 'application', 'others', 'read', 1],
    ['app', 'tenant', 'delegated', 'things', 'read', 1],
  ])
  t.same(
    rows?.routes.map(({ application_id, tenant_id, route, allowed, not_permitted }) => [
      application_id,
      tenant_id,
      route,
      allowed,
      not_permitted,
    ]),
    [
      ['app', 'tenant', 'GET /things', 4, 1],
      ['app', 'tenant', 'GET /others', 1, 0],
      ['app', 'other', 'GET /things', 1, 0],
      ['other', 'tenant', 'GET /things', 1, 0],
    ],
  )
})

t.test('more callers than are remembered are counted all the same', async (t) => {
  const { allowed, take } = counts()
  const first = principal({ applicationId: 'first' })
  allowed(first, route, ['read'])
  for (let i = 0; i < 12_000; i += 1) allowed(principal({ applicationId: `app-${i}` }), route, ['read'])
  allowed(first, route, ['read'])
  allowed(principal({ applicationId: 'first' }), route, ['read'])
  const rows = take()
  t.equal(rows?.routes.length, 12_001)
  t.equal(rows?.routes.find((row) => row.application_id === 'first')?.allowed, 3)
})
