// The client_id of a client that registered itself where registration is open (RFC 7591, decision 158): what it said, under
// a key of this server. Nothing is stored for it, so a flood of registrations fills nothing; and those who say the same get
// the same identifier (RFC 7591 §3.2.1 leaves that to the server), so a client that registers at each start stays one client.

import { createHmac, timingSafeEqual } from 'node:crypto'

/** What such a client is. */
export interface OpenClient {
  /** What it calls itself, one line; empty: nothing. */
  clientName: string
  redirectUris: readonly string[]
  /** Whether it registered the grant refresh_token. */
  refreshes: boolean
}

const prefix = 'pcl_oc_'
/** Like a client_id that is a URL: it stands in addresses, tokens and rows. */
const longest = 512
const form = /^pcl_oc_([\w-]+)\.([\w-]{22})$/

/** Whether a `client_id` is meant to be one. URLs, GUIDs and public keys never are. */
export function isOpenClientId(text: string | undefined): text is string {
  return text?.startsWith(prefix) === true
}

/** The identifier of the client; undefined when what it says is too long for one. Addresses count in any order. */
export function writeOpenClientId(key: Uint8Array, client: OpenClient): string | undefined {
  const { clientName, redirectUris, refreshes } = client
  const said = [clientName, refreshes ? 1 : 0, ...[...redirectUris].sort()]
  const body = Buffer.from(JSON.stringify(said)).toString('base64url')
  const text = `${prefix}${body}.${mac(key, body)}`
  return text.length <= longest ? text : undefined
}

/** What an identifier says that one of the keys made; undefined for any other text. It has one spelling. */
export function readOpenClientId(keys: readonly Uint8Array[], text: string): OpenClient | undefined {
  if (text.length > longest) return undefined
  const [, body = '', proof = ''] = form.exec(text) ?? []
  if (body === '' || !keys.some((key) => timingSafeEqual(Buffer.from(mac(key, body)), Buffer.from(proof)))) {
    return undefined
  }
  const [clientName, refreshes, ...redirectUris] = JSON.parse(Buffer.from(body, 'base64url').toString()) as [
    string,
    number,
    ...string[],
  ]
  return { clientName, redirectUris, refreshes: refreshes === 1 }
}

function mac(key: Uint8Array, body: string): string {
  return createHmac('sha256', key).update(body).digest().subarray(0, 16).toString('base64url')
}
