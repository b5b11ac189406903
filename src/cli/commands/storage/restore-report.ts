// What `portcullis restore` says: before, what will be forgotten; after, what has ended, what came back, and what nobody
// knows.

import type { DatabaseFacts } from '../../../storage/sql/copies/database-facts.js'
import type { Subject } from '../../../storage/sql/copies/rules/rule-shapes.js'
import { notKnown } from '../../../storage/sql/copies/rules/table-rules.js'
import type { Counts, StillEnded } from '../../../storage/sql/copies/still-ended.js'
import { counted } from '../../output/counted.js'
import { shellQuoted } from '../../output/shell-word.js'
import type { Terminal } from '../../output/terminal.js'
import type { Manifest } from './backup-folder.js'
import type { Replaced } from './put-in-place.js'

/** What is to be confirmed. */
export function question(
  { madeAt, database }: Manifest,
  present: DatabaseFacts | undefined,
  areTokensKept: boolean,
): string {
  const tokens = areTokensKept
    ? 'Tokens and sign-ins of the backup go on.'
    : 'Every token and every sign-in ends: people sign in again, and applications take new tokens.'
  if (present === undefined) return `${tokens} Put the backup of ${madeAt} in place?`
  const forgotten = Math.max(0, present.ledger.position - database.ledger.position)
  const counts = (facts: Pick<DatabaseFacts, 'rows'>) =>
    `${counted(facts.rows['applications'], 'application', 'applications')} and ` +
    counted(facts.rows['users'], 'person', 'people')
  return (
    `The database has ${counts(present)}, the backup of ${madeAt} has ${counts(database)}. ` +
    `${counted(forgotten, 'event of the audit log is', 'events of the audit log are')} newer than the backup and ` +
    `will be forgotten. ${tokens} Restore it?`
  )
}

interface Restored {
  folder: string
  manifest: Manifest
  replaced: Replaced
  /** Undefined: there was nothing to know it from. */
  ended: StillEnded | undefined
  /** Ids of the signing keys of the backup. */
  keys: readonly string[]
  /** Tokens go on. */
  isKept: boolean
}

/** What a restore ends unless tokens are kept. */
export const allEnded =
  'Every token and sign-in of before has ended. People sign in again, and applications take new tokens.'

/** Says what was done, and what is left to do. */
export function reportRestored(terminal: Terminal, restored: Restored): void {
  const { folder, manifest, replaced, ended, keys, isKept } = restored
  const { madeAt, database } = manifest
  terminal.say(`The state of ${madeAt} is in place, with the audit log up to event ${database.ledger.position}.`)
  if (!isKept) terminal.say(allEnded)
  for (const path of replaced.aside) terminal.say(`Kept: ${path}`)
  for (const path of replaced.keys) terminal.say(`Brought by the backup: ${path}`)
  if (ended === undefined) {
    reportNotKnown(terminal, keys)
    if (isKept) {
      terminal.say('Tokens and sign-ins of the backup go on, also those that ended since. To end them all, before the')
      terminal.say('server starts:')
      terminal.say(`  portcullis restore ${shellQuoted(folder)} --yes`)
    }
  } else {
    if (ended.ended.length > 0) terminal.say(`Ended since the backup, and still ended: ${listed(ended.ended)}.`)
    if (ended.back.length > 0) {
      terminal.say(`Deleted since, and back with all that they had: ${listed(ended.back)}.`)
    }
  }
  terminal.say('Next: start the server.')
}

const listed = (counts: Counts) => counts.map(({ what, count }) => `${count} ${what}`).join(', ')

const headings: Readonly<Record<Subject, string>> = {
  applications: 'Of applications',
  people: 'Of people',
  tenants: 'Of tenants',
  server: 'Of the server',
}

/** Says what is as the copy has it, and how to refuse what the signing keys of the copy signed. */
export function reportNotKnown(terminal: Terminal, keys: readonly string[]): void {
  terminal.say(
    'Nothing here knows what was taken away since the backup: it is as the backup has it. Look at the audit log',
  )
  terminal.say('of before, and end again what had ended:')
  for (const [subject, labels] of notKnown()) terminal.say(`  ${headings[subject]}: ${labels.join(', ')}`)
  terminal.say(
    'A signing key that was removed since verifies again. If you removed one since the backup, remove that one',
  )
  terminal.say('again once the server runs. The keys of the backup:')
  for (const kid of keys) terminal.say(`  portcullis keys remove ${kid} --yes`)
}
