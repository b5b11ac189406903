// What `app delete`, `app restore` and `app list --deleted` do.

import type { DeletedApplications, DeletedDetails } from '../../../management/deleted/deleted-schemas.js'
import type { Answer } from '../../../management/schemas.js'
import type { ConnectionOptions } from '../../calls/connection-options.js'
import type { LocalClient } from '../../calls/local-client.js'
import { managementCalls } from '../../calls/management-calls.js'
import { namesOf } from '../../calls/names.js'
import { unknown } from '../../calls/unknown-names.js'
import { wholeList } from '../../calls/whole-list.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { type OutputFormat, printList } from '../../output/output.js'
import { printable } from '../../output/table.js'
import type { Terminal } from '../../output/terminal.js'
import { printApplication } from './print-application.js'

type Deleted = DeletedApplications['value'][number]

export interface RestoreOptions extends ConnectionOptions {
  credentials?: boolean
  consents?: boolean
  output: OutputFormat
}

const listed = {
  headings: ['NAME', 'APPLICATION ID', 'DELETED', 'BY', 'RESTORABLE UNTIL', 'TENANT', 'TENANT ID'],
  context: ['TENANT', 'TENANT ID'],
  empty: 'No deleted application can be restored.',
}

/** Prints those that can be restored. Throws CommandFailure. */
export async function printDeleted(terminal: Terminal, client: LocalClient, output: OutputFormat): Promise<void> {
  const value = await listDeleted(client)
  const { tenant } = await namesOf(client, output, { tenants: value.map(({ tenantId }) => tenantId) })
  const rows = value.map((each) => [
    ...[each.name, each.applicationId, each.deletedAt, each.deletedByName || each.deletedBy || 'operator'],
    ...[each.restorableUntil, tenant(each.tenantId), each.tenantId],
  ])
  printList(terminal, output, { value }, { ...listed, rows })
}

/**
 * Deletes it; with `isForGood` so that it cannot be restored, also when it was deleted before. Throws CommandFailure.
 */
export async function deleteApplication(
  terminal: Terminal,
  client: LocalClient,
  reference: string,
  isForGood: boolean,
): Promise<void> {
  const calls = managementCalls(client)
  const live = await calls.showApplication(reference).catch((error: unknown) => {
    const isGone = error instanceof CommandFailure && error.exitCode === exitCodes.notFound
    if (isForGood && isGone) return undefined
    throw error
  })
  if (live !== undefined) await calls.deleteApplication(live.applicationId)
  const kept = await readKept(client, live?.applicationId ?? (await findDeleted(client, reference)).applicationId)
  if (kept !== undefined && isForGood) {
    await client.call('DELETE', `/deletedApplications/${kept.applicationId}`)
    terminal.say('The application is deleted for good; its tokens are refused.')
    return
  }
  terminal.say('The application is deleted; its tokens are refused.')
  if (kept === undefined) return
  terminal.say(`It can be restored until ${kept.restorableUntil}: portcullis app restore ${kept.applicationId}`)
}

/** Brings it back and prints it. Throws CommandFailure. */
export async function restoreApplication(
  terminal: Terminal,
  client: LocalClient,
  reference: string,
  { credentials = false, consents = false, output }: RestoreOptions,
): Promise<void> {
  const { applicationId } = await findDeleted(client, reference)
  const path = `/deletedApplications/${applicationId}`
  sayWhatReturns(terminal, (await client.call('GET', path)) as DeletedDetails, { credentials, consents })
  const restored = (await client.call('POST', `${path}/restore`, { credentials, consents })) as Answer<'application'>
  printApplication(terminal, output, restored)
  terminal.say('It is restored. Tokens of before stay refused; people sign in again.')
  if (!credentials) terminal.say(`It has no credentials: portcullis app rotate ${applicationId}`)
}

/** Before anything is done, and before a question about it. */
function sayWhatReturns(
  terminal: Terminal,
  { permissions, redirectUris, owners, secrets, keys, federatedCredentials, ...more }: DeletedDetails,
  chosen: { credentials: boolean; consents: boolean },
): void {
  const line = (label: string, texts: readonly string[]) =>
    terminal.say(printable(`  ${label}: ${texts.length === 0 ? 'none' : texts.join(', ')}`))
  line(
    'Permissions',
    permissions.filter(({ listed }) => listed).map(({ id }) => id),
  )
  line('Redirect addresses', redirectUris)
  line(
    'Owners',
    owners.filter(({ returns }) => returns).map(({ ownerId, name }) => name || ownerId),
  )
  if (chosen.credentials) {
    line(
      'Client secrets that work',
      secrets.filter(({ works }) => works).map(({ keyId }) => keyId),
    )
    line(
      'Issuers',
      federatedCredentials.map(({ issuer, subject }) => `${subject} of ${issuer}`),
    )
    line('Keys of its own', keys === 0 ? [] : [String(keys)])
    if (more.hasRegistrationToken) line('Registration access token', ['it works again'])
  }
  if (chosen.consents) {
    line(
      'Consented to anew',
      permissions.filter(({ consented }) => consented).map(({ id }) => id),
    )
  }
}

function listDeleted(client: LocalClient): Promise<Deleted[]> {
  return wholeList<Deleted>(client, '/deletedApplications')
}

/** Undefined where the server keeps nothing. */
async function readKept(client: LocalClient, applicationId: string): Promise<Deleted | undefined> {
  try {
    return (await client.call('GET', `/deletedApplications/${applicationId}`)) as Deleted
  } catch (error) {
    if (error instanceof CommandFailure && error.exitCode === exitCodes.notFound) return undefined
    throw error
  }
}

/** By identifier, public key or exact name. */
async function findDeleted(client: LocalClient, reference: string): Promise<Deleted> {
  const all = await listDeleted(client)
  const isMeant = ({ applicationId, publicKey }: Deleted) =>
    applicationId === reference.toLowerCase() || publicKey === reference
  const found = all.find(isMeant)
  if (found !== undefined) return found
  const [named, another] = all.filter(({ name }) => name === reference)
  if (named === undefined) {
    throw await unknown(
      'deleted application',
      reference,
      all.map(({ name }) => name),
    )
  }
  if (another === undefined) return named
  const message = `several deleted applications are named ${printable(reference)}: use an application id`
  throw new CommandFailure(exitCodes.usage, message)
}
