// Why something about people may not be done as requested. Each edge makes its own answer of it; nothing in it is
// secret.

import { Refusal } from '../oauth/errors/refusal.js'

/** What kind of refusal each code is: it decides the HTTP status at the edge. */
const userRefusalKinds = {
  UserNotFound: 'not_found',
  MembershipNotFound: 'not_found',
  SessionNotFound: 'not_found',
  PasskeyNotFound: 'not_found',
  /** Also used, over, or of another purpose: nobody is told which. */
  LinkNotFound: 'not_found',
  InvalidEmail: 'invalid',
  InvalidName: 'invalid',
  InvalidRole: 'invalid',
  PasswordRefused: 'invalid',
  WrongPassword: 'invalid',
  WrongCode: 'invalid',
  /** Only the reader of the person's mail may have the link, and there is no mail. */
  MailNeeded: 'conflict',
  EmailTaken: 'conflict',
  AlreadyMember: 'conflict',
  TooManyPeople: 'conflict',
  LastOwner: 'conflict',
  LastOperator: 'conflict',
  HasOwner: 'conflict',
  TenantNeeded: 'invalid',
  TenantDisabled: 'conflict',
  UserDisabled: 'conflict',
  /** What was proved is of before everything of this person was ended. */
  ProofOvertaken: 'conflict',
  NoPassword: 'conflict',
  SecondFactorExists: 'conflict',
  NoSecondFactor: 'conflict',
  OtherPerson: 'conflict',
  ProviderNotLinked: 'not_found',
  ProviderLinked: 'conflict',
  /** Decision 130: an administrator of the tenant does that. */
  TenantKeepsLink: 'conflict',
  ProviderNotTaken: 'conflict',
  /** Before they join a tenant that would take it as who they are. */
  LinkedBefore: 'conflict',
  /** The provider says another address than the administrator did, or none. */
  OtherAddress: 'conflict',
  OnlyWayIn: 'conflict',
  SecondFactorRequired: 'conflict',
} as const

export type UserRefusalCode = keyof typeof userRefusalKinds

/** A refused operation on people. `message` is safe to send and to show; `target` names the field it is about. */
export class UserRefusal extends Refusal<UserRefusalCode> {
  constructor(code: UserRefusalCode, message: string, target?: string) {
    super(userRefusalKinds, { code, message, target })
  }
}

/** The rule of users/credentials/ that a new password breaks; a bound is in characters, or in bytes at most. */
export type PasswordRule = { rule: 'short' | 'long'; bound: number } | { rule: 'common' | 'personal' | 'leaked' }

/** A new password that will not do, with the rule that it breaks. */
export class PasswordRefusal extends UserRefusal {
  readonly broken: PasswordRule

  constructor(broken: PasswordRule, message: string) {
    super('PasswordRefused', message, 'password')
    this.broken = broken
  }
}

/**
 * No more mail goes for now: to this address, in this tenant, of this sender, or at all. The message does not say
 * which.
 */
export class MailLimitReached extends Error {
  readonly retryAfterSeconds: number

  constructor(retryAfterSeconds: number) {
    super('Too much mail was sent. Try again later.')
    this.name = 'MailLimitReached'
    this.retryAfterSeconds = retryAfterSeconds
  }
}
