// From the text of an export to what it says, within what a server does for one caller: the text is parsed in one go, so
// its length and the number of its values are bounded such that nobody waits long for it, and others have their turn
// between its applications (decision 126).

import { RegistrationProblem } from '../registrations/problem.js'
import { parseDocument } from './document.js'
import { mostApplications, mostCharacters } from './import-bounds.js'
import type { ImportBody } from './import-schemas.js'
import { type PreparedOne, readPrepared } from './prepared.js'
import { slices } from './slices.js'
import type { Conversion } from './sources/conversion.js'
import { countApplications, countInTexts, detectSource } from './sources/detect-source.js'
import { convertInTurns, type Source } from './sources/sources.js'

const mostValues = 20_000
const mostPermissions = 5_000
/** Of what a look answers: a note or a permission is one value of an export, and several there. */
const mostPreparedValues = 8 * mostValues
const names: Readonly<Record<Source, string>> = {
  entra: 'Microsoft Entra ID',
  keycloak: 'Keycloak',
  hydra: 'Ory Hydra',
  auth0: 'Auth0',
}

export interface Export extends Conversion {
  source: Source
  imported: PreparedOne[]
}

/** What it says. Throws RegistrationProblem with what is wrong, and quotes nothing of it but names of fields. */
export async function readExport({ content, source }: Pick<ImportBody, 'content' | 'source'>): Promise<Export> {
  const next = slices()
  if (source === 'prepared') return bounded(readPrepared(parseDocument(content, { mostValues: mostPreparedValues })))
  if (content.length > mostCharacters) throw wrong('it is larger than 1 MiB: export clients alone, without users')
  const document = parseDocument(content, { mostValues })
  await next()
  const detected = detectSource(document)
  const whose = source ?? detected
  if (whose === undefined) throw wrong('it is not recognized as an export of Auth0, Keycloak, Entra ID or Hydra')
  if (countApplications(document) > mostApplications) throw tooMany()
  if (countInTexts(document) > mostValues) throw wrong(`it lists more than ${mostValues} scopes or addresses in texts`)
  if (detected !== undefined && detected !== whose) {
    throw wrong(`it looks like an export of ${names[detected]}, not of ${names[whose]}`)
  }
  return bounded({ source: whose, ...(await convertInTurns(whose, document, next)) })
}

function bounded<Read extends Conversion>(read: Read): Read {
  if (read.imported.length + read.left.length > 2 * mostApplications) throw tooMany()
  const requested = read.imported.reduce((sum, { permissions }) => sum + permissions.length, 0)
  if (requested > mostPermissions) throw wrong(`it asks for more than ${mostPermissions} permissions`)
  return read
}

function tooMany(): RegistrationProblem {
  return wrong(`it has more than ${mostApplications} clients: split it, or use portcullis import`)
}

function wrong(why: string): RegistrationProblem {
  return new RegistrationProblem('what_was_said', `the file cannot be imported: ${why}`)
}
