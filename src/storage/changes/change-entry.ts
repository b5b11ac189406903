// What one change says, and the only way to read one from text. The Store and the stream keep entries as JSON; both
// are read here, so that neither can bring in what the other would refuse.

import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'

/** What a revocation can name. `seq` decides, never a clock, except for a token, which is named exactly by its jti. */
export const RevocationKind = Type.Union([
  Type.Literal('token'),
  Type.Literal('credential'),
  Type.Literal('grant'),
  /** An application in one tenant, for one person or for itself: all its tokens of it (revocation/holder.ts). */
  Type.Literal('holder'),
  Type.Literal('application'),
  Type.Literal('user'),
  Type.Literal('tenant'),
])

const Name = Type.String({ minLength: 1 })
const State = Type.Union([Type.Literal('enabled'), Type.Literal('disabled')])
const strict = { additionalProperties: false }

export const ChangeEntry = Type.Union([
  /**
   * Tokens of this subject with a lower `seq` are refused (a token: this jti); forgotten after `expiresAt` (epoch ms).
   */
  Type.Object({ kind: Type.Literal('revoked'), what: RevocationKind, id: Name, expiresAt: Type.Number() }, strict),
  /** Anything about an application changed: its row, secrets, permissions, installations, consents. */
  Type.Object({ kind: Type.Literal('application'), applicationId: Name, state: State }, strict),
  /** A secret got this end (epoch ms), earlier or later than before. */
  Type.Object({ kind: Type.Literal('credential-end'), keyId: Name, endsAt: Type.Number() }, strict),
  Type.Object({ kind: Type.Literal('tenant'), tenantId: Name, state: State }, strict),
  /** A person was enabled or disabled. */
  Type.Object({ kind: Type.Literal('user'), userId: Name, state: State }, strict),
  /** An application was given a plan, or overrides of its numbers (JSON); both empty: nobody says anything of it. */
  Type.Object(
    { kind: Type.Literal('plan'), applicationId: Name, plan: Type.String(), overrides: Type.String() },
    strict,
  ),
  /** The APIs of tenants changed: read them again. */
  Type.Object({ kind: Type.Literal('apis') }, strict),
  /** Approved definitions of the tools of a route, by its id, changed, or what its server gives instead: read them again. */
  Type.Object({ kind: Type.Literal('tool-definitions'), route: Name }, strict),
  /** Numbers above `after` and below this one were never given: tokens that carry one are refused. */
  Type.Object({ kind: Type.Literal('gap'), after: Type.Number() }, strict),
  /** The signing keys changed: read them again. */
  Type.Object({ kind: Type.Literal('keys') }, strict),
])
export type ChangeEntry = Static<typeof ChangeEntry>

const validator = Compile(ChangeEntry)

/**
 * Reads the JSON of an entry. Throws a SyntaxError for text that is no JSON, a TypeError for anything that is not
 * exactly an entry this program knows: a newer program's kind is a reason to load anew, never one to go on without it.
 */
export function readEntry(body: string): ChangeEntry {
  const entry: unknown = JSON.parse(body)
  if (!validator.Check(entry)) throw new TypeError('a change has a body that is no entry')
  return entry
}
