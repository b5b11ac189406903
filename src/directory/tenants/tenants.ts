// Writes of tenants.

import { randomUUID } from 'node:crypto'
import { appendAudit } from '../../ledger/append-audit.js'
import { parseGuid } from '../../oauth/secrets/guid.js'
import { insertTenant, readTenant, updateTenant } from '../../storage/sql/registrations/tenants.js'
import { ensureInTransaction } from '../applications/command-line-application.js'
import { checkName, checkNewName } from '../applications/names.js'
import { checkNameFree } from '../applications/taken-names.js'
import { tenantChanged } from '../ledger-events.js'
import type { Tenant } from '../records.js'
import { DirectoryRefusal } from '../refusal.js'
import { toTenant } from '../rows.js'
import { type DirectoryWrites, type Writing, write } from '../writes.js'

type SignInWays = { [Field in 'ownSignIn' | 'signInProviders']: Tenant[Field] }

/**
 * Adds an enabled tenant, in the `open` transaction where there is one; the first one is the home of the command line's
 * application. Throws DirectoryRefusal (InvalidName, NameReserved, NameTaken) and StoreUnavailable.
 */
export async function createTenant(deps: DirectoryWrites, input: { name: string }, open?: Writing): Promise<Tenant> {
  const name = checkName(input.name, 'name', 'tenant')
  return write(deps, (writing) => insertNewTenant(deps, writing, name), open)
}

async function insertNewTenant(deps: DirectoryWrites, writing: Writing, name: string): Promise<Tenant> {
  const id = randomUUID()
  const { tx, record, nowMs } = writing
  await checkNameFree(deps, tx, { name, tenantId: id, target: 'name', of: 'tenant' })
  const row = {
    id,
    name,
    state: 'enabled',
    user_consent: 'allowed',
    foreign_consent: 'verified',
    device_codes: 'allowed',
    administrators: 'any',
    second_factor: 'none',
    own_sign_in: 'allowed',
    sign_in_providers: null,
    client_hosts: null,
    created_at: nowMs,
    updated_at: nowMs,
  }
  await insertTenant(tx, row)
  record({ kind: 'tenant', tenantId: id, state: 'enabled' })
  await appendAudit(deps, tx, { event: 'tenant.created', tenantId: id, details: { name } })
  await ensureInTransaction(deps, writing)
  return toTenant(row)
}

/**
 * Changes the state, or who may consent there. The tokens of a tenant work exactly while it is enabled; a stricter rule
 * holds for requests from now on, and takes nothing that people allowed before. In the `open` transaction where there is
 * one. Throws DirectoryRefusal (TenantNotFound).
 */
export async function changeTenant(
  deps: DirectoryWrites,
  tenantId: string,
  changes: {
    name?: string | undefined
    state?: Tenant['state'] | undefined
    userConsent?: Tenant['userConsent'] | undefined
    deviceCodes?: Tenant['deviceCodes'] | undefined
    administrators?: Tenant['administrators'] | undefined
    secondFactor?: Tenant['secondFactor'] | undefined
    ownSignIn?: Tenant['ownSignIn'] | undefined
    signInProviders?: Tenant['signInProviders'] | undefined
    clientHosts?: Tenant['clientHosts'] | undefined
  },
  open?: Writing,
): Promise<Tenant> {
  const change = async (writing: Writing) => {
    const before = await requireTenant(writing, tenantId)
    const { state = before.state, userConsent = before.userConsent, deviceCodes = before.deviceCodes } = changes
    const { administrators = before.administrators, secondFactor = before.secondFactor } = changes
    const ways = waysAfter(before, changes)
    const clientHosts = listAfter(before.clientHosts, changes.clientHosts)
    const name = checkNewName(before.name, changes.name ?? before.name, 'name', 'tenant')
    const { tx } = writing
    if (name !== before.name)
      await checkNameFree(deps, tx, { name, tenantId: before.tenantId, target: 'name', of: 'tenant' })
    await updateTenant(tx, before.tenantId, {
      name,
      state,
      user_consent: userConsent === 'administrators' ? 'administrators' : 'allowed',
      foreign_consent: userConsent === 'allowed' ? 'allowed' : 'verified',
      device_codes: deviceCodes,
      administrators,
      second_factor: secondFactor,
      own_sign_in: ways.ownSignIn,
      sign_in_providers: ways.signInProviders === null ? null : JSON.stringify(ways.signInProviders),
      client_hosts: clientHosts === null ? null : JSON.stringify(clientHosts),
      updated_at: writing.nowMs,
    })
    writing.record({ kind: 'tenant', tenantId: before.tenantId, state })
    const said = { state, userConsent, deviceCodes, administrators, secondFactor, clientHosts }
    const after = { ...before, name, ...said, ...ways }
    for (const event of tenantChanged(before, after)) await appendAudit(deps, writing.tx, event)
    return after
  }
  return write(deps, change, open)
}

function waysAfter(
  before: Tenant,
  { ownSignIn = before.ownSignIn, signInProviders }: { [Field in keyof SignInWays]?: SignInWays[Field] | undefined },
): SignInWays {
  return { ownSignIn, signInProviders: listAfter(before.signInProviders, signInProviders) }
}

/** A list of the same names is the same list; null: all of them. */
function listAfter(
  before: readonly string[] | null,
  after: readonly string[] | null = before,
): readonly string[] | null {
  const names = after === null ? null : [...new Set(after)].sort()
  return JSON.stringify(names) === JSON.stringify(before) ? before : names
}

/** The tenant inside the transaction. Throws DirectoryRefusal when there is none. */
export async function requireTenant({ tx }: Writing, tenantId: string): Promise<Tenant> {
  const id = parseGuid(tenantId)
  const row = id === undefined ? undefined : await readTenant(tx, id)
  if (row === undefined) throw new DirectoryRefusal('TenantNotFound', 'There is no such tenant.', 'tenantId')
  return toTenant(row)
}
