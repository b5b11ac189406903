// Pages that somebody may be sent back to after signing in.

/** Pages that one may want to see after signing in, and what lies below them; at the portal with their query. */
const pages =
  /^\/(?:(?:account|consent-requests|device)(?:\/[\w-]{1,64}){0,4}|link-provider\/[\w-]{1,64}|portal(?:\/[\w-]{1,64}){0,5}(?:\?[\w.~%&=+$:-]{1,1024})?)$/

/** Whether somebody may be sent back to this path after signing in. */
export function isPage(path: string): boolean {
  return pages.test(path)
}
