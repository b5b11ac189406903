// Signing in, the second step, signing out, and the pages behind one-time links.

import type { Part, Sentence } from '../sentence.js'

export const signIn = {
  title: 'Sign in',
  again: 'Confirm it’s you',
  againIntro: 'Sign in again to continue.',
  or: 'or',
  orWith: 'or with',
  forgot: 'Forgot your password?',
  wrong: 'That e-mail address and password do not match. Check both, then try again.',
  wrongPasskey: 'That passkey was not accepted. Sign in with your password, or try again.',
  passkey: 'Use a passkey',
  noPasskey: 'No passkey was used.',
  tryOrPassword: 'Try again, or sign in with your password.',
  choose: 'Choose an account',
  continueAs: (person: string) => `Continue as ${person}`,
  useAnother: 'Use another account',
  asSomebodyElse: 'Sign in as somebody else',
  moment: 'One moment',
  signedIn: 'You are signed in.',
  goOn: 'Go on',
  nobodyYet: {
    title: 'This server has no owner yet',
    printed:
      'The first account is made with a set-up link. The server printed one when it first started; for another one, run this where the server runs:',
    notPrinted: 'The first account is made with a set-up link. To get it, run this where the server runs:',
  },
  secondStep: {
    title: 'Second step',
    intro: 'Enter the code that your authenticator app shows for Portcullis.',
    confirm: 'Confirm',
    useRecovery: 'Use a recovery code instead',
    recovery: 'Recovery code',
    recoveryHint: 'One of those that you kept when you set up the second step. Each works once.',
    wrong: 'That code is not right, was used already, or is no longer good. Wait for the next one and try again.',
  },
  stepUp: {
    title: 'Confirm with your second factor',
    intro: 'You are signed in. This action also needs your second factor.',
    useCode: 'Use a code of your app',
    goWithout: 'Go on without it',
    onlyPasskey: 'Your second factor is a passkey. It needs a browser that has it, with scripts on.',
    none: 'You have none yet. Set one up in another window, an app that shows codes or a passkey; what you have started waits here.',
    setUpCode: 'Set up codes of an app',
    setUpPasskey: 'Set up a passkey',
    isSetUp: 'I have set it up: go on',
    setUp: 'Set up a second factor',
    demanded: 'Your account needs a second factor before you go on: a code of an app, or a passkey.',
    demandedBy: (tenant: string) =>
      `${tenant} requires a second factor before you go on: a code of an app, or a passkey.`,
    until: (when: Part): Sentence => ['You can go on without one until ', when, '.'],
    later: 'Not now',
  },
  ways: {
    title: 'Sign in another way',
    what: (tenant: string, ways: string) =>
      ways === ''
        ? `${tenant} does not take the way in which you signed in, so nothing was opened.`
        : `${tenant} wants its people to sign in with ${ways}. You signed in another way, so nothing was opened.`,
    remedy:
      'Sign in that way; what you started waits here. If no account there is linked to yours yet, ask an administrator for a link.',
    nothing: (tenant: string) =>
      `This server has no such way now. Ask an owner of ${tenant}, who can still sign in here with a password or a passkey.`,
    own: 'Sign in with a password or a passkey',
    only: (tenant: string) => `${tenant} wants its people to sign in this way:`,
    owners: 'Owners can sign in with a password or a passkey',
  },
  signOut: {
    title: 'Sign out?',
    intro: 'You will be signed out in this browser. Applications that you allowed keep their access.',
    stay: 'Stay signed in',
    done: 'You are signed out',
    doneIntro: 'Nobody is signed in in this browser.',
    sentHere: 'You were sent here to sign out.',
    sentBy: (application: string) => `${application} sent you here to sign out.`,
    who: (person: object) => ['You are signed in as ', person, '. Applications that you use elsewhere stay connected.'],
    close: 'Nobody is signed in in this browser. You can close this page.',
    again: 'Sign in again',
  },
  invitation: {
    title: (tenant: string) => `Join ${tenant}`,
    intro: 'You have been invited.',
    role: 'Role',
    join: 'Join',
    hasAccount:
      'There is an account with this address already. Sign in with it, then open the link of the invitation once more.',
    name: 'Your name',
    choosePassword: 'Choose a password',
  },
  setUp: {
    title: 'Set up Portcullis',
    intro: 'You become the first owner: you can invite others, register applications and consent for everybody.',
    organisationHint: 'The first one; you can add others later.',
    organisationNamed: 'This server made one to begin with: give it the name of yours, or keep this one.',
    emailHint: 'You sign in with it.',
    create: 'Create the account',
  },
  reset: {
    title: 'Reset your password',
    noMail: 'This server sends no mail.',
    askAdministrator:
      'Ask an administrator of your organisation for a link to a new password. Links work once, for an hour.',
    intro: 'We will e-mail you a link to choose a new one.',
    send: 'Send the link',
    check: 'Check your e-mail',
    onItsWay:
      'If there is an account with this address, a link to a new password is on its way. It works once, for an hour.',
    noMailAsk: 'This server sends no mail. Ask an administrator of your organisation for a link to a new password.',
    choose: 'Choose a new password',
    chooseIntro: 'It signs you out everywhere and ends the access of applications.',
    newPassword: 'New password',
    set: 'Set the password',
    done: 'Your password is set',
    doneIntro: 'Sign in with it now.',
  },
}
