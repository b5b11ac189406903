// What the routes of providers answer; as schemas.ts is for the rest.

import { type Static, Type } from 'typebox'

const orNull = Type.Union([Type.String(), Type.Null()])

const provider = Type.Object({
  /** By which the configuration calls it, and the profiles of those who come through it. */
  name: Type.String(),
  label: Type.String(),
  issuer: Type.String(),
  clientId: Type.String(),
  hasSecret: Type.Boolean(),
  scope: Type.String(),
  /** Whether a person whom nobody knows yet gets an account, in which tenant and role. */
  createUsers: Type.Boolean(),
  tenantId: orNull,
  role: Type.String(),
  /** The claim by whose values people get their role; null: none. */
  rolesClaim: orNull,
  /** Whether authorities of its own are configured. */
  ownAuthorities: Type.Boolean(),
  /** What has to be registered there. */
  redirectUri: Type.String(),
})

/** The answers, by what they describe. */
export const providerAnswers = {
  provider,
  providers: Type.Object({ value: Type.Array(provider) }),
  /** The steps up to the first that fails. */
  check: Type.Object({
    name: Type.String(),
    /** No step failed. */
    ok: Type.Boolean(),
    redirectUri: Type.String(),
    steps: Type.Array(
      Type.Object({
        step: Type.Enum(['discovery', 'issuer', 'endpoints', 'keys', 'client']),
        state: Type.Enum(['ok', 'fail', 'unknown']),
        message: Type.String(),
        advice: orNull,
      }),
    ),
  }),
}

/** An answer by what it describes. */
export type ProviderAnswers<Subject extends keyof typeof providerAnswers> = Static<(typeof providerAnswers)[Subject]>
