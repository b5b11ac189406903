// Resources and permissions.

import { Type } from 'typebox'
import { languages } from '../../languages/language.js'
import { applicationId, entry, leaf } from './leaves.js'
import { named } from './names.js'

const Permission = entry('One permission.', {
  describe: leaf.text('One plain sentence, for the consent page, in the language of the server (signIn.language).'),
  descriptions: Type.Optional(
    Type.Object(Object.fromEntries(languages.map((each) => [each, Type.Optional(leaf.text(''))])), {
      description: 'The same sentence in other languages, by their tags: en, de, fr, es, ja.',
      additionalProperties: false,
    }),
  ),
  kinds: Type.Optional(
    Type.Array(leaf.word('', ['application', 'delegated']), {
      description: 'Who can hold it: an application as itself, or on behalf of a user. Both when left out.',
      minItems: 1,
      uniqueItems: true,
      errorMessage: 'must be a list of application, delegated or both, each once',
    }),
  ),
  adminConsent: Type.Optional(
    leaf.flag('A delegated grant needs an administrator too. Always true for ids that end in .All.'),
  ),
  role: Type.Optional(
    leaf.word(
      'The least role that a user must have in the tenant to use it through an application. Member when left out.',
      ['member', 'developer', 'administrator', 'owner'],
    ),
  ),
  covers: Type.Optional(
    Type.Array(leaf.text(''), {
      description: 'Permissions of the same resource that this one includes.',
      maxItems: 256,
      errorMessage: 'must be a list of permission ids',
    }),
  ),
})

/** `permissions` */
export const Permissions = Type.Record(Type.String(), Permission, {
  description: 'The permissions of the own API. Applications are given some of them; routes require them.',
  propertyNames: {
    pattern: '^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$',
    errorMessage: 'is not a permission id: letters, digits and . _ : - only, beginning with a letter or digit',
  },
  maxProperties: 10_000,
  default: {},
})

const Exchange = entry('Which applications serve this API and may call others on behalf of its callers.', {
  applications: Type.Array(applicationId, {
    description: 'The applications that serve it, by applicationId. They may exchange the tokens of its callers.',
    minItems: 1,
    maxItems: 16,
    uniqueItems: true,
    errorMessage: 'must be a list of 1 to 16 applicationIds, each once',
  }),
  ceiling: Type.Optional(
    leaf.word(
      'What they get is never more than this could have there: the calling application on behalf of its person, or the person alone. Caller when left out.',
      ['caller', 'person'],
    ),
  ),
})

/** `resources` */
export const Resources = Type.Record(
  Type.String(),
  entry('An API with an audience of its own.', {
    id: leaf.text('Its identifier, an absolute URI: the exact `aud` of its tokens.'),
    name: leaf.text('What people call it.'),
    permissions: Permissions,
    exchange: Type.Optional(Exchange),
    documents: Type.Optional(
      Type.Array(leaf.text(''), {
        description:
          'Its permissions that clients which nobody registered may ask people for (registration.documents). None when left out.',
        maxItems: 256,
        uniqueItems: true,
        errorMessage: 'must be a list of permission ids, each once',
      }),
    ),
  }),
  { description: 'APIs beside the own one ({baseUrl}/api/v2), by a short name that routes use.', ...named },
)
