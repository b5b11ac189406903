// Refusals that a person sees as a page: what happened and what to do.

import { durationIn } from '../formats.js'

export const errors = {
  contactDeveloper: 'Close this page and contact the developer of the application. There is nothing you can do here.',
  tooLarge: {
    title: 'This form is too large',
    what: 'What your browser sent is larger than this page accepts.',
    remedy: 'Open the page again and submit less.',
  },
  nothingHere: {
    title: 'Page not found',
    what: 'There is nothing at this address.',
    remedy: 'Check how it is spelled, or go on from one of these pages.',
    start: 'Go to the start page',
    documentation: 'Documentation',
    numbers: 'Error numbers',
  },
  unexpected: {
    title: 'Something went wrong',
    what: 'An unexpected error occurred. This is not your fault.',
    remedy: (request: string) =>
      `Try again in a while. If it keeps happening, give the operator of this server this request number: ${request}`,
  },
  refused: { title: 'This request was refused', remedy: 'Go back to where you came from and start again.' },
  tooManyRequests: {
    title: 'Too many requests',
    what: 'Too many requests came from your network in a short time.',
    remedy: (seconds: number) => `Wait ${waiting(seconds)}, then open the page again.`,
  },
  cannot: {
    title: 'This cannot be done',
    remedy: 'Go back, check what you entered, and try again.',
    nothingChanged: 'Nothing was changed. Go back and check it.',
  },
  unreadable: {
    title: 'We could not read this request',
    what: 'Your browser sent something that this server could not read.',
    remedy: 'Open the page again.',
  },
  away: {
    title: 'This service is temporarily unavailable',
    what: 'It cannot reach its data, so nothing could be shown or changed.',
    remedy:
      'Wait a moment, then open the page again. If you were submitting a form, check first whether it went through.',
  },
  wrongMethod: {
    title: 'This page does not accept that method',
    what: (methods: string) => `This address answers ${methods} only.`,
    remedy: 'Open it in a browser.',
  },
  notAForm: {
    title: 'We could not read this form',
    what: 'The body must be application/x-www-form-urlencoded.',
    remedy: 'Open the page in a browser and send its form.',
  },
  malformedForm: {
    title: 'We could not read this form',
    what: 'What your browser sent is not a form.',
    remedy: 'Open the page again and send it once more.',
  },
  cookiesBlocked: {
    title: 'Cookies are blocked',
    started:
      'Your browser did not send back the cookie that this site gave it, so it is not clear what you had started.',
    startAgain:
      'Allow cookies for this site in your browser’s settings, then go back to the application and start again there. An address of this kind works only in the browser that began.',
    what: 'Your browser did not send back the cookie that this site gave it. Without it nobody can be signed in here.',
    remedy:
      'Allow cookies for this site in your browser’s settings, then open the page again. Private windows and extensions may block them too.',
  },
  expired: {
    title: 'This sign-in has expired',
    what: 'It was already completed, perhaps in another tab, it timed out, or it was started in another browser.',
    remedy: 'If the application works, close this page. If not, go back to the application and start again there.',
  },
  ended: {
    title: 'This sign-in has expired',
    what: 'It was already completed, it waited for more than an hour, or it was started in another browser.',
    remedy: 'Go back to the application that you came from and sign in again.',
    link: 'Go to your account',
  },
  doubledCookie: {
    title: 'This browser sent a cookie twice',
    what: 'A cookie of this site came twice with this request, so it is not clear which one is yours.',
    remedy: 'Delete the cookies of this site in your browser’s settings, then start again.',
  },
  formExpired: {
    title: 'This form has expired',
    what: 'Since you opened this page, you signed in or out, or continued in another tab. Nothing was changed.',
    remedy: 'Reload the page and try again. You may have to re-enter what you typed.',
  },
  foreignForm: {
    title: 'This request came from another site',
    what: 'Another website tried to submit a form here in your name. Nothing was changed.',
    remedy: 'If you meant to do this, open the page here and submit the form yourself.',
  },
  signedOut: {
    title: 'You are signed out',
    what: 'Your session ended before this form was sent, so nothing was changed.',
    remedy: 'Sign in again. You will come back to this page.',
  },
  tooOld: {
    title: 'Confirm it’s you',
    what: (seconds: number) => `You signed in more than ${durationIn('en', seconds)} ago, so nothing was changed.`,
    remedy: 'Sign in again. You will come back to this page.',
    link: 'Sign in once more',
  },
  secondStep: {
    title: 'Sign in again',
    what: 'This sign-in timed out at its second step, had too many wrong codes, was cancelled, or is already complete.',
    remedy: 'Start again.',
  },
  tooManyAttempts: {
    title: 'Too many attempts',
    what: 'There were too many failed sign-in attempts for this account or from your network.',
    remedy: (seconds: number) =>
      `Wait ${waiting(seconds)}, then try again. A passkey still works, and so does resetting your password.`,
  },
  busy: {
    title: 'The server is busy',
    what: 'Too many people are signing in at this moment. Your password was not checked.',
    remedy: 'Wait a few seconds, then try again.',
  },
  link: {
    title: 'This link does not work',
    what: 'It was already used, it has expired, a newer one replaced it, or it is incomplete. Each link works once.',
    'set-up':
      'The operator of this server makes a new one with: portcullis set-up-link. If there is an owner already, ask them.',
    invitation: 'Ask the person who invited you for a new one. If you have accepted it already, sign in.',
    'provider-link':
      'Ask an administrator of your organisation for a new one. If it is done already, sign in that way.',
    'password-reset': 'Ask for another one. If you have chosen a new password already, sign in.',
    another: 'Ask for another link',
  },
  confirmLink: {
    title: 'This link does not work',
    what: 'It was already used, it has expired, or it belongs to another account than the one you are signed in with. A new password and signing out everywhere end it, too.',
    remedy: 'If you requested this address, sign in with that account and request it again.',
    details: 'Your details',
  },
  notAdministrator: {
    title: 'Only an administrator can decide this',
    what: 'You are not an administrator of this organisation, so nothing was allowed.',
    remedy: 'Ask an administrator on the page that you came from.',
  },
  noTenant: {
    title: 'You cannot use this application',
    what: (application: string) =>
      `You are signed in, but you belong to no organisation in which ${application} can be used.`,
    remedy:
      'Ask an administrator of your organisation to install the application, or to invite you. If you have another account, sign out and use that one.',
  },
  clientNotKnown: {
    title: 'This request cannot go on',
    what: (host: string, why: string) => `A client of ${host} that nobody registered here has sent you. ${why}`,
    itself: (why: string) => `A client that registered itself has sent you. ${why}`,
    remedy:
      'You were not sent back to it, because nobody in your organisation has allowed it yet. Its developer can read above what is wrong.',
  },
  misconfigured: {
    title: 'This application is misconfigured',
    noClient: 'The request does not say which application it comes from: client_id is missing.',
    unknownClient: 'No application is registered here under the client_id of the request.',
    disabled: 'The application is disabled.',
    disabledRemedy: 'Ask the people who run the application.',
    noRedirect: 'The request does not say where to return to: redirect_uri is missing.',
    otherRedirect: 'The address to return to (redirect_uri) is not one that the application has registered (50011).',
    sent: (known: string, address: string) => `${known} It sent ${address}.`,
    noneRegistered: 'It has none registered.',
    nearest: (address: string) => `The nearest one that is registered is ${address}.`,
    compared: (nearest: string) =>
      `${nearest} Addresses are compared character by character. You see this because you are a developer of this organisation.`,
    document: (url: string, why: string) =>
      `The document that describes the application, ${url}, cannot be used. ${why}`,
    documentUntrusted: (host: string) => `Applications of ${host} that nobody registered here are not taken.`,
    documentUntrustedRemedy: 'Ask an administrator of this server, or use an application that is registered here.',
    goneRedirect: 'The address to return to is not registered any more.',
  },
  requestTooLarge: {
    title: 'This request is too large',
    what: (parameter: string, most: number) =>
      `The ${parameter} that the application sent is longer than ${most} bytes.`,
  },
  requestUnreadable: { title: 'This request cannot be read' },
  consentRequest: {
    title: 'This request for consent cannot be shown',
    otherRedirect:
      'The address to return to (redirect_uri) is not one that the application has registered for admin consent (50011).',
  },
  consentNotPossible: {
    title: 'Consent is not possible',
    remedy: 'Contact the developer of the application, who can change what it asks for.',
    link: 'What this means',
  },
  addressGone: {
    title: 'The return address is no longer registered',
    what: 'Since you came here, the application has removed the address that you would return to.',
    remedy: 'Close this page. Your decision is saved.',
  },
  notAMember: {
    title: 'You can’t decide this',
    what: (application: string) => `You are not a member of an organisation that can consent to ${application}.`,
    remedy: 'If you have another account there, sign in with it. Otherwise send this address to somebody there.',
    link: 'Use another account',
  },
  logout: {
    title: 'This sign-out request is not valid',
    what: (reason: string) => `${reason} Nobody was signed out.`,
    unreadable: 'The application’s request could not be read. Nobody was signed out.',
    remedy: 'To sign out here, use the button. To sign out of the application, go back to it.',
    button: 'To sign out here, use the button.',
    here: 'Sign out here',
  },
}

function waiting(seconds: number): string {
  if (seconds < 90) return seconds === 1 ? 'a second' : `${seconds} seconds`
  return `${Math.ceil(seconds / 60)} minutes`
}
