// What the pages of the identity service are for, as the document of the API says it: one title for each address.

import type { OperationGroup } from '../../http/described-operations.js'
import { forms, namesOfOne } from './operation-schemas.js'

const session = [{ session: [] }]
const here = '/api/v2/oauth2/v2.0'

const authorizationQuery = {
  client_id: 'The identifier of the application.',
  response_type: 'code',
  redirect_uri: 'A registered one.',
  requested_scopes: 'Permissions, separated by commas or blanks; default; openid, profile, email, offline_access.',
  scope: namesOfOne.scope,
  resource: 'The identifier URI of the API that the token is for.',
  state: 'Comes back as it is.',
  nonce: 'Comes back in the ID token.',
  code_challenge: 'PKCE.',
  code_challenge_method: 'S256',
  response_mode: 'query or form_post',
  prompt: 'none, login, consent, select_account',
  max_age: 'Seconds.',
  acr_values: 'Which acr the sign-in should reach, the best first: 2 for a second factor.',
  login_hint: 'An e-mail address.',
  id_token_hint: 'An ID token of the person.',
  claims: 'JSON.',
  requested_enrollment: 'The tenant to sign in to, a GUID; absent: the person chooses where there are several.',
  tenant: namesOfOne.tenant,
}

/** HEAD is not answered there: it would show nothing and begin nothing. */
const authorizationFacts = { query: authorizationQuery, refusals: [405, 409] } as const

const authorization: OperationGroup = {
  tag: 'Authorization',
  description: 'Where applications send people: to sign in, to consent, to sign out. Answers are pages and redirects.',
  family: 'page',
  leavesHere: true,
  security: [],
  operations: {
    [`GET ${here}/authorize`]: ['authorize', 'Begins an authorization', authorizationFacts],
    [`POST ${here}/authorize`]: ['authorizeByPost', 'Begins an authorization by a form', { body: forms.authorize }],
    'GET /api/v2/oauth/authorize': [
      'authorizeAlias',
      'Begins an authorization, at the other address',
      authorizationFacts,
    ],
    'POST /api/v2/oauth/authorize': [
      'authorizeAliasByPost',
      'Begins an authorization by a form, at the other address',
      { body: forms.authorize },
    ],
    [`GET ${here}/authorize/resume/{id}`]: [
      'getApiV2Oauth2V20AuthorizeResumeId',
      'Goes on with an authorization',
      { refusals: [409] },
    ],
    [`GET ${here}/adminconsent`]: [
      'adminConsent',
      'Asks an administrator to consent for the tenant',
      {
        query: {
          client_id: 'The identifier of the application.',
          redirect_uri: 'A registered admin-consent redirect URI.',
          requested_scopes: 'Permissions, separated by commas or blanks; absent: all that are configured.',
          scope: namesOfOne.scope,
          requested_enrollment: 'The tenant, a GUID.',
          tenant: namesOfOne.tenant,
          state: 'Comes back as it is.',
        },
      },
    ],
    [`GET ${here}/logout`]: [
      'logout',
      'Signs the person out at the wish of a client',
      {
        query: {
          id_token_hint: 'An ID token.',
          post_logout_redirect_uri: 'A registered one.',
          client_id: 'The client.',
          state: 'Comes back.',
        },
      },
    ],
    [`POST ${here}/logout`]: ['logoutByPost', 'Signs the person out, by a form', { body: forms.logout }],
  },
  pages: {
    [`${here}/adminconsent/resume/{id}`]: 'Goes on with a consent of an administrator',
    '/choose-tenant': 'In which tenant to go on',
    '/consent': 'What an application may do',
    '/consent-requests': 'What people requested from their administrators',
    '/device': 'The code of another device',
  },
}

const signIn: OperationGroup = {
  tag: 'Sign-in',
  description: 'Pages for people without an application in between.',
  family: 'page',
  security: [],
  operations: {
    'GET /sign-in/external/{provider}': ['signInElsewhere', 'Sign in with another provider', { refusals: [502] }],
    'GET /sign-in/external/{provider}/callback': [
      'backFromElsewhere',
      'Back from another provider',
      { refusals: [409, 502] },
    ],
  },
  pages: {
    '/sign-in': 'Sign in',
    '/sign-in/second-factor': 'The second step of signing in',
    '/sign-in/demanded': 'A second factor that has to be set up or shown first',
    '/sign-in/external/{provider}/go-on': 'On the way to another provider',
    '/sign-out': 'Sign out',
    '/set-up/{link}': 'The first owner, by a link that works once',
    '/invitation/{link}': 'An invitation, by a link that works once',
    '/reset-password': 'Ask for a new password',
    '/reset-password/{link}': 'A new password, by a link that works once',
  },
}

const account: OperationGroup = {
  tag: 'Account',
  description: 'Where people look after their account.',
  family: 'page',
  security: session,
  operations: {},
  pages: {
    '/account': 'The account',
    '/account/details': 'Name and address',
    '/account/confirm-email/{link}': 'A new address, by a link that works once',
    '/account/password': 'Password',
    '/account/second-factor': 'Second factor',
    '/account/approvals/{approval}': 'A call of an agent that waits for approval',
    '/account/passkeys': 'Passkeys',
    '/account/sessions': 'Where one is signed in',
    '/account/apps': 'Apps with access',
    '/link-provider/{link}': 'A link of an administrator: who somebody is at a provider',
    '/account/providers': 'Linked providers',
    '/account/delete': 'Delete the account',
  },
}

const errors: OperationGroup = {
  tag: 'Explanations of errors',
  description: 'What the numbers in errors mean.',
  family: 'page',
  security: [],
  operations: {},
  pages: { '/errors': 'All error numbers', '/errors/{number}': 'One error number, explained' },
}

/** Every group of pages, in the order of the reference. */
export const identityPageOperations: readonly OperationGroup[] = [authorization, signIn, account, errors]
