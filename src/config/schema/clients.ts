// The settings of what applications do without a person of this installation: register by standard, prove themselves
// elsewhere, hear of events.

import { Type } from 'typebox'
import { leaf, section } from './leaves.js'

const Registration = section('Registration of applications by standard (RFC 7591, RFC 7592).', {
  standard: leaf.flag(
    'Whether applications may register by RFC 7591: with a registration token that an administrator made, or without one where open says so.',
    true,
  ),
  open: section(
    'Clients that register themselves without a token; what they may ask people for is documents of the resources.',
    {
      enabled: leaf.flag('Whether anybody may register a client that proves itself by nothing.', false),
      hosts: leaf.list(
        'Hosts of their https redirect URIs, each exactly; those on the person’s device need none.',
        'host name',
        'agent.example',
      ),
      perAddress: leaf.rate('Registrations from one address.', '20/min'),
      overall: leaf.rate('Registrations at all.', '600/min'),
    },
  ),
  documents: section(
    'Clients that nobody registered: their client_id is the https URL of a document about them (client ID metadata documents).',
    {
      trust: leaf.word(
        'Whose documents are taken: off, listed (of the hosts below) or any. A tenant takes fewer where it says so.',
        ['off', 'listed', 'any'],
        'off',
      ),
      hosts: leaf.list(
        'Hosts whose clients are taken where trust is listed, each exactly.',
        'host name',
        'agent.example',
      ),
      allow: leaf.list(
        'Names and addresses that may be called although they are not public.',
        'host name',
        'agents.internal',
      ),
      ca: Type.Optional(
        leaf.certificates('PEM of the authorities to trust instead of the system’s; usually file:/path.'),
      ),
    },
  ),
})

const Federation = section('Trusted external issuers whose tokens prove applications instead of a secret.', {
  fetch: leaf.flag('Whether keys are fetched from issuers; false: keys are configured with each credential.', true),
  allow: leaf.list(
    'Names and addresses that may be called although they are not public.',
    'host name',
    'issuer.internal',
  ),
  reuse: leaf.list(
    'Issuers whose tokens may come again for an hour (files of workloads, as in Kubernetes); those of others prove an application once.',
    'issuer',
    'https://kubernetes.default.svc',
  ),
  ca: Type.Optional(leaf.certificates('PEM of the authorities to trust instead of the system’s; usually file:/path.')),
})

const Events = section('Webhooks of tenants; https to public addresses.', {
  allow: leaf.list(
    'Names and addresses that webhooks may lead to although they are not public.',
    'host name',
    'receiver.internal',
  ),
  ca: Type.Optional(leaf.certificates('PEM of the authorities to trust instead of the system’s; usually file:/path.')),
})

/** The sections of the file that are about clients, in their order. */
export const clientSections = { registration: Registration, federation: Federation, events: Events }
