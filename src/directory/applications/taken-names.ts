// Names that are somebody's already (decision 0101): of another application in the tenant, and of those that an
// operator vouches for anywhere, and this server's. A caller that looks after the other thing may use its name; nobody
// learns here what an unverified tenant calls its own.

import { formsOf, looksLike } from '../../naming/skeleton.js'
import { commandLineClient } from '../../oauth/command-line-client.js'
import { readMemberships } from '../../storage/sql/people/memberships.js'
import { readUser } from '../../storage/sql/people/users.js'
import { readNamesOfTenant, readVouchedNames } from '../../storage/sql/people/vouched-names.js'
import { readOwners } from '../../storage/sql/registrations/application-owners.js'
import { readDeletedNames, readDeletedVouchedNames } from '../../storage/sql/registrations/deleted/deleted-names.js'
import { readRegistrationTokens } from '../../storage/sql/registrations/registration-tokens.js'
import type { Statements } from '../../storage/sql/store.js'
import type { Registration } from '../records.js'
import { DirectoryRefusal } from '../refusal.js'
import type { DirectoryWrites, Writing } from '../writes.js'
import { unnamedApplication } from './names.js'

/** A name that an application, its publisher, or a tenant is to have; `applicationId` absent: there is none yet. */
export interface WantedName {
  name: string
  target: 'name' | 'publisher'
  tenantId: string
  of: 'application' | 'publisher' | 'tenant'
  applicationId?: string | undefined
}

/**
 * Throws DirectoryRefusal (NameTaken) when the name looks like one that the actor has no say about, and NameReserved when
 * it looks like this server's. Operators, administrators of the other application's tenant and its owners may call two
 * things alike; and two that were given no name are.
 */
export async function checkNameFree(deps: DirectoryWrites, tx: Statements, wanted: WantedName): Promise<void> {
  if (wanted.of === 'application' && wanted.name === unnamedApplication) return
  const actor = await actorOf(deps, tx)
  if (actor !== undefined || deps.actor.kind === 'registration-token') checkNotOfServer(deps, wanted)
  if (actor === undefined) return
  const isAlike = likeness(wanted.name)
  // The command line’s application says nothing of the tenant that happens to be the oldest.
  if (wanted.of === 'application') await checkInTenant(tx, actor, wanted, isAlike)
  const vouched = await readVouchedNames(tx, commandLineClient.applicationId)
  for (const other of [...vouched, ...(await readDeletedVouchedNames(tx))]) {
    if (other.id === wanted.applicationId || other.tenantId === wanted.tenantId) continue
    const { name, publisher, tenantName } = other
    if (![name, publisher, tenantName].some(isAlike) || (await looksAfter(tx, actor, other))) continue
    throw taken('The name looks like that of an application or organisation that is verified here.', wanted)
  }
}

/**
 * Throws DirectoryRefusal (NameTaken) unless each of the two that is another one than before is nobody's yet, or the
 * actor's own.
 */
export async function checkNamesFree(
  deps: DirectoryWrites,
  { tx }: Writing,
  before: Pick<Registration, 'name' | 'publisher' | 'tenantId'>,
  after: { name: string; publisher: string; applicationId?: string },
): Promise<void> {
  const { tenantId } = before
  const { name, publisher, applicationId } = after
  const wanted = { tenantId, applicationId }
  if (name !== before.name) await checkNameFree(deps, tx, { ...wanted, name, target: 'name', of: 'application' })
  if (publisher === before.publisher || publisher === '') return
  await checkNameFree(deps, tx, { ...wanted, name: publisher, target: 'publisher', of: 'publisher' })
}

/** What operators and the server itself name is the server's own word; a token for registrations is in other hands. */
function checkNotOfServer({ serverName }: DirectoryWrites, wanted: WantedName): void {
  if (serverName !== undefined && looksLike(wanted.name, serverName())) throw nameOfServer(wanted.target)
}

/** The refusal of a name that looks like this server's. */
export function nameOfServer(target: string): DirectoryRefusal {
  return new DirectoryRefusal('NameReserved', 'The name looks like that of this server.', target)
}

async function checkInTenant(tx: Statements, actor: string, wanted: WantedName, isAlike: Likeness): Promise<void> {
  const { tenantId, applicationId } = wanted
  for (const { id, name } of await readNamesOfTenant(tx, tenantId)) {
    if (id === applicationId || !isAlike(name) || (await looksAfter(tx, actor, { id, tenantId }))) continue
    throw taken('Another application of this tenant has a name that looks like this one.', wanted)
  }
  for (const { id, name, deletedBy } of await readDeletedNames(tx, tenantId)) {
    const isOwn = id === applicationId || deletedBy === actor
    if (isOwn || !isAlike(name) || (await looksAfter(tx, actor, { id, tenantId }))) continue
    throw taken(
      'A deleted application of this tenant, which can be restored, has a name that looks like this one.',
      wanted,
    )
  }
}

type Likeness = (name: string) => boolean

function likeness(wanted: string): Likeness {
  const forms = new Set(formsOf(wanted).filter((form) => form !== ''))
  return (name) => formsOf(name).some((form) => forms.has(form))
}

/** Whose names it uses: a person's or an application's id; undefined for operators and what the server does itself. */
async function actorOf({ actor }: DirectoryWrites, tx: Statements): Promise<string | undefined> {
  if (actor.kind === 'application') return actor.applicationId
  if (actor.kind === 'user') return personOf(tx, actor.userId)
  if (actor.kind !== 'registration-token') return undefined
  const [token] = await readRegistrationTokens(tx, { id: actor.registrationTokenId })
  const by = token?.created_by ?? ''
  return by === '' ? undefined : personOf(tx, by)
}

async function personOf(tx: Statements, id: string): Promise<string | undefined> {
  const person = await readUser(tx, 'id', id)
  return Number(person?.operator ?? 0) === 1 ? undefined : id
}

async function looksAfter(tx: Statements, actor: string, other: { id: string; tenantId: string }): Promise<boolean> {
  const owners = await readOwners(tx, other.id)
  if (owners.some((row) => row.owner_id === actor)) return true
  const [membership] = await readMemberships(tx, { userId: actor, tenantId: other.tenantId })
  return membership?.role === 'owner' || membership?.role === 'administrator'
}

function taken(message: string, { target }: WantedName): DirectoryRefusal {
  return new DirectoryRefusal('NameTaken', message, target)
}
