// The settings of what applications do without a person of this installation: register by standard, prove themselves
// elsewhere, hear of events.

import { Type } from 'typebox'
import { leaf, section } from './leaves.js'

const Registration = section('Registration of applications by standard (RFC 7591, RFC 7592).', {
  standard: leaf.flag(
    'Whether applications may register by RFC 7591, with a registration token that an administrator made; never without.',
    true,
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
