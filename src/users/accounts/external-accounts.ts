// The account of somebody whom a provider vouches for: the one that is linked, or a new one where the operator allows
// that. What the provider says of roles is read again each time, so that what was taken away there is taken away here.

import type { ProviderSettings, Role } from '../../config/settings/settings.js'
import { checkName } from '../../directory/applications/names.js'
import { DirectoryRefusal } from '../../directory/refusal.js'
import { write } from '../../directory/writes.js'
import { readExternalIdentity } from '../../storage/sql/people/external-identities.js'
import { readUser } from '../../storage/sql/people/users.js'
import { type Statements, UniqueViolation } from '../../storage/sql/store.js'
import { checkEmail } from '../mail/email.js'
import { findMembership, setRole } from '../memberships/memberships.js'
import { isAtLeast } from '../memberships/roles.js'
import type { User } from '../records.js'
import { UserRefusal } from '../refusal.js'
import type { UserWrites } from '../writes.js'
import { addLink, type ExternalIdentity } from './external-identities.js'
import { addUser } from './new-user.js'
import { findUser } from './users.js'

/**
 * The account, with the role that the provider's claim gives it now; undefined when nobody is linked and the provider
 * makes no accounts. The account may be disabled: signing in refuses that. Throws UserRefusal (TenantDisabled) and
 * DirectoryRefusal (TenantNotFound) for a new person where the configured tenant is not there, StoreUnavailable, and
 * what `describe` throws.
 */
export async function findExternalAccount(
  deps: UserWrites,
  provider: ProviderSettings,
  identity: ExternalIdentity,
): Promise<User | undefined> {
  const known = await findLinked(deps.store.reader, identity)
  if (known !== undefined) {
    if (known.state === 'enabled') await readRoleAgain(deps, provider, known.userId, identity.roles)
    return known
  }
  const { tenantId } = provider
  if (!provider.createUsers || tenantId === undefined) return undefined
  const described = await identity.describe()
  try {
    return await createAccount(deps, provider, { ...identity, ...described, tenantId })
  } catch (error) {
    // Of two browsers of one person that come for the first time at once, one makes the account.
    const made = error instanceof UniqueViolation ? await findLinked(deps.store.reader, identity) : undefined
    if (made === undefined) throw error
    return made
  }
}

async function findLinked(
  reader: Statements,
  { issuer, subject }: Pick<ExternalIdentity, 'issuer' | 'subject'>,
): Promise<User | undefined> {
  const link = await readExternalIdentity(reader, issuer, subject)
  return link === undefined ? undefined : findUser(reader, link.user_id)
}

async function createAccount(
  deps: UserWrites,
  provider: ProviderSettings,
  person: ExternalIdentity & { name: string; email: string | undefined; tenantId: string },
): Promise<User> {
  const { issuer, subject, tenantId } = person
  return write(deps, async (writing) => {
    const email = await freeAddress(writing.tx, person.email)
    const user = await addUser(deps, writing, {
      email: email ?? '',
      emailVerified: email !== undefined,
      name: nameOf(person.name, provider),
      idProvider: provider.name,
      membership: { tenantId, role: roleBy(provider, person.roles) },
    })
    await addLink(deps, writing, { userId: user.userId, provider: provider.name, issuer, subject })
    return user
  })
}

/**
 * The address when it is one and nobody has it. A taken one is left to the account that has it: an address proves
 * nothing here.
 */
async function freeAddress(tx: Statements, text: string | undefined): Promise<string | undefined> {
  if (text === undefined) return undefined
  try {
    const { email, key } = checkEmail(text)
    return (await readUser(tx, 'email_key', key)) === undefined ? email : undefined
  } catch (error) {
    if (error instanceof UserRefusal) return undefined
    throw error
  }
}

function nameOf(text: string, { label, name }: ProviderSettings): string {
  for (const each of [text, `Somebody from ${label}`]) {
    try {
      return checkName(each, 'name', 'person')
    } catch (error) {
      if (!(error instanceof DirectoryRefusal)) throw error
    }
  }
  return `Somebody from ${name}`
}

/** Of several values the highest role; the provider's own when none of them says one. */
function roleBy({ role, roles }: ProviderSettings, values: readonly string[]): Role {
  const said = values.flatMap((value) => roles?.values.get(value) ?? [])
  return (
    said.reduce<Role | undefined>(
      (high, each) => (high === undefined || isAtLeast(each, high) ? each : high),
      undefined,
    ) ?? role
  )
}

/**
 * Only where the operator maps a claim. Who was removed from the tenant stays removed, and owners stay owners: no value
 * of the claim can make one, so the provider has no say about them, and a tenant cannot lose its last.
 */
async function readRoleAgain(
  deps: UserWrites,
  provider: ProviderSettings,
  userId: string,
  values: readonly string[],
): Promise<void> {
  const { roles, tenantId } = provider
  if (roles === undefined || tenantId === undefined) return
  const membership = await findMembership(deps.store.reader, userId, tenantId)
  const role = roleBy(provider, values)
  if (membership === undefined || membership.role === 'owner' || membership.role === role) return
  await setRole(deps, { userId, tenantId: membership.tenantId, role })
}
