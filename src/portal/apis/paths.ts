// Addresses of the pages about APIs, without the tenant (`context.link` adds it).

export const cataloguePath = '/portal/apis'

/** The page of an API of the catalogue, or one below it. */
export function apiPath(apiId: string, below = ''): string {
  return `${cataloguePath}/${encodeURIComponent(apiId)}${below}`
}
