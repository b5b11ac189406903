// What a client that nobody registered is called inside: an application identifier made from its URL, or from what open
// registration gave it, and the tenant in which people use it. It needs no look-up, so a token that names the URL leads to its application in memory, and two
// instances that meet the client at once make one application of it. Of each tenant another: what one of them ends or
// disables is nobody else's.

import { createHash } from 'node:crypto'
import { isClientIdentifierUrl } from '../requests/client-identifier-url.js'
import { isOpenClientId } from './open-client-id.js'

/** Whether a `client_id` is meant to be one of a client that nobody registered: a URL, or one of open registration. */
export function isUnregisteredClientId(text: string | undefined): text is string {
  return isClientIdentifierUrl(text) || isOpenClientId(text)
}

/** A GUID (RFC 9562 §5.8, version 8): 122 bits of a SHA-256, so nobody finds a URL for an identifier that exists. */
export function documentApplicationId(url: string, tenantId: string): string {
  const bytes = createHash('sha256').update(`client-document\0${tenantId}\0${url}`).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** The application that the `client_id` of a token means, in its tenant `tid`. */
export function applicationIdOf(clientId: string, tenantId: string): string {
  return isUnregisteredClientId(clientId) ? documentApplicationId(clientId, tenantId) : clientId
}
