// New key pairs, by the callback form of node:crypto: on Node 20, exporting as JWK what the synchronous one made can
// wait for ever (a garbage collection in between takes the same lock).

import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'

/** As `generateKeyPair` of node:crypto, with a promise for `{ publicKey, privateKey }`. */
export const newKeyPair = promisify(generateKeyPair)
