// A path as the log may have it. A secret or a token has no business in one, but people paste them in the wrong place,
// and a log is read by more people than may use them.

/**
 * Secrets of ours by their prefix (of client, session, one-time link, code …; a public key is none), and whatever
 * begins as a JSON object in base64url does: a token, whole or cut off.
 */
const credentials = /pcl_(?!pk_)[a-z]+_\w*|eyJ[\w-]{8,}(?:\.[\w-]*)*/g

/** The canonical path with everything in it that could be a credential written as `***`. */
export function maskedPath(path: string): string {
  return path.includes('pcl_') || path.includes('eyJ') ? path.replace(credentials, '***') : path
}
