// Addresses for the patterns of the portal's pages, so that anyone who goes through all of them cannot forget one.

/** What the parameters of pages stand for; a page with another one has to be named here. */
export interface PageIds {
  /** An application, in pages about it. */
  id: string
  keyId: string
  credentialId: string
  userId: string
  webhookId: string
  deliveryId: string
  /** An API of the catalogue. */
  apiId: string
  /** An API that the tenant defines. */
  ownApiId: string
  /** A registration token. */
  tokenId: string
  /** A deleted application. */
  deletedId: string
  /** A provider of the configuration. */
  provider: string
  /** A tool that changed. */
  changeId: string
  /** An application that has access. */
  applicationId: string
}

/** The address of a page. Throws for a parameter that nobody knows. */
export function pageAddress(pattern: string, ids: PageIds): string {
  return pattern.replace(/:(\w+)/g, (_whole, name: string) => {
    const value = Object.hasOwn(ids, name) ? ids[name as keyof PageIds] : undefined
    if (value === undefined) throw new Error(`what is :${name} of ${pattern}?`)
    return encodeURIComponent(value)
  })
}
