// Issuers outside whose access tokens routes may take.

import { Type } from 'typebox'
import { entry, leaf } from './leaves.js'
import { named } from './names.js'

const ALGORITHMS = ['RS256', 'ES256', 'PS256', 'EdDSA'] as const
const mostValues = 1_000

const oneOrMore = (description: string) =>
  Type.Union([leaf.text(''), Type.Array(leaf.text(''), { minItems: 1, maxItems: 64, uniqueItems: true })], {
    description,
    errorMessage: 'must be a text, or a list of texts, each once',
  })

/** Keyed by what the issuer says, so in any form. */
const byValue = <T extends Parameters<typeof Type.Record>[1]>(value: T, description: string) =>
  Type.Record(Type.String(), value, { description, maxProperties: mostValues, minProperties: 1 })

/** `issuers` */
export const Issuers = Type.Record(
  Type.String(),
  entry('An issuer of access tokens outside, such as Entra, Keycloak or Auth0.', {
    issuer: leaf.text('The iss of its tokens, exactly.'),
    audience: oneOrMore('The aud of its tokens for this gate, exactly; never the client id of an application.'),
    jwks: Type.Optional(
      leaf.text('https address of its keys; without it the discovery document of the issuer says where.'),
    ),
    pinned: Type.Optional(
      Type.String({
        description: 'Its keys as a JSON Web Key Set, usually file:/path; then nothing is fetched.',
        minLength: 1,
        maxLength: 65_536,
        errorMessage: 'must be a JSON Web Key Set',
      }),
    ),
    algorithms: Type.Array(leaf.word('', ALGORITHMS), {
      description: 'What its tokens may be signed with.',
      default: ['RS256'],
      minItems: 1,
      uniqueItems: true,
      errorMessage: `must be a list of ${ALGORITHMS.join(', ')}, each once`,
    }),
    typ: Type.Optional(leaf.text('The typ of its tokens, such as at+jwt; JWT, at+jwt or none when left out.')),
    leeway: leaf.duration('How far its clock may differ.', '60s', ['0s', '5min']),
    application: leaf.text('The claim that names the client.', 'azp'),
    user: leaf.text('The claim that names the person.', 'sub'),
    acts: Type.Union(
      [
        leaf.word('', ['application', 'user']),
        entry('', { claim: leaf.text('Name of a claim.'), equals: leaf.text('Its value in tokens of applications.') }),
      ],
      {
        description: 'Whose its tokens are: of applications, of users, or of applications where a claim has a value.',
        errorMessage: 'must be application, user, or {claim: …, equals: …}',
      },
    ),
    tenant: Type.Union(
      [
        leaf.text(''),
        entry('', { claim: leaf.text('Name of a claim.'), values: byValue(leaf.text(''), 'Tenants by its value.') }),
      ],
      {
        description: 'The tenantId in which its callers act, or one for each value of a claim.',
        errorMessage: 'must be a tenantId, or {claim: …, values: {…: tenantId}}',
      },
    ),
    permissions: byValue(
      byValue(oneOrMore('Permissions.'), 'Permissions by a value of the claim.'),
      'What the values of its claims stand for, by claim: scp: { read: Subscription.Read.All }. Nothing else counts.',
    ),
    resource: Type.Optional(leaf.text('Name of the resource whose routes it opens; the own API when left out.')),
  }),
  {
    description: 'Trusted external issuers whose access tokens a route may take, by the name that routes use.',
    ...named,
    maxProperties: 100,
  },
)
