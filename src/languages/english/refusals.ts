// What the rooms below refuse, as it stands at a field or above a form. The keys are the codes of users/refusal.ts and
// directory/refusal.ts; a code that is not here is said in the words of the API.

export const refusals = {
  NoPassword: 'This account has no password.',
  WrongPassword: 'That is not your present password.',
  WrongCode: 'That code is not right, or no longer.',
  InvalidEmail: 'That is not an e-mail address.',
  EmailTaken: 'Somebody has this e-mail address already.',
  OtherPerson: 'This invitation is for another e-mail address: sign in with that one.',
  HasOwner: 'There is an owner already: ask them for an invitation.',
  AlreadyMember: 'This person is a member of the tenant already.',
  TenantDisabled: 'The tenant is disabled.',
  TenantNeeded: 'Name the organisation.',
  UserDisabled: 'This account is disabled.',
  SessionNotFound: 'This session has ended.',
  PasskeyNotFound: 'There is no such passkey.',
  NoSecondFactor: 'There is no second factor.',
  SecondFactorExists: 'There is a second factor already.',
  ProviderNotLinked: 'This provider is not linked.',
  LinkedBefore:
    'This organisation lets people in through a provider that you linked yourself before. Unlink it on your account page, open this link again, and ask an administrator for a link to the provider.',
  OtherAddress:
    'The provider does not confirm the address for which this link was made. Sign in there with that account, or ask for a link for another address.',
  ProviderNotTaken: 'Your organisation does not take sign-ins through this provider.',
  TenantKeepsLink:
    'An organisation of yours lets people in through this provider, so only its administrators link it: ask one of them.',
  SecondFactorRequired: 'This account has to have a second factor: set another one up before you remove this one.',
  OnlyWayIn: 'This is the only way you can sign in. Add a passkey first.',
  /** By the rule that a new password breaks. */
  password: {
    short: (least: number) => `A password has at least ${least} characters.`,
    long: (most: number) => `A password has at most ${most} bytes.`,
    common: 'This password is among the first that are tried. Choose another one, such as a few unrelated words.',
    personal:
      'A password must not contain your e-mail address, a part of it, your name, that of your organisation, or that of this service.',
    leaked: 'This password is in a list of passwords that have leaked. Choose another one.',
  },
}
