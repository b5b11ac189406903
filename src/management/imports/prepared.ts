// An export as it is kept between a look and the import: what would be registered, without secrets, people and all else
// that is not needed, and in which state each application was then.

import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { RegistrationProblem } from '../registrations/problem.js'
import { mostPrepared } from './import-bounds.js'
import type { ImportItem } from './import-plan.js'
import type { Conversion, Imported } from './sources/conversion.js'
import { type Source, sources } from './sources/sources.js'

/** `seen`: its entity tag; absent: it was not there. */
export interface PreparedOne extends Imported {
  seen?: string
}

export interface Prepared extends Pick<Conversion, 'left'> {
  source: Source
  imported: PreparedOne[]
}

/** Of one application; more of them help nobody. */
const mostNotes = 50
const texts = Type.Array(Type.String())
const strict = { additionalProperties: false }
const validator = Compile(
  Type.Object(
    {
      source: Type.Enum([...sources]),
      left: Type.Array(Type.Object({ sourceId: Type.String(), why: Type.String() }, strict)),
      imported: Type.Array(
        Type.Object(
          {
            sourceId: Type.String(),
            name: Type.String(),
            type: Type.Enum(['web', 'native']),
            audience: Type.Enum(['home', 'any']),
            disabled: Type.Boolean(),
            redirectUris: texts,
            logoutRedirectUris: texts,
            requirePkce: Type.Boolean(),
            jwks: Type.Optional(Type.Unknown()),
            provesByKey: Type.Boolean(),
            idTokenAlg: Type.Optional(Type.Enum(['RS256', 'ES256', 'EdDSA'])),
            publisher: Type.String(),
            permissions: Type.Array(
              Type.Object(
                { name: Type.String(), aliases: texts, kinds: Type.Array(Type.Enum(['application', 'delegated'])) },
                strict,
              ),
            ),
            notes: Type.Array(Type.Object({ field: Type.String(), message: Type.String() }, strict)),
            seen: Type.Optional(Type.String()),
          },
          strict,
        ),
      ),
    },
    strict,
  ),
)

/** Of what was planned. Keys are those that the rules take: public ones, without what belongs to nobody else. */
export function prepare(source: Source, { left }: Pick<Conversion, 'left'>, items: readonly ImportItem[]): string {
  const imported = items.map(({ one: { keys, refused: _refused, jwks: _jwks, ...one }, plan }) => ({
    ...one,
    notes: one.notes.slice(0, mostNotes),
    ...(keys === undefined ? {} : { jwks: keys }),
    ...(plan?.tag === undefined ? {} : { seen: plan.tag }),
  }))
  const prepared = JSON.stringify({ source, left, imported })
  if (prepared.length <= mostPrepared) return prepared
  const message = 'the file cannot be imported: what it comes to is too much at once. Export fewer clients at a time'
  throw new RegistrationProblem('what_was_said', message)
}

/** What `prepare` made. Throws RegistrationProblem for anything else. */
export function readPrepared(document: unknown): Prepared {
  if (validator.Check(document)) return document as Prepared
  throw new RegistrationProblem('what_was_said', 'this is not what a look beforehand answered: send the export again')
}
