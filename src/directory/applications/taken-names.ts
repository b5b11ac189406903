// Names that are somebody's already (decision 0101): of another application in the tenant, what an operator vouches for
// anywhere, and this server's. Everything that people are shown by a name is held against them here and nowhere else. A
// caller that looks after the other thing may use its name; nobody learns here what an unverified tenant calls its own.

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

/** A name that something is to have; `applicationId` absent: there is none yet, or it is of none. */
export interface WantedName {
  name: string
  target: 'name' | 'publisher'
  tenantId: string
  of: 'application' | 'publisher' | 'tenant' | 'brand' | 'heading' | 'api'
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
  // A brand that looks like the server's is worn by no page, so not even an operator gives it that name.
  const isOurs = actor === undefined && deps.actor.kind !== 'registration-token' && wanted.of !== 'brand'
  if (!isOurs && wanted.of !== 'heading') checkNotOfServer(deps, wanted)
  if (actor === undefined) return
  const isAlike = likeness(wanted.name)
  if (wanted.of === 'application') await checkInTenant(tx, actor, wanted, isAlike)
  for (const other of await readVouched(tx)) {
    if (other.id === wanted.applicationId || other.tenantId === wanted.tenantId) continue
    if (!other.names.some(isAlike) || (await looksAfter(tx, actor, other))) continue
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

/** An application that an operator vouches for, or did before it was deleted, and all that people are shown of it. */
export interface Vouched {
  id: string
  tenantId: string
  /** Its own, its publisher's, its organisation's, and what the pages of that are headed with. */
  names: readonly string[]
}

/** All of them. Throws StoreUnavailable. */
export async function readVouched(tx: Statements): Promise<Vouched[]> {
  // The command line’s application says nothing of the tenant that happens to be the oldest.
  const rows = await readVouchedNames(tx, commandLineClient.applicationId)
  return [...rows, ...(await readDeletedVouchedNames(tx))].map((row) => {
    const { id, tenantId, name, publisher, tenantName, brandName } = row
    return { id, tenantId, names: [name, publisher, tenantName, brandName ?? ''] }
  })
}

/** What operators and the server itself name is the server's own word; a token for registrations is in other hands. */
function checkNotOfServer({ serverName }: DirectoryWrites, wanted: WantedName): void {
  if (serverName !== undefined && looksLike(wanted.name, serverName())) {
    throw new DirectoryRefusal('NameReserved', 'The name looks like that of this server.', wanted.target)
  }
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

/** Compares with one name, which is folded once. */
export function likeness(wanted: string): Likeness {
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
