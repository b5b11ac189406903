// Clients that register themselves without a token, where registration is open (RFC 7591, decision 158). What such a client
// said is its identifier: nothing is kept of it here, and what it is believed is decided anew at each use.

import type { ClientDocument } from '../directory/documents/client-document.js'
import { addressGroup } from '../limits/address-group.js'
import {
  isOpenClientId,
  type OpenClient,
  readOpenClientId,
  writeOpenClientId,
} from '../oauth/secrets/open-client-id.js'
import type { Counters } from '../storage/counters/counters.js'
import type { ClientDocuments } from './client-documents.js'
import { DocumentRefused } from './document-refused.js'

/** At most so many in any such time. */
interface Rate {
  limit: number
  periodMs: number
}

/** Open registration, as the configuration has it. */
export interface OpenRegistration {
  enabled: boolean
  /** Hosts of https redirect URIs, in lower case, each exactly; those on the person's device need none. */
  hosts: readonly string[]
  perAddress: Rate
  overall: Rate
}

export interface OpenClients {
  /** Whether anybody may register without a token. */
  readonly isOn: boolean
  /** Whether such a client may have answers sent there. */
  takesRedirect(uri: string): boolean
  /**
   * Seconds to wait when there have been too many registrations, of the address or of all; undefined: this one may go
   * on. Counts it.
   */
  charge(address: string): Promise<number | undefined>
  /** The `client_id` of the client; undefined when what it says is too long for one. */
  register(client: OpenClient): string | undefined
  /** The client of an identifier that was given here; undefined for any other, and for what is not taken any more. */
  find(clientId: string): ClientDocument | undefined
}

/** `keys`: newest first; `counters` are in-process ones; `monotonic` is milliseconds. */
export function createOpenClients(options: {
  settings: OpenRegistration
  keys: readonly Uint8Array[]
  counters: Counters
  monotonic: () => number
}): OpenClients {
  const { settings, keys, counters, monotonic } = options
  const [newest] = keys
  const takesRedirect = (uri: string) => isLoopback(uri) || settings.hosts.includes(httpsHost(uri) ?? '')
  return {
    isOn: settings.enabled && newest !== undefined,
    takesRedirect,
    async charge(address) {
      const group = addressGroup(address)
      const bucket = (key: string, rate: Rate) => ({ key, algorithm: { kind: 'quota', ...rate }, cost: 1 }) as const
      const states = await counters.take(
        [
          bucket(`register-address;a${group.length}:${group}`, settings.perAddress),
          bucket('register-overall', settings.overall),
        ],
        monotonic(),
      )
      const waits = states.filter(({ allowed }) => !allowed).map(({ retryAfterMs }) => retryAfterMs)
      return waits.length === 0 ? undefined : Math.ceil(Math.max(...waits) / 1000)
    },
    register: (client) => (newest === undefined ? undefined : writeOpenClientId(newest, client)),
    find(clientId) {
      const client = settings.enabled ? readOpenClientId(keys, clientId) : undefined
      if (client === undefined || !client.redirectUris.every(takesRedirect)) return undefined
      const { clientName, redirectUris, refreshes } = client
      return {
        url: clientId,
        clientName,
        type: 'native',
        redirectUris,
        jwks: undefined,
        fetchedAt: 0,
        grantTypes: refreshes ? ['authorization_code', 'refresh_token'] : ['authorization_code'],
      }
    },
  }
}

/** Both ways in which a client comes that nobody registered: by its document, and by itself. */
export function withOpenClients(documents: ClientDocuments, open: OpenClients): ClientDocuments {
  return {
    isOn: documents.isOn || open.isOn,
    isTrusted: (id) => (isOpenClientId(id) ? open.find(id) !== undefined : documents.isTrusted(id)),
    async find(id, address) {
      if (!isOpenClientId(id)) return documents.find(id, address)
      const client = open.find(id)
      if (client === undefined)
        throw new DocumentRefused('client_unknown', 'No client registered under this client_id.')
      return client
    },
    known: (id) => (isOpenClientId(id) ? undefined : documents.known(id)),
    renew(id) {
      if (!isOpenClientId(id)) documents.renew(id)
    },
  }
}

function isLoopback(uri: string): boolean {
  return /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)(?:[:/?]|$)/.test(uri)
}

/** With its port, unless that is the usual one. */
function httpsHost(uri: string): string | undefined {
  return uri.startsWith('https://') && URL.canParse(uri) ? new URL(uri).host : undefined
}
