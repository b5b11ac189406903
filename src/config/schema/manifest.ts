// What a manifest of an application may say. The words are those of the management API, so that a manifest reads like
// what `app show -o json` prints.

import { type Static, Type } from 'typebox'
import { entry, leaf } from './leaves.js'

const uris = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 2048, errorMessage: 'must be a URI' }), {
    description,
    maxItems: 100,
    errorMessage: 'must be a list of URIs, such as [https://app.example/callback]',
  })
const text = (description: string, maxLength: number) =>
  Type.String({ description, minLength: 1, maxLength, errorMessage: `must be a text of 1 to ${maxLength} characters` })

/** May be empty. */
const said = (description: string, maxLength: number) =>
  Type.Optional(
    Type.String({ description, maxLength, errorMessage: `must be a text of at most ${maxLength} characters` }),
  )

/** One application. */
export const ApplicationManifest = entry('A registration, as it should be.', {
  name: text('what people call it; by it the registration is found again', 512),
  type: leaf.word('web keeps a secret, native cannot', ['web', 'native']),
  tenant: Type.Optional(text('home tenant, id or name; the oldest when left out', 256)),
  audience: Type.Optional(leaf.word('who may install it', ['home', 'any'])),
  state: Type.Optional(leaf.word('left alone when not said', ['enabled', 'disabled'])),
  redirectUris: Type.Optional(uris('where codes may be sent')),
  adminConsentRedirectUris: Type.Optional(uris('where an administrator goes on after consenting')),
  logoutRedirectUris: Type.Optional(uris('where somebody goes on after signing out')),
  requirePkce: Type.Optional(leaf.flag('refuse authorization requests without PKCE')),
  authMethod: Type.Optional(leaf.word('how it proves itself', ['secret', 'private_key_jwt', 'federated'])),
  jwks: Type.Optional(
    Type.Object(
      { keys: Type.Array(Type.Record(Type.String(), Type.Unknown()), { maxItems: 10 }) },
      { description: 'its public keys', additionalProperties: false, errorMessage: 'must be a JSON Web Key Set' },
    ),
  ),
  idTokenAlg: Type.Optional(leaf.word('what its ID tokens are signed with', ['RS256', 'ES256', 'EdDSA'])),
  publisher: Type.Optional(text('who publishes it', 512)),
  verified: Type.Optional(leaf.flag('the publisher is who it says; left alone when not said')),
  deviceCodes: Type.Optional(leaf.word('sign people in by a code; left alone when not said', ['allowed', 'off'])),
  owners: Type.Optional(
    Type.Array(text('e-mail address or id of a developer, or id of an application, of its tenant', 254), {
      description: 'who may change it beside the administrators; left alone when not said',
      maxItems: 50,
      errorMessage: 'must be a list of e-mail addresses or ids, such as [ada@contoso.example]',
    }),
  ),
  plan: Type.Optional(
    Type.String({
      description: "what it may use; '': the default plan; left alone when not said",
      maxLength: 64,
      errorMessage: "must be the name of a plan, or '' for the default one",
    }),
  ),
  brand: Type.Optional(
    entry("what people see of it where they decide about it; left alone when not said, '' takes away", {
      home: said('https address of its home page', 512),
      terms: said('https address of its terms', 512),
      privacy: said('https address of its statement on privacy', 512),
      logo: said('a file beside this one: PNG, JPEG or WebP, at most 64 KiB', 1024),
    }),
  ),
  permissions: Type.Optional(
    Type.Array(text('[application:|delegated:][{resource}/]id', 600), {
      description: 'what it may ask for',
      maxItems: 200,
      errorMessage: 'must be a list of permissions, such as [User.Read.All]',
    }),
  ),
  consent: Type.Optional(leaf.flag('grant admin consent to them in the home tenant')),
  secretLabel: Type.Optional(text('label of its first secret', 512)),
  secretExpiresInDays: Type.Optional(leaf.count('days until its first secret ends', undefined, [1, 730])),
})
export type ApplicationManifest = Static<typeof ApplicationManifest>
