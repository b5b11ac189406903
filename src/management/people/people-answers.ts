// How people look in answers.

import type { SentLink } from '../../users/mail/send-link.js'
import type { Membership, Session, User } from '../../users/records.js'
import type { PeopleAnswer } from './people-schemas.js'

const time = (ms: number) => new Date(ms).toISOString()

/** A person, without anything that is secret. `pendingEmail`: the address that they wait for. */
export function userAnswer(user: User, pendingEmail: string | undefined): PeopleAnswer<'users'>['value'][number] {
  const { createdAt, updatedAt, lastSignInAt, isOperator, takesWorkMail: _, ...rest } = user
  return {
    ...rest,
    operator: isOperator,
    pendingEmail: pendingEmail ?? null,
    createdAt: time(createdAt),
    updatedAt: time(updatedAt),
    lastSignInAt: lastSignInAt === null ? null : time(lastSignInAt),
  }
}

/** A membership. */
export function membershipAnswer({ createdAt, ...rest }: Membership): PeopleAnswer<'membership'> {
  return { ...rest, createdAt: time(createdAt) }
}

/** A link that was just made. */
export function linkAnswer({ link, url }: SentLink): PeopleAnswer<'link'> {
  return { ...(url === undefined ? {} : { url }), mailed: url === undefined, expiresAt: time(link.expiresAt) }
}

/** A session; its id is a hash, with which nobody is let in. */
export function sessionAnswer(session: Session): PeopleAnswer<'sessions'>['value'][number] {
  const { idHash, userId, acr, amr, userAgent, address } = session
  return {
    id: idHash,
    userId,
    acr,
    amr: [...amr],
    userAgent,
    address,
    createdAt: time(session.createdAt),
    lastSeenAt: time(session.lastSeenAt),
    expiresAt: time(session.expiresAt),
  }
}
