// Mistakes that were there once, put back one at a time into a copy of the project: the random calls have to find each.

import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageRoot } from '../../src/config/read/package-root.js'

export interface Hole {
  /** By the finding that it was. */
  name: string
  path: string
  /** Every one of these texts becomes the other. */
  changes: readonly (readonly [text: string, other: string])[]
}

export const holes: readonly Hole[] = [
  {
    name: 'plans: who put an application on a plan is not needed to take it off',
    path: 'src/directory/plans/plan-choice.ts',
    changes: [['for (const plan of [to, from])', 'for (const plan of [to])']],
  },
  {
    name: 'identity H1: permissions of the server are required of nobody',
    path: 'src/management/applications/ceiling.ts',
    changes: [['if (isServerPermission(catalogue, ref) && person?.isOperator !== true) return false', '']],
  },
  {
    name: 'identity H2: the role is not required for what people allow alone',
    path: 'src/management/applications/ceiling.ts',
    changes: [
      [
        '!mayUse(catalogue, caller, ref) || !mayAllow(catalogue, caller, ref)',
        '(needsAdministrator(catalogue, ref) && (!mayUse(catalogue, caller, ref) || !mayAllow(catalogue, caller, ref)))',
      ],
    ],
  },
  {
    name: 'identity H3: an application is every developer’s',
    path: 'src/management/applications/change-request.ts',
    changes: [["if (caller.kind === 'local') return", 'if (caller !== undefined) return']],
  },
  {
    name: 'identity M3: an application gives roles as an administrator',
    path: 'src/management/people/people-rules.ts',
    changes: [["caller.person?.role ?? 'member'", "caller.person?.role ?? 'administrator'"]],
  },
  {
    name: 'identity M3: an application is handed links',
    path: 'src/management/people/admission.ts',
    changes: [
      [
        "if (caller.kind === 'local' || caller.principal.kind === 'session') return true",
        'if (caller.kind) return true',
      ],
    ],
  },
  {
    name: 'owners: anyone who may change an application gives it to anybody, whatever it holds',
    path: 'src/management/applications/application-owners.ts',
    changes: [
      ['changeWrites(deps, request, applicationId, checkMayEquip)', 'changeWrites(deps, request, applicationId)'],
    ],
  },
  {
    name: 'owners: the switch for device codes is checked for nobody',
    path: 'src/management/applications/equipping-changes.ts',
    changes: [["'idTokenAlg',", "'idTokenAlg', 'deviceCodes',"]],
  },
  {
    name: 'owners: nobody is prompted again for a new origin',
    path: 'src/directory/applications/redirect-epochs.ts',
    changes: [['(added.length > 0 ? 1 : 0)', '0']],
  },
  {
    name: 'ceiling: anybody lists permissions of the server',
    path: 'src/management/applications/ceiling.ts',
    changes: [['caller.person?.isOperator !== true) {', 'caller.person === null) {']],
  },
  {
    name: 'ceiling: a registration token lets others list what its maker could not',
    path: 'src/management/applications/registration-tokens.ts',
    changes: [['checkMayList(settings.catalogue, callerOf(request), ceiling)', '']],
  },
  {
    name: 'ceiling: an administrator consents to what is for owners',
    path: 'src/directory/consents/consenter.ts',
    changes: [['order.indexOf(role) <= own', 'order.indexOf(role) <= 9']],
  },
  {
    name: 'consent: an application consents',
    path: 'src/management/consents/entitlement.ts',
    changes: [
      ['person !== undefined && isAdministrator(person.role)', 'person === undefined || isAdministrator(person.role)'],
      [
        "catalogue.satisfying('delegated', catalogue.own.id",
        "catalogue.satisfying(principal.kind === 'application' ? 'application' : 'delegated', catalogue.own.id",
      ],
      ['return person.userId', "return person?.userId ?? 'local'"],
    ],
  },
  {
    name: 'consent: anybody says that a publisher is verified',
    path: 'src/management/consents/entitlement.ts',
    changes: [['if (verified !== true ||', 'if (verified !== null ||']],
  },
  {
    name: 'tokens: permissions of the server are in everybody’s',
    path: 'src/users/memberships/roles.ts',
    changes: [['return isOperator || !isServerPermission(catalogue, { resource, id })', 'return true']],
  },
  {
    name: 'through an application: an owner acts as one',
    path: 'src/management/acting/role-through.ts',
    changes: [
      ["lowerRole(role, 'administrator')", 'role'],
      ["let least: Role = 'administrator'", "let least: Role = 'owner'"],
    ],
  },
  {
    name: 'through an application: an administrator acts as one that anybody can have the credentials of',
    path: 'src/management/acting/role-through.ts',
    changes: [['if (isAtLeast(needed, most)) return most', 'if (needed) return most']],
  },
  {
    name: 'people: an invitation is to any role',
    path: 'src/management/people/invitations.ts',
    changes: [['checkMayGive(caller, role)', '']],
  },
  {
    name: 'people: somebody says of themselves who they are at a provider',
    path: 'src/management/people/provider-link.ts',
    changes: [["caller.kind !== 'local' && caller.person?.userId === userId", 'id === requested']],
  },
  {
    name: 'people: an administrator makes operators',
    path: 'src/management/people/users.ts',
    changes: [['if (body.operator !== undefined && !isOperator(caller)) {', 'if (body === null) {']],
  },
  {
    name: 'people: an administrator has the account of an operator',
    path: 'src/management/people/people-rules.ts',
    changes: [['if (user.isOperator && caller.person?.isOperator !== true) throw above()', '']],
  },
  {
    name: 'people: an administrator has the account of somebody who belongs to another tenant too',
    path: 'src/management/people/people-rules.ts',
    changes: [['places.some(({ tenantId }) => tenantId !== caller.tenantId)', 'places.length > 9']],
  },
  {
    name: 'people: an operator adds people to any tenant',
    path: 'src/management/people/admission.ts',
    changes: [['=== 0) return', '>= 0) return']],
  },
  {
    name: 'brands: an administrator says what the pages of another tenant look like',
    path: 'src/management/brands/brands.ts',
    changes: [['requireOwnTenant(callerOf(request), request.params.id)', 'request.params.id']],
  },
  {
    name: 'brands: what an application says of itself is every developer’s to say',
    path: 'src/management/brands/brands.ts',
    changes: [
      [
        'await writesTo(request, applicationId), applicationId, request',
        'writesOf(deps, request), applicationId, request',
      ],
    ],
  },
  {
    name: 'deleted: who deletes and restores an application washes off what it held',
    path: 'src/management/deleted/restore-rules.ts',
    changes: [['checkMayRevive({ catalogue, caller, applicationId: row.id }, heldOf(kept))', 'heldOf(kept)']],
  },
  {
    name: 'imports: an import is done in the name of the server',
    path: 'src/management/imports/caller-calls.ts',
    changes: [
      ["caller.kind === 'local' ? ({ kind: 'local' } as const) : caller.principal", "({ kind: 'local' } as const)"],
    ],
  },
  {
    name: 'webhooks: those of another tenant are everybody’s',
    path: 'src/management/server/own-webhook.ts',
    changes: [['!owns(caller, found.tenant_id)', 'found.id === caller.kind']],
  },
  {
    name: 'tenants: an operator invites anybody into a tenant to which nobody belongs',
    path: 'src/management/people/invitations.ts',
    changes: [["role === 'owner' && isOperator(caller)", 'isOperator(caller)']],
  },
  {
    name: 'tenants: an operator invites an owner into a tenant that has people',
    path: 'src/management/people/invitations.ts',
    changes: [['{ tenantId: place })).length === 0', '{ tenantId: place })).length >= 0']],
  },
  {
    name: 'tenants: an administrator says of another tenant whether it demands a second factor',
    path: 'src/management/people/tenants.ts',
    changes: [
      [
        'return isOperator(caller) ? tenantId : requireOwnTenant(caller, tenantId)',
        'return tenantId || requireOwnTenant(caller, tenantId)',
      ],
    ],
  },
  {
    name: 'tenants: a demanded second factor is waited for by nobody',
    path: 'src/management/recent-sign-in/demanded-factor.ts',
    changes: [['if (acr === secondFactorClass ||', 'if (acr !== undefined ||']],
  },
]

/** Runs the calls on a copy with the mistake; `said` is the first disagreement, or how it ended. */
export function withHole(hole: Hole, options: readonly string[]): { isFound: boolean; said: string } {
  const root = String(packageRoot())
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-hole-'))
  try {
    for (const name of ['package.json', 'tsconfig.json', 'src', 'test', 'config']) {
      cpSync(join(root, name), join(folder, name), { recursive: true })
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    const file = join(folder, hole.path)
    let text = readFileSync(file, 'utf8')
    for (const [from, to] of hole.changes) {
      if (!text.includes(from)) throw new Error(`${hole.path} has no ${from}: say anew what ${hole.name} is`)
      text = text.replaceAll(from, to)
    }
    writeFileSync(file, text)
    const run = ['--import', 'tsx', 'test/privileges/main.ts', ...options]
    const { status, stdout } = spawnSync(process.execPath, run, { cwd: folder, encoding: 'utf8', timeout: 900_000 })
    const [first = ''] = stdout.split('\n')
    return { isFound: status === 1 && first.startsWith('seed '), said: first.slice(0, 400) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
