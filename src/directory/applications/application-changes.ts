// Changing what the developer of an application may change: its name, its state, options and redirect URIs.

import { appendAudit } from '../../ledger/append-audit.js'
import { clientKeyCredential } from '../../oauth/secrets/client-key-credential.js'
import { replaceRedirectUris } from '../../storage/sql/registrations/application-lists.js'
import { type ApplicationRow, updateApplication } from '../../storage/sql/registrations/applications.js'
import { endImitations } from '../brands/imitations.js'
import { recordEndedCredentials } from '../credentials/ended-credentials.js'
import { checkRegistered } from '../documents/described-elsewhere.js'
import { changed } from '../ledger-events.js'
import type { Registration } from '../records.js'
import { toRegistration } from '../rows.js'
import {
  type DirectoryWrites,
  recordApplication,
  recordRevocations,
  requireApplication,
  type Writing,
  write,
} from '../writes.js'
import { checkNewName } from './names.js'
import { noteNewOrigins } from './new-origins.js'
import { nextRedirectEpochs } from './redirect-epochs.js'
import { checkRedirectUris, type RedirectUriLists, redirectUriPurposes } from './redirect-uri-lists.js'
import { changeOptions, type RegistrationOptions } from './registration-options.js'
import { checkNamesFree } from './taken-names.js'

export interface RegistrationChanges extends RedirectUriLists, RegistrationOptions {
  name?: string | undefined
  state?: 'enabled' | 'disabled' | undefined
}

/**
 * Changes a name, the state, options, or whole lists of redirect URIs. Disabling refuses the application's tokens from
 * this change on, until it is enabled again; another method of proof, or a key that is gone, refuses those that are
 * out. Throws DirectoryRefusal (ApplicationNotFound, InvalidName, InvalidRedirectUri, InvalidKeys, NativeApplication,
 * DescribedByDocument).
 */
export async function changeApplication(
  deps: DirectoryWrites,
  applicationId: string,
  changes: RegistrationChanges,
): Promise<Registration> {
  return write(deps, (writing) => changeInTransaction(deps, writing, applicationId, changes))
}

/** The same inside a transaction of the caller's. */
export async function changeInTransaction(
  deps: DirectoryWrites,
  writing: Writing,
  applicationId: string,
  changes: RegistrationChanges,
): Promise<Registration> {
  const record = await requireApplication(writing, applicationId)
  if (Object.entries(changes).some(([name, value]) => name !== 'state' && value !== undefined)) checkRegistered(record)
  const { application } = record
  const lists = checkRedirectUris(changes, application.type === 'web' ? 'web' : 'native')
  const before = toRegistration(record)
  const name = checkNewName(before.name, changes.name ?? before.name, 'name', 'application', changes.verified)
  const { columns, ended } = changeOptions(before, changes)
  const origins = lists.redirectUris === undefined ? undefined : nextRedirectEpochs(before, lists.redirectUris)
  await checkNamesFree(deps, writing, before, { name, publisher: columns.publisher, applicationId })
  const row = await updateApplication(writing.tx, application.id, {
    ...columns,
    updated_at: writing.nowMs,
    name,
    ...(changes.state === undefined ? {} : { state: changes.state }),
    ...(origins === undefined ? {} : { redirect_epochs: origins.column }),
  })
  for (const [list, purpose] of redirectUriPurposes) {
    const uris = lists[list]
    if (uris !== undefined) await replaceRedirectUris(writing.tx, application.id, purpose, uris)
  }
  if (origins !== undefined) await noteNewOrigins(deps, writing, before, origins)
  recordApplication(writing, row ?? application)
  await revokeEnded(deps, writing, application, ended)
  const after = toRegistration(await requireApplication(writing, application.id))
  // Another publisher is verified anew, also when the one before was: only an operator leaves it so.
  if (after.verified && (!before.verified || after.publisher !== before.publisher)) {
    await endImitations(deps, writing, after)
  }
  for (const event of changed(before, after, origins?.added)) await appendAudit(deps, writing.tx, event)
  return after
}

/** Refuses the tokens that these credentials got. */
async function revokeEnded(
  deps: DirectoryWrites,
  writing: Writing,
  application: ApplicationRow,
  ended: 'all' | readonly string[],
): Promise<void> {
  const { id } = application
  if (ended === 'all') return recordRevocations(deps, writing, [{ what: 'application', id }])
  const credentialIds = ended.map((kid) => clientKeyCredential(id, kid))
  await recordEndedCredentials(deps, writing, application, credentialIds)
}
