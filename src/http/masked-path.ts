// A path as the log may have it. A secret or a token has no business in one, but people paste them in the wrong place, and
// a log is read by more people than may use them.

/** Client secrets by their prefix, and whatever begins as a JSON object in base64url does: a token, whole or cut off. */
const credentials = /pcl_sk_\w*|eyJ[\w-]{8,}(?:\.[\w-]*)*/g

/** The canonical path with everything in it that could be a credential written as `***`. */
export function maskedPath(path: string): string {
  return path.includes('pcl_sk_') || path.includes('eyJ') ? path.replace(credentials, '***') : path
}
