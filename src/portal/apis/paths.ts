// Addresses of the pages about APIs, without the tenant (`context.link` adds it).

export const cataloguePath = '/portal/apis'

/** The page of an API of the catalogue, or one below it. */
export function apiPath(apiId: string, below = ''): string {
  return `${cataloguePath}/${encodeURIComponent(apiId)}${below}`
}

export const ownApisPath = `${cataloguePath}/own`

/** The page of an API that the tenant defines, or one below it. */
export function ownApiPath(ownApiId: string, below = ''): string {
  return `${ownApisPath}/${encodeURIComponent(ownApiId)}${below}`
}
