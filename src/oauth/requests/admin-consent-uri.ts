// The address of the admin consent page (contract §4), which refusals for want of consent point to.

/**
 * Where an administrator of `tenantId` consents to permissions of an application: an absolute URL. `scope` is what to
 * consent to, `{resource}/.default` or ids.
 */
export function adminConsentUri(
  baseUrl: string,
  request: { applicationId: string; tenantId: string; scope: string },
): string {
  const query = new URLSearchParams({
    client_id: request.applicationId,
    tenant: request.tenantId,
    scope: request.scope,
  })
  return `${baseUrl}/api/v2/oauth2/v2.0/adminconsent?${query}`
}
