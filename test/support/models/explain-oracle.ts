// What the contract says of a call, written down a second time: plain data about who there is, and one function from
// that to the answer. It knows nothing of the product; anyone who changes a rule there changes it here, or the two
// disagree.

export type Kind = 'application' | 'delegated'

export interface ModelRoute {
  id: string
  resource: string
  /** By method: `public`, or lists of permissions of which one is enough, least first, for each kind of caller. */
  needs: Readonly<Record<string, 'public' | Readonly<Record<Kind, readonly (readonly string[])[]>>>>
  limits: readonly string[]
  bodyBytes: number
  passesStale: boolean
}

export interface ModelPolicy {
  by: 'address' | 'application' | 'tenant' | 'user'
  limit: number
}

export interface ModelApplication {
  id: string
  type: 'web' | 'native'
  home: string
  anyTenant: boolean
  hasSecret: boolean
  disabled: boolean
  revokedAt: number
  /** `kind resource id`. */
  configured: ReadonlySet<string>
  /** By tenant: what administrators consented to, and when. A tenant that is here has it installed. */
  granted: Map<string, Map<string, number>>
}

export interface ModelUser {
  id: string
  disabled: boolean
  revokedAt: number
  /** 0 member, 1 developer, 2 administrator, by tenant. */
  roles: Map<string, number>
  /** What they allowed by themselves, by `application tenant`. */
  consents: Map<string, Map<string, number>>
}

export interface ModelToken {
  text: string
  jti: string
  kind: Kind
  application: ModelApplication
  tenant: string
  user: ModelUser | undefined
  resource: string
  permissions: ReadonlySet<string>
  issuedAt: number
  endsMs: number
  isRevoked: boolean
  isGrantRevoked: boolean
}

export interface Model {
  routes: readonly ModelRoute[]
  policies: Readonly<Record<string, ModelPolicy>>
  own: string
  /** Ids that stand for another one. */
  covering: Readonly<Record<string, readonly string[]>>
  /** Least role of delegated permissions, and those that a member may consent to alone. */
  roleOf: Readonly<Record<string, number>>
  memberConsentable: ReadonlySet<string>
  disabledTenants: Set<string>
  tenantRevokedAt: Map<string, number>
  stale: boolean
  nowMs: number
  counts: Map<string, number>
}

export interface ModelCall {
  method: string
  /** `route` by its id; neither: there is none. */
  match: { route?: string; refused?: string }
  address: string
  bodyBytes: number | undefined
  /** A token in the query, which no call may have. */
  tokenInQuery: boolean
  caller:
    | { kind: 'nobody' }
    | { kind: 'mangled'; reason: string }
    | { kind: 'token'; token: ModelToken }
    | { kind: 'simulated'; application: ModelApplication; tenant: string; user: ModelUser | undefined }
}

export interface Expected {
  by: 'gate' | 'token' | 'upstream'
  status: number
  reason: string
  /** The first limit that is spent. */
  limit?: string
  /** Of a missing permission. */
  missing?: { id: string; kind: Kind; status: string }
}

export interface Content {
  resource: string
  permissions: ReadonlySet<string>
}

const leewayMs = 60_000

