// Forms and answers of the OAuth endpoints as JSON Schema, for the document of the API. What the endpoints check they
// check themselves: a form is read strictly, parameter by parameter (oauth/requests/parameters.ts).

import { type TProperties, type TSchema, Type } from 'typebox'

const strict = { additionalProperties: false }
const text = (description: string) => Type.Optional(Type.String({ description }))

const clientFields = {
  client_id: text('Unless it stands in the Authorization header.'),
  client_secret: text('For client_secret_post.'),
  client_assertion_type: text('urn:ietf:params:oauth:client-assertion-type:jwt-bearer'),
  client_assertion: text('A JWT that the client signed, or one of an issuer that it trusts.'),
}

const onePermissionList = 'Permissions, separated by commas or blanks'
/** The two names of one parameter each (contract §3); the specification's own first. */
export const namesOfOne = {
  requested_scopes: `${onePermissionList}; default: all that are configured and granted.`,
  scope: 'Another name of requested_scopes; where both are sent, they say the same.',
  requested_enrollment: 'The tenant, a GUID; absent: the home tenant of the application.',
  tenant: 'Another name of requested_enrollment; where both are sent, they say the same.',
} as const

/** A form-encoded body; `example`: a good one, for calls to copy. */
function form(properties: TProperties, example?: Record<string, string>): { type: string; schema: TSchema } {
  const options = example === undefined ? {} : { examples: [example] }
  return { type: 'application/x-www-form-urlencoded', schema: Type.Object(properties, options) }
}

/** The bodies that the endpoints take. */
export const forms = {
  token: form(
    {
      grant_type: Type.String({
        enum: [
          'client_credentials',
          'authorization_code',
          'refresh_token',
          'urn:ietf:params:oauth:grant-type:device_code',
          'urn:ietf:params:oauth:grant-type:token-exchange',
        ],
      }),
      ...clientFields,
      requested_scopes: text(`${namesOfOne.requested_scopes} Client credentials take one; of a person it narrows.`),
      scope: text(namesOfOne.scope),
      requested_enrollment: text(`Of client credentials. ${namesOfOne.requested_enrollment}`),
      tenant: text(namesOfOne.tenant),
      resource: text('The identifier URI of the API that the token is for.'),
      code: text('Of an authorization code.'),
      redirect_uri: text('The one of the authorization request.'),
      code_verifier: text('PKCE.'),
      refresh_token: text('Of a refresh token.'),
      device_code: text('Of a device code.'),
      subject_token: text('Of a token exchange: the assertion that the gate gave, or an access token.'),
      subject_token_type: text(
        'urn:ietf:params:oauth:token-type:jwt for an assertion, urn:ietf:params:oauth:token-type:access_token for a token.',
      ),
      requested_token_type: text('urn:ietf:params:oauth:token-type:access_token, or left out.'),
      audience: text('Of a token exchange: another name of resource.'),
    },
    { grant_type: 'client_credentials', requested_scopes: 'default' },
  ),
  revoke: form({ token: Type.String(), token_type_hint: text('access_token or refresh_token'), ...clientFields }),
  introspect: form({ token: Type.String(), token_type_hint: text('access_token or refresh_token'), ...clientFields }),
  deviceCode: form({
    ...clientFields,
    requested_scopes: text(namesOfOne.requested_scopes),
    scope: text(namesOfOne.scope),
    resource: text('An identifier URI.'),
  }),
  authorize: form({ client_id: Type.String(), response_type: Type.Literal('code') }),
  logout: form({
    id_token_hint: text('An ID token.'),
    post_logout_redirect_uri: text('A registered one.'),
    state: text('Comes back.'),
  }),
}

/** What a client says of itself when it registers (RFC 7591 §2). */
export const clientMetadata = {
  type: 'application/json',
  schema: Type.Object({
    client_name: text('For people.'),
    application_type: Type.Optional(Type.Enum(['web', 'native'])),
    redirect_uris: Type.Optional(Type.Array(Type.String())),
    post_logout_redirect_uris: Type.Optional(Type.Array(Type.String())),
    grant_types: Type.Optional(Type.Array(Type.String())),
    response_types: Type.Optional(Type.Array(Type.String())),
    token_endpoint_auth_method: text('client_secret_basic, client_secret_post, private_key_jwt or none'),
    id_token_signed_response_alg: text('RS256, ES256 or EdDSA'),
    jwks: Type.Optional(Type.Object({ keys: Type.Array(Type.Record(Type.String(), Type.Unknown())) })),
    scope: text('Permissions, separated by blanks.'),
  }),
}

const key = Type.Object({
  kty: Type.String(),
  kid: Type.String(),
  alg: Type.String(),
  use: Type.Optional(Type.String()),
})

/** Answers that no route schema has. */
export const documents = {
  keys: Type.Object({ keys: Type.Array(key) }, strict),
  server: Type.Object({
    issuer: Type.String(),
    authorization_endpoint: Type.String(),
    token_endpoint: Type.String(),
    jwks_uri: Type.String(),
    grant_types_supported: Type.Array(Type.String()),
    response_types_supported: Type.Array(Type.String()),
    scopes_supported: Type.Array(Type.String()),
    subject_types_supported: Type.Array(Type.String()),
    token_endpoint_auth_methods_supported: Type.Array(Type.String()),
    code_challenge_methods_supported: Type.Array(Type.String()),
  }),
  resource: Type.Object(
    {
      resource: Type.String(),
      authorization_servers: Type.Array(Type.String()),
      jwks_uri: Type.String(),
      scopes_supported: Type.Optional(Type.Array(Type.String())),
      bearer_methods_supported: Type.Array(Type.String()),
      resource_name: Type.Optional(Type.String()),
    },
    strict,
  ),
  userinfo: Type.Object({ sub: Type.String() }),
}
