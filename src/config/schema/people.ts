// The settings of what people do: sign-in, mail, and what is written down of it.

import { Type } from 'typebox'
import { languages } from '../../languages/language.js'
import { entry, leaf, section } from './leaves.js'

const roles = ['member', 'developer', 'administrator'] as const

const Provider = entry('An OpenID provider through which people may sign in.', {
  label: leaf.text('What its button says, such as “Entra ID”.'),
  issuer: leaf.text('Its issuer, exactly: an https origin with an optional path.'),
  clientId: leaf.text('What it knows this gateway by.'),
  clientSecret: Type.Optional(leaf.connection('What this gateway proves itself with there; usually file:/path.')),
  scope: leaf.text('The scope that is requested.', 'openid profile email'),
  createUsers: leaf.flag('Whether a person whom nobody knows yet gets an account.', false),
  tenant: Type.Optional(leaf.text('Identifier of the tenant that new people join; required with createUsers.')),
  role: leaf.word('The role of new people there, when no entry of roles says another.', roles, 'member'),
  roles: Type.Optional(
    section('Roles by a claim of its ID token.', {
      claim: leaf.text('The name of the claim: a text or a list of texts.', 'roles'),
      values: Type.Record(Type.String(), leaf.word('', roles), {
        description: 'The role for each value of the claim; of several the highest. Read again at each sign-in.',
        default: {},
      }),
    }),
  ),
  ca: Type.Optional(leaf.certificates('PEM of the authorities to trust instead of the system’s; usually file:/path.')),
})

const demands = ['optional', 'required'] as const

const SecondFactor = section(
  'Who needs a second factor to do anything, by role. A tenant may demand it of more of its people, never of fewer.',
  {
    owner: leaf.word('Owners of a tenant.', demands, 'optional'),
    administrator: leaf.word('Administrators of a tenant.', demands, 'optional'),
    developer: leaf.word('Developers.', demands, 'optional'),
    member: leaf.word('Everybody else who belongs to a tenant.', demands, 'optional'),
    operator: leaf.word('People who look after the whole installation.', demands, 'optional'),
    grace: leaf.duration(
      'How long people may go on without one after they were first told; 0s: they set it up before anything else.',
      '0s',
      ['0s', '90d'],
    ),
  },
)

const SignIn = section('How people sign in, and for how long.', {
  idle: leaf.duration('How long a session lives without use.', '8h', ['1min', '30d']),
  lifetime: leaf.duration('How long a session lives at most.', '7d', ['5min', '90d']),
  recent: leaf.duration('How old a sign-in may be for changes of weight; an older one has to be repeated.', '10min', [
    '1min',
    '1d',
  ]),
  administrators: leaf.word(
    'What changes of weight ask of administrators, owners and operators: any sign-in, or secondFactor, one with a second factor.',
    ['any', 'secondFactor'] as const,
    'any',
  ),
  secondFactor: SecondFactor,
  language: leaf.word(
    'The language of pages and mails for people whose browser and account ask for none that there is.',
    languages,
    'en',
  ),
  passwordLength: leaf.count('Characters that a password has at least.', 12, [8, 64]),
  breachedPasswords: Type.Optional(
    leaf.text('File of SHA-1 hashes of leaked passwords, sorted (HASH:count). Relative to this file. Absent: none.'),
  ),
  perAccount: leaf.rate('Failed attempts per account and address. Over it: wait.', '10/min'),
  perAddress: leaf.rate('Failed attempts per address.', '60/min'),
  overall: leaf.rate('Attempts of everybody; each costs the processor a password hash.', '600/min'),
  deviceCodes: leaf.word(
    "Signing in by a code that is typed elsewhere: off, applications, or all, which is the command line's own too.",
    ['off', 'applications', 'all'] as const,
    'applications',
  ),
  providers: Type.Record(Type.String(), Provider, {
    description:
      'Other OpenID providers through which people may sign in, by a short name that becomes idProvider in the profile.',
    propertyNames: {
      pattern: '^[a-z][a-z0-9-]{0,63}$',
      errorMessage: 'is not a name: lower-case letters, digits and hyphens, beginning with a letter',
    },
    maxProperties: 64,
    default: {},
  }),
})

const Mail = section(
  'Where mail is handed in: links for new passwords and invitations. None: links are shown to the person who makes them.',
  {
    url: leaf.connection(
      'smtp://user:password@host:587 or smtps://host:465. Empty: links for new passwords and invitations are shown to the person who makes them.',
    ),
    from: leaf.text('Who it is from.', 'Portcullis <no-reply@localhost>'),
    perTenant: leaf.rate('Invitations that go out for one tenant.', '200/day'),
    perRecipient: leaf.rate('Invitations that go to one address, for all tenants together.', '10/day'),
    perSender: leaf.rate('Mails that go out because of one person or application.', '100/day'),
    overall: leaf.rate('Mails at all; word of a changed address is not counted.', '5000/day'),
  },
)

const Ledger = section('What is written down so that it cannot be rewritten unnoticed.', {
  checkpoints: leaf.text(
    'File of signed checkpoints, relative to the data folder. Keep a copy on another machine.',
    'ledger-checkpoints.jsonl',
  ),
  checkpointEvery: leaf.duration('How often a checkpoint is written when something was.', '5min', ['1s', '24h']),
  retention: leaf.text(
    'How long rows stay until they are archived and leave, such as 400d; at least 30d. off: for ever.',
    'off',
  ),
  archive: leaf.text(
    'Folder for the rows that leave, verified by portcullis audit verify FILE; relative to the data folder. off: none.',
    'ledger-archive',
  ),
  activity: leaf.count('How many failed attempts are remembered.', 10_000, [100, 10_000_000]),
})

const Usage = section('What applications call and which of their permissions they need for it, counted by day.', {
  flushEvery: leaf.duration('How often each instance writes its counts; a crash loses that much.', '10s', [
    '100ms',
    '5min',
  ]),
  keep: leaf.duration('How long counts are kept.', '400d', ['1d', '3650d']),
  unusedAfter: leaf.duration('How long nobody must have used a permission until it is shown as unused.', '30d', [
    '1s',
    '365d',
  ]),
})

/** The sections of the file that are about people and what is written down, in their order. */
export const peopleSections = { signIn: SignIn, mail: Mail, ledger: Ledger, usage: Usage }
