// What the routes of the identity service are for, as the document of the API says it (decision 0063). Its pages are in
// page-operations.ts.

import type { OperationGroup } from '../../http/described-operations.js'
import { clientMetadata, documents, forms } from './operation-schemas.js'

const byClient = [{ client: [] }, {}]
const person = [{ oauth2: ['openid'] }]
const registration = [{ registration: [] }]

const tokens: OperationGroup = {
  tag: 'Tokens',
  description: 'The endpoints of OAuth 2.0 for clients (RFC 6749, 7009, 7662, 8628). Bodies are form-encoded.',
  family: 'oauth',
  security: byClient,
  operations: {
    'POST /api/v2/oauth2/v2.0/token': [
      'requestToken',
      'Gets an access token',
      {
        body: forms.token,
        description: 'By client credentials, an authorization code, a refresh token or a device code.',
      },
    ],
    'POST /api/v2/oauth/token': [
      'requestTokenAlias',
      'Gets an access token, at the other address',
      { body: forms.token },
    ],
    'POST /api/v2/oauth2/v2.0/revoke': [
      'revokeToken',
      'Ends a token of the client',
      { body: forms.revoke, answers: { 200: { description: 'Ended, or there was none.' } } },
    ],
    'POST /api/v2/oauth2/v2.0/introspect': ['introspectToken', 'Says what a token is', { body: forms.introspect }],
    'POST /api/v2/oauth2/v2.0/devicecode': [
      'requestDeviceCode',
      'Begins a sign-in on another device',
      { body: forms.deviceCode },
    ],
    'GET /api/v2/oauth2/v2.0/userinfo': [
      'userinfo',
      'Says who signed in',
      { answers: { 200: { description: 'OK', schema: documents.userinfo } }, security: person },
    ],
    'POST /api/v2/oauth2/v2.0/userinfo': [
      'userinfoByPost',
      'Says who signed in',
      { answers: { 200: { description: 'OK', schema: documents.userinfo } }, refusals: [413], security: person },
    ],
  },
}

const clients: OperationGroup = {
  tag: 'Client registration',
  description: 'Clients that register themselves (RFC 7591) and look after it (RFC 7592), with a registration token.',
  family: 'oauth',
  security: registration,
  operations: {
    'POST /api/v2/oauth2/v2.0/register': ['registerClient', 'Registers a client', { body: clientMetadata }],
    'GET /api/v2/oauth2/v2.0/register/{clientId}': ['readClient', 'Reads a registration'],
    'PUT /api/v2/oauth2/v2.0/register/{clientId}': [
      'replaceClient',
      'Replaces a registration',
      { body: clientMetadata },
    ],
    'DELETE /api/v2/oauth2/v2.0/register/{clientId}': ['deleteClient', 'Ends a registration'],
  },
}

const json = (schema: object) => ({ answers: { 200: { description: 'OK', schema } } })

const discovery: OperationGroup = {
  tag: 'Discovery',
  description: 'What the server says of itself, for anybody, from any origin.',
  family: 'document',
  security: [],
  operations: {
    'GET /.well-known/oauth-authorization-server': [
      'serverMetadata',
      'The metadata of the server (RFC 8414)',
      json(documents.server),
    ],
    'GET /.well-known/openid-configuration': [
      'openidConfiguration',
      'The same, by its name in OpenID Connect',
      json(documents.server),
    ],
    'GET /.well-known/oauth-protected-resource/**': [
      'resourceMetadata',
      'The metadata of a resource (RFC 9728)',
      json(documents.resource),
    ],
    'GET /api/v2/oauth2/v2.0/keys': ['tokenKeys', 'The keys that access tokens are signed with', json(documents.keys)],
    'GET /api/v2/oauth2/v2.0/assertionkeys': [
      'assertionKeys',
      'The keys of the assertions that services behind the gate verify',
      json(documents.keys),
    ],
    'GET /brand/{file}': [
      'brandFile',
      'A logo or the colours of a brand, named after its content',
      {
        answers: { 200: { description: 'The file.', type: '*/*', schema: {} } },
        refusals: [404],
        refusedByPage: [404],
      },
    ],
    'GET /assets/{file}': [
      'asset',
      'A file that pages load, named after its content',
      { answers: { 200: { description: 'The file.', type: '*/*' } } },
    ],
  },
}

/** Every group, in the order of the reference. */
export const identityOperations: readonly OperationGroup[] = [tokens, clients, discovery]
