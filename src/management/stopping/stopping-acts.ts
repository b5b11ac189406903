// Which changes through the management API stop what works for others now, and how it is said before they are done
// (decision 120). Every route that changes something stands in one of the two tables, here or in harmless-acts.ts. The
// portal and the command line ask by them, whatever page or command sends the change; the API itself does not ask.

import { losses } from './losses.js'
import type { StoppingAct } from './stopping-act.js'
import { tenantActs } from './tenant-acts.js'

const { differs, losesSome, losesKeys, losesPermissions } = losses
const uriLists = ['redirectUris', 'adminConsentRedirectUris', 'logoutRedirectUris'] as const

/** By method and path below /api/v2; several where one route does several things. */
export const stoppingActs: Readonly<Record<string, readonly StoppingAct[]>> = {
  'PATCH /applications/:id': [
    {
      counted: '/applications/:id',
      stops: ({ state }) => state === 'disabled',
      question: 'Disable {name}?',
      what: 'Its tokens are refused at once, and it gets no new ones.',
      undo: 'It can be enabled again, and then needs new tokens: those that are out stay refused.',
      button: 'Disable',
    },
    {
      counted: '/applications/:id',
      stops: (body, now) => uriLists.some((list) => losesSome(body[list], now[list])),
      compares: uriLists,
      question: 'Remove this address from {name}?',
      what: 'Nobody is redirected there any more: sign-ins that come back to it fail from now on.',
      undo: 'The address can be added again. Who is signed in, and tokens that are out, are not touched.',
      button: 'Remove the address',
    },
    {
      counted: '/applications/:id',
      stops: (body, now) => differs(body, now, 'authMethod') || losesKeys(body['jwks'], now['jwks']),
      compares: ['authMethod', 'jwks'],
      question: 'Change how {name} proves itself?',
      what: 'Programs that still prove it in the old way get no more tokens.',
      undo: 'The old way can be chosen again; keys that were removed have to be entered again.',
      button: 'Change it',
    },
    {
      counted: '/applications/:id',
      stops: (body, now) => body['deviceCodes'] === 'off' && differs(body, now, 'deviceCodes'),
      compares: ['deviceCodes'],
      question: 'Switch off device codes of {name}?',
      what: 'Nobody signs in to it with a code from another device any more. Who is signed in stays so.',
      undo: 'They can be allowed again at any time.',
      button: 'Switch off',
    },
  ],
  'DELETE /applications/:id': [
    {
      counted: '/applications/:id',
      question: 'Delete {name}?',
      what: 'Its tokens are refused at once, in every tenant that uses it, and other tenants’ consents end.',
      undo: 'As long as this server keeps it (applications.restorable), it can be restored; its tokens stay refused. To stop it without that, disable it.',
      button: 'Delete',
    },
  ],
  'DELETE /deletedApplications/:id': [
    {
      question: 'Delete this application for good?',
      what: 'It cannot be restored any more: its identifiers, credentials, permissions and owners go.',
      undo: 'It cannot be taken back.',
      button: 'Delete for good',
    },
  ],
  // Nothing stops by it; but what was taken from everybody who had it is in their hands again.
  'POST /deletedApplications/:id/restore': [
    {
      stops: ({ credentials, consents }) => credentials === true && consents === true,
      question: 'Restore it with its credentials, and consent to what it had?',
      what: 'Anybody who has one of its secrets, keys or its registration token gets tokens with it at once, with all that had been consented to in this tenant; its redirect addresses are confirmed for everybody.',
      undo: 'Secrets can be ended and consent withdrawn at any time; what was done meanwhile cannot be taken back.',
      button: 'Restore it with both',
    },
    {
      stops: ({ credentials }) => credentials === true,
      question: 'Restore it with its credentials?',
      what: 'Anybody who has one of its secrets, keys or its registration token gets tokens with it again.',
      undo: 'Each secret can be ended, and each issuer removed, at any time; deleted again, its tokens are refused.',
      button: 'Restore it with credentials',
    },
    {
      stops: ({ consents }) => consents === true,
      question: 'Restore it, and consent to what it had?',
      what: 'It may do again what had been consented to in this tenant, and its redirect addresses are confirmed for everybody.',
      undo: 'Consent can be withdrawn at any time; tokens of before are refused then.',
      button: 'Restore it and consent',
    },
  ],
  'POST /applications/:id/secrets': [
    {
      counted: '/applications/:id',
      stops: ({ rotate, overlapSeconds }) => rotate === true && (overlapSeconds ?? 0) === 0,
      question: 'End the other client secrets of {name} now?',
      what: 'Programs that use them get no more tokens, and the tokens that were got with them are refused at once.',
      undo: 'It cannot be taken back. With an overlap the others go on until the programs have the new one.',
      button: 'Make a new one and end the others',
    },
  ],
  'DELETE /applications/:id/secrets/:keyId': [
    {
      counted: '/applications/:id',
      question: 'End this client secret of {name} now?',
      what: 'Programs that use it get no more tokens, and the tokens that were got with it are refused at once.',
      undo: 'It cannot be taken back.',
      button: 'End it now',
    },
  ],
  'DELETE /applications/:id/federatedCredentials/:credentialId': [
    {
      counted: '/applications/:id',
      question: 'Stop trusting this issuer for {name}?',
      what: 'Its tokens prove nothing any more, and what was got with them is refused at once.',
      undo: 'It can be trusted again; programs then need new tokens.',
      button: 'Remove',
    },
  ],
  'PUT /applications/:id/permissions': [
    {
      counted: '/applications/:id',
      stops: (body, now) => losesPermissions(body['permissions'], now['permissions']),
      compares: ['permissions'],
      question: 'Take permissions from {name}?',
      what: 'Consent to them ends in every tenant, and tokens of the application that are out are refused at once.',
      undo: 'They can be added again, and take consent again.',
      button: 'Remove',
    },
  ],
  'DELETE /applications/:id/consents/:tenantId': [
    {
      counted: '/applications/:id',
      question: 'Withdraw the consent for {name} there?',
      what: 'What everybody there allowed it ends, and its tokens for them are refused at once.',
      undo: 'Consent can be granted again; people and programs then need new tokens.',
      button: 'Withdraw',
    },
  ],
  'POST /consents/withdraw': [
    {
      counted: '/applications/{applicationId}',
      question: 'Withdraw the consent for {name}?',
      what: 'What rests on it ends, and tokens of the application for this tenant are refused at once.',
      undo: 'Consent can be granted again; people and programs then need new tokens.',
      button: 'Withdraw',
    },
  ],
  ...tenantActs,
  'PATCH /users/:id': [
    {
      counted: '/users/:id',
      stops: ({ state }) => state === 'disabled',
      question: 'Disable {name}?',
      what: 'Every session, and everything that applications hold for this person, end at once.',
      undo: 'The account can be enabled again; what ended stays ended.',
      button: 'Disable',
    },
    {
      counted: '/users/:id',
      stops: ({ operator }) => operator === false,
      question: 'Take the operator role from {name}?',
      what: 'They no longer look after this installation, and tokens that say so are refused.',
      undo: 'The role can be given again.',
      button: 'Take it away',
    },
  ],
  'DELETE /users/:id': [
    {
      counted: '/users/:id',
      question: 'Delete the account of {name} for good?',
      what: 'Every session and everything that applications hold for this person end at once, and the account goes.',
      undo: 'It cannot be taken back. To stop it without losing it, disable it.',
      button: 'Delete for good',
    },
  ],
  'POST /users/:id/signOut': [
    {
      counted: '/users/:id',
      question: 'Sign {name} out everywhere?',
      what: 'Every session, and everything that applications hold for this person, end at once.',
      undo: 'They can sign in again.',
      button: 'Sign out',
    },
  ],
  'POST /recoveryLinks': [
    {
      counted: '/recoveryLinks',
      asks: ({ email }) => `?email=${encodeURIComponent(String(email))}`,
      question: 'Make a link that makes the person who opens it owner?',
      what: 'Of an account that exists the second factor, passkeys and linked providers are removed when it is opened.',
      undo: 'What is removed has to be set up again. To add an owner without harm, invite them: user invite.',
      button: 'Make the link',
    },
  ],
  'POST /revocations': [
    {
      counted: '/applications/{id}',
      stops: ({ what }) => what === 'application',
      question: 'Refuse every token that {name} has now?',
      what: 'Its access tokens and refresh tokens are refused at once. It may ask for new ones.',
      undo: 'It cannot be taken back: people sign in again, programs get new tokens by themselves.',
      button: 'Sign out everywhere',
    },
    {
      counted: '/tenants/{id}',
      stops: ({ what }) => what === 'tenant',
      question: 'Refuse every token of {name}?',
      what: 'All tokens of the tenant that are out are refused at once. Its applications may get new ones.',
      undo: 'It cannot be taken back: people sign in again, programs get new tokens by themselves.',
      button: 'Refuse them',
    },
    {
      counted: '/credentials/{id}',
      stops: ({ what }) => what === 'credential',
      question: 'End this client secret now?',
      what: 'Programs that use it get no more tokens, and the tokens that were got with it are refused at once.',
      undo: 'It cannot be taken back.',
      button: 'End it now',
    },
  ],
  'PATCH /webhooks/:id': [
    {
      stops: ({ enabled }) => enabled === false,
      question: 'Disable this webhook?',
      what: 'Nothing more is sent to its receiver, and what happens meanwhile is never sent there.',
      undo: 'Enabled again, it goes on, with what waits now.',
      button: 'Disable',
    },
  ],
  'DELETE /webhooks/:id': [
    {
      question: 'Delete this webhook?',
      what: 'Nothing more is sent to its receiver, and what is on its way there is lost.',
      undo: 'It cannot be taken back. To stop it without losing anything, disable it.',
      button: 'Delete',
    },
  ],
  'POST /webhooks/:id/secret': [
    {
      stops: ({ overlapSeconds }) => overlapSeconds === 0,
      question: 'Stop signing with the secret before?',
      what: 'A receiver that has the secret before only refuses what is sent from now on.',
      undo: 'It cannot be taken back. With an overlap both sign until the receiver has the new one.',
      button: 'Make another secret',
    },
  ],
  'DELETE /registrationTokens/:id': [
    {
      counted: '/registrationTokens/:id',
      question: 'End this registration token?',
      what: 'Nobody registers an application with it any more. Those that were registered with it stay.',
      undo: 'It cannot be taken back; another one can be made.',
      button: 'End it',
    },
  ],
  'POST /keys/rotate': [
    {
      counted: '/keys',
      stops: ({ immediately }) => immediately === true,
      question: 'Let new keys sign at once?',
      what: 'A service that has kept the old set of keys refuses new tokens until it fetches the set again.',
      undo: 'It cannot be taken back. In turn, nobody notices.',
      button: 'Replace them at once',
    },
  ],
  'DELETE /keys/:kid': [
    {
      counted: '/keys',
      question: 'Remove this signing key?',
      what: 'Everything that it signed is refused at once.',
      undo: 'It does not come back.',
      button: 'Remove it',
    },
  ],
}
