// What the management of brands takes and answers. Logos come in as base64 and go out as the address they are served at.

import { type Static, Type } from 'typebox'

const strict = { additionalProperties: false }
/** Bounded here; what each may be is decided in branding/. Null, or an empty text, takes away. */
const text = (maxLength: number) => Type.Optional(Type.Union([Type.String({ maxLength }), Type.Null()]))
const link = text(512)
/** 64 KiB in base64. */
const picture = text(87_384)

/** A logo where it is served; null: none. */
export const logoAnswer = Type.Union([
  Type.Object({ path: Type.String(), type: Type.String(), width: Type.Integer(), height: Type.Integer() }),
  Type.Null(),
])

export const brandBodies = {
  tenant: Type.Object(
    {
      name: text(512),
      accent: text(32),
      accentDark: text(32),
      terms: link,
      privacy: link,
      support: link,
      logo: picture,
      logoDark: picture,
    },
    { ...strict, minProperties: 1 },
  ),
  application: Type.Object({ home: link, terms: link, privacy: link, logo: picture }, { ...strict, minProperties: 1 }),
  /** Why, for the audit log of whose it was. */
  removal: Type.Object({ reason: Type.String({ minLength: 1, maxLength: 200 }) }, strict),
}

export const brandAnswers = {
  /** Empty: not said. */
  tenant: Type.Object({
    tenantId: Type.String(),
    name: Type.String(),
    /** What its pages are headed with: that name, else the tenant's. */
    shownName: Type.String(),
    accent: Type.String(),
    accentDark: Type.String(),
    terms: Type.String(),
    privacy: Type.String(),
    support: Type.String(),
    logo: logoAnswer,
    logoDark: logoAnswer,
  }),
  application: Type.Object({
    applicationId: Type.String(),
    /** What it is called, and which tenant registered it. */
    name: Type.String(),
    tenantName: Type.String(),
    home: Type.String(),
    terms: Type.String(),
    privacy: Type.String(),
    logo: logoAnswer,
  }),
}

/** A request body, as JSON. */
export type BrandBody<Name extends keyof typeof brandBodies> = Static<(typeof brandBodies)[Name]>
/** An answer, as JSON. */
export type BrandAnswer<Name extends keyof typeof brandAnswers> = Static<(typeof brandAnswers)[Name]>
