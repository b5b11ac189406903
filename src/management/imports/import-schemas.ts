// What imports take and answer; see schemas.ts for how requests and answers are held to it.

import { type Static, Type } from 'typebox'
import { mostPrepared } from './import-bounds.js'

const strict = { additionalProperties: false }

const source = Type.Enum(['entra', 'keycloak', 'hydra', 'auth0', 'prepared'])

export const importBodies = {
  import: Type.Object(
    {
      /** Absent: the oldest tenant. */
      tenantId: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
      /** Whose export it is; absent: found out by its fields. `prepared`: what a look beforehand answered. */
      source: Type.Optional(source),
      /** The text of the export. */
      content: Type.String({ minLength: 1, maxLength: mostPrepared }),
      /** True: an application that exists becomes what the export says. */
      update: Type.Optional(Type.Boolean()),
      /** From names of permissions in the export to those here; `-` leaves one out. */
      permissionMap: Type.Optional(
        Type.Record(Type.String({ maxLength: 512 }), Type.String({ minLength: 1, maxLength: 512 }), {
          maxProperties: 500,
        }),
      ),
    },
    strict,
  ),
}
export type ImportBody = Static<typeof importBodies.import>

const note = Type.Object({ field: Type.String(), message: Type.String() })
const item = {
  /** Its identifier in the export. */
  sourceId: Type.String(),
  name: Type.String(),
  type: Type.Enum(['web', 'native']),
  /** `exists`: it is left alone. `notReached`: there was no time left for it. */
  result: Type.Enum(['created', 'changed', 'unchanged', 'exists', 'failed', 'notReached']),
  reason: Type.Optional(Type.String()),
  /** Of the application that is there now. */
  applicationId: Type.Optional(Type.String()),
  differences: Type.Array(
    Type.Object({ field: Type.String(), removed: Type.Array(Type.String()), added: Type.Array(Type.String()) }),
  ),
  /** What of it has no place here. */
  notes: Type.Array(note),
}
const counts = Type.Object({
  created: Type.Integer(),
  changed: Type.Integer(),
  unchanged: Type.Integer(),
  exists: Type.Integer(),
  failed: Type.Integer(),
  notReached: Type.Integer(),
})
const whole = {
  /** Whose export it is. */
  source,
  tenantId: Type.String(),
  counts,
  /** What is no application that could be registered here. */
  left: Type.Array(Type.Object({ sourceId: Type.String(), why: Type.String() })),
  /** Names of the map that nothing asks for. */
  unusedNames: Type.Array(Type.String()),
}

export const importAnswers = {
  plan: Type.Object({
    ...whole,
    value: Type.Array(
      Type.Object({
        ...item,
        /** Permissions that it asks for and that nobody knows here, by their names in the export. */
        unknownPermissions: Type.Array(Type.String()),
        /** It gets a client secret, shown once. */
        makesSecret: Type.Boolean(),
      }),
    ),
    /** The export without secrets, people and all else that is not needed: send it as `content` to carry this out. */
    prepared: Type.String(),
  }),
  imported: Type.Object({
    ...whole,
    value: Type.Array(
      Type.Object({
        ...item,
        /** New, and shown this once. */
        clientSecret: Type.Optional(Type.String()),
        secret: Type.Optional(Type.Object({ keyId: Type.String(), endsAt: Type.String() })),
      }),
    ),
  }),
}
export type ImportAnswer<What extends keyof typeof importAnswers> = Static<(typeof importAnswers)[What]>