/** What comes of the call; charges what it charges. */
export function expected(model: Model, call: ModelCall): Expected {
  // Where a slash may be encoded is for routes to say, which no such method reaches.
  const isRouted = call.match.refused === 'encoded_separator'
  if (call.match.refused !== undefined && !isRouted) return gate(400, call.match.refused)
  if (call.method === 'TRACE') return gate(405, 'method_not_allowed')
  if (isRouted) return gate(400, 'encoded_separator')
  const route = model.routes.find(({ id }) => id === call.match.route)
  if (route === undefined) return gate(404, 'not_found')
  const method = call.method === 'HEAD' ? 'GET' : call.method
  const needs = route.needs[method]
  if (needs === undefined) return method === 'OPTIONS' ? gate(204, 'options') : gate(405, 'method_not_allowed')
  if ((call.bodyBytes ?? 0) > route.bodyBytes) return gate(413, 'body_too_large')
  if (method === 'GET' && (call.bodyBytes ?? 0) > 0) return gate(400, 'body_on_get')
  const early = charge(model, route, { address: call.address }, true)
  if (early !== undefined) return { ...gate(429, 'rate_limited'), limit: early }
  if (needs === 'public') return { by: 'upstream', status: 200, reason: 'public' }
  if (model.stale && !route.passesStale) return gate(503, 'view_stale')
  if (call.tokenInQuery) return gate(400, 'token_in_query')
  const holder = holderOf(model, call, route)
  if ('by' in holder) return holder
  if (holder.resource !== route.resource) return gate(401, 'wrong_audience')
  const ended = 'text' in holder ? endedBy(model, holder) : undefined
  if (ended !== undefined) return gate(401, ended)
  const missing = missingOf(model, needs, holder)
  if (missing !== undefined)
    return { ...gate(403, 'insufficient_scope'), missing: statusOf(model, holder, missing, route) }
  const { application, tenant, user } = holder
  const parts = { application: application.id, tenant, ...(user === undefined ? {} : { user: user.id }) }
  const spent = charge(model, route, parts, false)
  if (spent !== undefined) return { ...gate(429, 'rate_limited'), limit: spent }
  return { by: 'upstream', status: 200, reason: 'granted' }
}

function gate(status: number, reason: string): Expected {
  return { by: 'gate', status, reason }
}

type Holder = Omit<ModelToken, 'text' | 'jti' | 'isRevoked' | 'isGrantRevoked' | 'endsMs'>

/** Contract §5: who calls, or why not. */
function holderOf(model: Model, { caller }: ModelCall, route: ModelRoute): Holder | ModelToken | Expected {
  if (caller.kind === 'nobody') return gate(401, 'no_token')
  if (caller.kind === 'mangled') return gate(401, caller.reason)
  if (caller.kind === 'token')
    return model.nowMs >= caller.token.endsMs + leewayMs ? gate(401, 'expired') : caller.token
  const { application, tenant, user } = caller
  const content = tokenNow(model, { application, tenant, user, resource: route.resource })
  if ('by' in content) return content
  const kind = user === undefined ? 'application' : 'delegated'
  return { kind, application, tenant, user, issuedAt: Number.MAX_SAFE_INTEGER, ...content }
}

/** Contract §3, §4: what the token endpoint gives, or says. */
export function tokenNow(
  model: Model,
  request: { application: ModelApplication; tenant: string; user: ModelUser | undefined; resource: string },
): Content | Expected {
  const { application, tenant, user, resource } = request
  if (model.stale) return refused(503, 'temporarily_unavailable:90033')
  if (application.disabled) return refused(401, 'application_disabled')
  if (application.type === 'web' && !application.hasSecret) return refused(401, 'secret_expired')
  const installed = tenant === application.home || (application.anyTenant && application.granted.has(tenant))
  const isUsable = installed && ![tenant, application.home].some((one) => model.disabledTenants.has(one))
  const granted = application.granted.get(tenant)
  const configured = [...application.configured].map((text) => text.split(' ') as [Kind, string, string])
  if (user === undefined) {
    if (application.type === 'native') return refused(400, 'unauthorized_client:7000218')
    if (!isUsable) return refused(400, 'unauthorized_client:700016')
    const ids = configured.filter(
      ([kind, of, id]) => kind === 'application' && of === resource && granted?.has(`${kind} ${of} ${id}`),
    )
    if (ids.length === 0) return refused(400, 'invalid_scope:90094')
    return { resource, permissions: new Set(ids.map(([, , id]) => id)) }
  }
  if (user.disabled) return refused(400, 'user_disabled')
  const role = user.roles.get(tenant)
  if (role === undefined) return refused(400, 'not_a_member')
  if (!isUsable) return refused(400, 'not_installed')
  const own = user.consents.get(`${application.id} ${tenant}`)
  const ids = configured.filter(([kind, of, id]) => {
    if (kind !== 'delegated' || of !== resource || role < (model.roleOf[id] ?? 0)) return false
    const name = `${kind} ${of} ${id}`
    return granted?.has(name) || (own?.has(name) && (role >= 2 || model.memberConsentable.has(id)))
  })
  if (ids.length === 0) return refused(400, 'invalid_grant:65001')
  return { resource, permissions: new Set(ids.map(([, , id]) => id)) }
}

