// Who does what a page writes.

import type { FastifyRequest } from 'fastify'
import { writesAs } from '../directory/actor.js'
import { findUser } from '../users/accounts/users.js'
import type { User } from '../users/records.js'
import { isSignedIn, type SessionName } from '../users/sessions/signed-in.js'
import type { UserWrites } from '../users/writes.js'
import type { PageDependencies } from './dependencies.js'
import { originOf } from './origin.js'
import { signedOut } from './signed-out.js'

/** Somebody who is signed in, as the page found them. */
export interface SignedIn {
  /** `isOperator`: where what they do may rest on it. */
  user: Pick<User, 'userId'> & Partial<Pick<User, 'isOperator'>>
  session: SessionName
}

/**
 * The collaborators of people's writes, with who does it and from where for the audit log. Nothing is written for somebody
 * who has been signed out or disabled meanwhile, or is an operator no more: the transaction throws PageError 403.
 */
export function actingAs(
  deps: Pick<PageDependencies, 'users'>,
  request: FastifyRequest,
  { user: { userId, isOperator }, session }: SignedIn,
): UserWrites {
  return writesAs(deps.users, {
    ...originOf(request, { kind: 'user', userId }),
    async precondition(tx) {
      const isStill =
        (await isSignedIn(tx, userId, session)) && (isOperator !== true || (await findUser(tx, userId))?.isOperator)
      if (isStill !== true) throw signedOut(request)
    },
  })
}

/** The same for somebody who is about to be signed in, or out: what they proved is looked at by what is written. */
export function signingIn(deps: Pick<PageDependencies, 'users'>, request: FastifyRequest, userId: string): UserWrites {
  return writesAs(deps.users, originOf(request, { kind: 'user', userId }))
}
