// What the part of the management API that is about people takes and answers; as schemas.ts is for the rest.

import { type Static, Type } from 'typebox'
import { languages } from '../../languages/language.js'
import { pageQuery } from '../answers/page.js'

const strict = { additionalProperties: false }
const reference = Type.String({ minLength: 1, maxLength: 256 })
const text = Type.String({ maxLength: 512 })
const role = Type.Enum(['owner', 'administrator', 'developer', 'member'])
const state = Type.Enum(['enabled', 'disabled'])
const language = Type.Union([Type.Enum([...languages]), Type.Null()])
const orNull = Type.Union([Type.String(), Type.Null()])

/** The queries of lists. */
export const peopleQueries = {
  /** `email` finds one person, however the address is spelt; `search` is a part of the name or the address. */
  users: Type.Object(
    {
      ...pageQuery.properties,
      tenantId: Type.Optional(reference),
      email: Type.Optional(text),
      search: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
      /** Only people who have to have a second factor and have none. */
      secondFactor: Type.Optional(Type.Literal('missing')),
    },
    strict,
  ),
  sessions: Type.Object({ ...pageQuery.properties, userId: reference }, strict),
  /** Absent: the caller's own tenant. */
  invitations: Type.Object({ ...pageQuery.properties, tenantId: Type.Optional(reference) }, strict),
}

/** The request bodies, by operation. */
export const peopleBodies = {
  /** Without a password the person gets in by an invitation or a reset link only. */
  createUser: Type.Object(
    {
      email: text,
      name: text,
      password: Type.Optional(Type.String({ maxLength: 2048 })),
      /** The caller that creates them knows that the address is theirs. */
      emailVerified: Type.Optional(Type.Boolean()),
      tenantId: Type.Optional(reference),
      role: Type.Optional(role),
      /** What they want to read. */
      language: Type.Optional(language),
    },
    strict,
  ),
  changeUser: Type.Object(
    {
      name: Type.Optional(text),
      email: Type.Optional(text),
      state: Type.Optional(state),
      /**
       * Confirms `email`, or without it the present address, for operators; for administrators where no mail is sent.
       */
      emailVerified: Type.Optional(Type.Literal(true)),
      operator: Type.Optional(Type.Boolean()),
      /** Of the pages and mails that they read; null: what their browser likes best. */
      language: Type.Optional(language),
    },
    { ...strict, minProperties: 1 },
  ),
  addMembership: Type.Object({ userId: reference, role }, strict),
  changeMembership: Type.Object({ role }, strict),
  invite: Type.Object({ tenantId: Type.Optional(reference), email: text, role: Type.Optional(role) }, strict),
  /** `email`: what they have at the provider; absent: their own here. `tenantId`: absent, the caller's own. */
  linkProvider: Type.Object({ tenantId: Type.Optional(reference), email: Type.Optional(text) }, strict),
  recover: Type.Object({ tenantId: reference, email: text }, strict),
}

const membership = Type.Object({ userId: Type.String(), tenantId: Type.String(), role, createdAt: Type.String() })
const user = {
  userId: Type.String(),
  email: Type.String(),
  emailVerified: Type.Boolean(),
  name: Type.String(),
  state,
  idProvider: Type.String(),
  hasPassword: Type.Boolean(),
  hasSecondFactor: Type.Boolean(),
  /** An address that was requested and does not count until it is confirmed. */
  pendingEmail: orNull,
  /** Looks after the whole installation. */
  operator: Type.Boolean(),
  /** Of the pages and mails that they read; null: they did not say. */
  language,
  createdAt: Type.String(),
  updatedAt: Type.String(),
  lastSignInAt: orNull,
}

/** Somebody in a list; of the people of a tenant with their role in it. */
const listedUser = { ...user, role: Type.Optional(role) }

/** The answers. Times are RFC 3339 in UTC. */
export const peopleAnswers = {
  user: Type.Object({ ...user, passkeys: Type.Integer(), memberships: Type.Array(membership) }),
  users: Type.Object({ value: Type.Array(Type.Object(listedUser)), nextLink: Type.Optional(Type.String()) }),
  operators: Type.Object({ value: Type.Array(Type.Object(user)) }),
  membership,
  memberships: Type.Object({ value: Type.Array(membership), nextLink: Type.Optional(Type.String()) }),
  /** `url` is here and nowhere else, once; absent when it went by mail. */
  link: Type.Object({ url: Type.Optional(Type.String()), mailed: Type.Boolean(), expiresAt: Type.String() }),
  invitations: Type.Object({
    value: Type.Array(
      Type.Object({
        id: Type.String(),
        tenantId: Type.String(),
        email: Type.String(),
        role,
        createdAt: Type.String(),
        expiresAt: Type.String(),
      }),
    ),
    nextLink: Type.Optional(Type.String()),
  }),
  sessions: Type.Object({
    value: Type.Array(
      Type.Object({
        id: Type.String(),
        userId: Type.String(),
        createdAt: Type.String(),
        lastSeenAt: Type.String(),
        expiresAt: Type.String(),
        acr: Type.String(),
        amr: Type.Array(Type.String()),
        userAgent: Type.String(),
        address: Type.String(),
      }),
    ),
    nextLink: Type.Optional(Type.String()),
  }),
}

/** A request body by its operation, such as `PeopleBody<'createUser'>`. */
export type PeopleBody<Operation extends keyof typeof peopleBodies> = Static<(typeof peopleBodies)[Operation]>
/** An answer by what it describes, such as `PeopleAnswer<'user'>`. */
export type PeopleAnswer<Subject extends keyof typeof peopleAnswers> = Static<(typeof peopleAnswers)[Subject]>
/** The query of a list, such as `PeopleQuery<'users'>`. */
export type PeopleQuery<List extends keyof typeof peopleQueries> = Static<(typeof peopleQueries)[List]>
