// The settings of what applications do without a person of this installation: register by standard, prove themselves elsewhere,
// hear of events.

import { Type } from 'typebox'
import { leaf, section } from './leaves.js'

const Registration = section('Registration of applications by standard (RFC 7591, RFC 7592).', {
  standard: leaf.flag(
    'Whether the endpoint is there. It takes registration tokens only, and nobody without one.',
    true,
  ),
})

const Federation = section('Issuers outside whose tokens prove applications.', {
  fetch: leaf.flag(
    'Whether issuers are asked for their keys; otherwise keys are configured with each credential.',
    true,
  ),
  allow: leaf.list(
    'Names and addresses that may be asked although they are not public ones.',
    'host name',
    'issuer.internal',
  ),
  reuse: leaf.list(
    'Issuers whose tokens may come again while they are at most an hour old: a token that a workload reads from a file, such as' +
      ' a Kubernetes service account’s. Those of others prove an application once.',
    'issuer',
    'https://kubernetes.default.svc',
  ),
  ca: Type.Optional(leaf.certificates('PEM of the authorities to trust instead of the system’s; usually file:/path.')),
})

const Events = section('Events that are sent to webhooks of tenants.', {
  allow: leaf.list(
    'Names and addresses that webhooks may lead to although they are not public ones.',
    'host name',
    'receiver.internal',
  ),
  ca: Type.Optional(leaf.certificates('PEM of the authorities to trust instead of the system’s; usually file:/path.')),
})

/** The sections of the file that are about clients, in their order. */
export const clientSections = { registration: Registration, federation: Federation, events: Events }