function refused(status: number, reason: string): Expected {
  return { by: 'token', status, reason }
}

/**
 * Contract §5: not revoked. What is named most exactly comes first, and what is for ever before what can be undone.
 */
function endedBy(model: Model, token: ModelToken): string | undefined {
  const { application, tenant, user, issuedAt } = token
  if (token.isRevoked) return 'token_revoked'
  if (issuedAt < application.revokedAt) return 'application_revoked'
  if (application.disabled) return 'application_disabled'
  if (issuedAt < (model.tenantRevokedAt.get(tenant) ?? 0)) return 'tenant_revoked'
  if (model.disabledTenants.has(tenant)) return 'tenant_disabled'
  if (token.isGrantRevoked) return 'grant_revoked'
  if (user === undefined) return undefined
  if (issuedAt < user.revokedAt) return 'user_revoked'
  return user.disabled ? 'user_disabled' : undefined
}

/** Contract §5: of the alternatives the least, and of its list the first that is not held. */
function missingOf(
  model: Model,
  needs: Readonly<Record<Kind, readonly (readonly string[])[]>>,
  { kind, permissions }: Holder,
): { kind: Kind; id: string } | undefined {
  const has = (id: string) => [id, ...(model.covering[id] ?? [])].some((one) => permissions.has(one))
  if (needs[kind].some((list) => list.every(has))) return undefined
  const other = kind === 'application' ? 'delegated' : 'application'
  const named = needs[kind].length > 0 ? kind : other
  const list = needs[named][0] ?? []
  return { kind: named, id: list.find((id) => !has(id)) ?? list[0] ?? '' }
}

/** Contract §5: not configured, not consented, not requested in this token, or consented after it. */
function statusOf(
  { nowMs: _now }: Model,
  { application, tenant, user, issuedAt }: Holder,
  { kind, id }: { kind: Kind; id: string },
  { resource }: ModelRoute,
): { id: string; kind: Kind; status: string } {
  const name = `${kind} ${resource} ${id}`
  const at = application.granted.get(tenant)?.get(name) ?? user?.consents.get(`${application.id} ${tenant}`)?.get(name)
  const configured = application.configured.has(name)
  const status = !configured
    ? 'not_configured'
    : at === undefined
      ? 'not_consented'
      : at > issuedAt
        ? 'consented_after_issue'
        : 'not_requested'
  return { id, kind, status }
}

/**
 * Contract §6: all of a request's limits are charged, or none; those by address before anything is known of the caller.
 */
function charge(
  model: Model,
  route: ModelRoute,
  parts: Partial<Record<ModelPolicy['by'], string>>,
  byAddress: boolean,
): string | undefined {
  const keys = route.limits.flatMap((name) => {
    const policy = model.policies[name] as ModelPolicy
    const value = parts[policy.by]
    if ((policy.by === 'address') !== byAddress || value === undefined) return []
    return [{ name, key: `${name} ${value}`, limit: policy.limit }]
  })
  const spent = keys.find(({ key, limit }) => (model.counts.get(key) ?? 0) >= limit)
  if (spent !== undefined) return spent.name
  for (const { key } of keys) model.counts.set(key, (model.counts.get(key) ?? 0) + 1)
  return undefined
}
