// One call that is decided otherwise under another configuration, or goes elsewhere: what was, what will be, and whom
// it concerns.

import type { Position } from '../../config/read/position.js'
import type { McpRule } from '../../config/settings/route-settings.js'
import type { PermissionRef } from '../../directory/records.js'
import { type Cell, isOpen } from './access-table.js'
import type { Profile } from './profiles.js'

/** Of every path that `path` takes and no more specific route of either configuration. */
export interface Place {
  method: string
  path: string
  /** Of an MCP server, such as `tools/call:close_ticket`; absent: the request itself, which is what connecting takes. */
  operation?: string
}

export type CallChangeKind =
  /** There is a route now, or none any more. */
  | 'appears'
  | 'disappears'
  /** No token is required any more, or one is now. */
  | 'public'
  | 'guarded'
  /** Permissions are no longer enforced, only told; or enforced again. */
  | 'shadow'
  | 'enforced'
  /** Other permissions, or tokens for another API. */
  | 'requirement'
  | 'resource'
  /** The same permissions, which other ones cover, that fewer people may use, or that need an administrator now. */
  | 'permissions'
  /** Tokens of other issuers; other applications, or another tenant in the path. */
  | 'issuers'
  | 'conditions'
  /** Another service answers. */
  | 'upstream'
  /** Of a tool: calls have to meet something else besides. */
  | 'rule'

export interface CallRule extends Position {
  route: string
  upstream: string
  resource: string
  /** Lists of which any is enough; of a list, all. */
  needs: 'public' | readonly (readonly string[])[]
  /** Whether the permissions are only told. */
  shadow: boolean
  /** Of a tool: what calls have to meet besides; absent: nothing. */
  rule?: Exclude<McpRule, 'allowed'>
}

/** How many. `applicationsForPeople` act for `people`; one application may be in both. */
export interface HolderCounts {
  applications: number
  applicationsForPeople: number
  people: number
}

export interface CallChange extends Place {
  changes: readonly CallChangeKind[]
  /** Null: there is no route. */
  before: CallRule | null
  after: CallRule | null
  /** What opens it now by itself, and did not, or the other way round. Empty where one of the two is open to all. */
  permissions: { gain: readonly PermissionRef[]; lose: readonly PermissionRef[] }
  /** Who can call it now and could not, or the other way round; null where the grants are not known. */
  gain: HolderCounts | null
  lose: HolderCounts | null
}

export interface ComparedCall {
  place: Place
  before: Cell | undefined
  after: Cell | undefined
  gaining: readonly Profile[]
  losing: readonly Profile[]
  permissions: CallChange['permissions']
  /** Whether the grants are. */
  known: boolean
}

/** The change; undefined where there is none. */
export function callChange(compared: ComparedCall): CallChange | undefined {
  const { place, before, after, gaining, losing, permissions, known } = compared
  const kinds = kindsOf(before, after)
  const moves = gaining.length + losing.length + permissions.gain.length + permissions.lose.length
  if (kinds.length === 0 && (moves === 0 || connectsOtherwise(before, after))) return undefined
  return {
    ...place,
    changes: kinds.length === 0 ? ['permissions'] : kinds,
    before: ruleOf(before),
    after: ruleOf(after),
    permissions,
    gain: known ? countsOf(gaining) : null,
    lose: known ? countsOf(losing) : null,
  }
}

/** Whether both decide alike for every caller that holds the same. */
export function decidesAlike(before: Cell | undefined, after: Cell | undefined): boolean {
  if (before === undefined || after === undefined) return before === after
  if (connectsOtherwise(before, after)) return false
  if (before.operation?.rule !== after.operation?.rule) return false
  if (before.operation !== undefined && isShadow(before) !== isShadow(after)) return false
  if (isOpen(before) || isOpen(after)) return isOpen(before) === isOpen(after)
  if (!asksAlike(before, after, ['issuers', 'tenant', 'applications'])) return false
  const [a, b] = [before.requirement, after.requirement]
  return JSON.stringify(a) === JSON.stringify(b)
}

/** Of an operation of an MCP server: whether the message comes through otherwise, which is told of its request. */
function connectsOtherwise(before: Cell | undefined, after: Cell | undefined): boolean {
  return !decidesAlike(before?.operation?.connecting, after?.operation?.connecting)
}

/** Of an operation what it says itself; the rest is told of its request. */
function kindsOf(before: Cell | undefined, after: Cell | undefined): CallChangeKind[] {
  const kinds = allKindsOf(before, after)
  return before?.operation === undefined && after?.operation === undefined
    ? kinds
    : kinds.filter((kind) => !ofRequests.has(kind))
}

const ofRequests: ReadonlySet<CallChangeKind> = new Set(['resource', 'issuers', 'conditions', 'upstream'])

function allKindsOf(before: Cell | undefined, after: Cell | undefined): CallChangeKind[] {
  if (before === undefined) return after === undefined ? [] : ['appears']
  if (after === undefined) return ['disappears']
  const kinds: CallChangeKind[] = []
  const [was, is] = [before.requirement === 'public', after.requirement === 'public']
  if (was !== is) kinds.push(is ? 'public' : 'guarded')
  else if (!was && before.route.resource !== after.route.resource) kinds.push('resource')
  else if (JSON.stringify(ruleOf(before)?.needs) !== JSON.stringify(ruleOf(after)?.needs)) kinds.push('requirement')
  else if (JSON.stringify(before.requirement) !== JSON.stringify(after.requirement)) kinds.push('permissions')
  if (!asksAlike(before, after, ['issuers'])) kinds.push('issuers')
  if (!asksAlike(before, after, ['tenant', 'applications'])) kinds.push('conditions')
  const [watched, watches] = [isShadow(before), isShadow(after)]
  if (watched !== watches) kinds.push(watches ? 'shadow' : 'enforced')
  if (before.route.upstream !== after.route.upstream) kinds.push('upstream')
  if (before.operation?.rule !== after.operation?.rule) kinds.push('rule')
  return kinds
}

/** Where a tenant stands in the path is told by its parameter and the path. */
function asksAlike(before: Cell, after: Cell, names: readonly ('issuers' | 'tenant' | 'applications')[]): boolean {
  const question = ({ route }: Cell) =>
    names.map((name) =>
      name === 'tenant' ? route.tenant && route.path.split('/').indexOf(`{${route.tenant}}`) : route[name],
    )
  return JSON.stringify(question(before)) === JSON.stringify(question(after))
}

function isShadow({ route }: Cell): boolean {
  return route.shadow === true
}

function ruleOf(cell: Cell | undefined): CallRule | null {
  if (cell === undefined) return null
  const { id, upstream, resource, position, shadow } = cell.route
  const needs = cell.needs === 'public' ? cell.needs : cell.needs.anyOf
  const { rule = 'allowed' } = cell.operation ?? {}
  return {
    route: id,
    upstream,
    resource,
    needs,
    shadow: shadow === true,
    ...(rule === 'allowed' ? {} : { rule }),
    ...position,
  }
}

function countsOf(profiles: readonly Profile[]): HolderCounts {
  const applications = new Set<string>()
  const forPeople = new Set<string>()
  let people = 0
  for (const { kind, grants } of profiles) {
    for (const grant of grants) {
      people += grant.people
      ;(kind === 'application' ? applications : forPeople).add(grant.applicationId)
    }
  }
  return { applications: applications.size, applicationsForPeople: forPeople.size, people }
}
