// Microsoft Entra ID: the application manifest in its present form (that of Microsoft Graph) and in its older one (that
// of Azure AD Graph), alone, in a list, or as Graph answers a list. One application there may have both a confidential
// side and a public one; here a registration has one type, so it becomes two.

import { type Converting, type Imported, type Note, reasons } from './conversion.js'
import { entraPermissions } from './entra-permissions.js'
import { type ImportRecord, importRecord } from './import-record.js'

type AddNote = (field: string, message: string) => void

/** Where a platform's redirect URIs stand, in both forms. */
interface Platforms {
  web: string[]
  /** Single-page, mobile and desktop. */
  public: string[]
}

/** Pages of the issuer itself: a code that is sent there is not sent to the application. */
const pagesOfIssuer =
  /^https:\/\/login\.(?:microsoftonline\.(?:com|us)|live\.com|windows\.net|partner\.microsoftonline\.cn)\//
/** About the object in its directory, and defaults that say nothing. */
const needless = [
  ...[
    '@odata.context',
    '@odata.id',
    '@odata.etag',
    'id',
    'objectId',
    'objectType',
    'deletedDateTime',
    'createdDateTime',
  ],
  ...['createdOn', 'deletionTimestamp', 'uniqueName', 'applicationTemplateId', 'defaultRedirectUri', 'signInUrl'],
  ...[
    'oauth2RequirePostResponse',
    'requestedAccessTokenVersion',
    'accessTokenAcceptedVersion',
    'parentalControlSettings',
  ],
  ...['isDeviceOnlyAuthSupported', 'orgRestrictions', 'isAuthorizationServiceEnabled', 'createdByAppId', 'errorUrl'],
  ...['servicePrincipalLockConfiguration', 'migrationStatus', 'owners@odata.context', 'owners', 'logo', 'logoUrl'],
  ...['nativeAuthenticationApisEnabled', 'allowActAsForAllClients', 'certification', 'certificationInfo'],
]
const messages: Readonly<Record<string, string>> = {
  identifierUris: 'it is an API too: describe it under resources in the configuration',
  knownClientApplications: 'an administrator consents to each application: portcullis consent grant',
  preAuthorizedApplications: 'an administrator consents to each application: portcullis consent grant',
  optionalClaims: 'claims of tokens are not chosen by the client',
  groupMembershipClaims: 'claims of tokens are not chosen by the client',
  acceptMappedClaims: 'claims of tokens are not chosen by the client',
  samlMetadataUrl: 'SAML is not served',
  tokenEncryptionKeyId: 'tokens are signed, not encrypted',
  requestSignatureVerification: 'signed requests are not served',
}

/** The applications of a parsed file. Throws RegistrationProblem for a file of another shape. */
export function* convertEntra(document: unknown): Converting {
  const imported: Imported[] = []
  for (const manifest of manifestsOf(document)) {
    yield
    imported.push(...convertManifest(manifest))
  }
  return { imported, left: [] }
}

function manifestsOf(document: unknown): ImportRecord[] {
  if (Array.isArray(document)) return document.map((one, index) => importRecord(one, `[${index}]`))
  const whole = importRecord(document, '')
  return Array.isArray((document as { value?: unknown }).value) ? whole.records('value') : [whole]
}

function convertManifest(manifest: ImportRecord): Imported[] {
  const notes: Note[] = []
  const note: AddNote = (field, message) => void notes.push({ field, message })
  const sourceId = manifest.required('appId')
  const name = manifest.text('displayName').trim() || manifest.text('name').trim() || `Entra application ${sourceId}`
  const platforms = platformsOf(manifest, note)
  const fallsBackToPublic = ['isFallbackPublicClient', 'allowPublicClient'].some(manifest.flag)
  const secrets = manifest.records('passwordCredentials').length
  const hasKeys = manifest.records('keyCredentials').length > 0
  const { permissions, offersSome } = entraPermissions(manifest)
  const isConfidential =
    platforms.web.length > 0 || secrets > 0 || hasKeys || permissions.some(({ kinds }) => kinds.includes('application'))
  const isPublic = platforms.public.length > 0 || (fallsBackToPublic && !isConfidential)
  if (offersSome) note('api', 'it offers permissions: describe them under resources in the configuration')
  if (secrets > 0) note('passwordCredentials', reasons.secret)
  if (hasKeys) note('keyCredentials', reasons.certificates)
  const same = {
    sourceId,
    audience: audienceOf(manifest, note),
    publisher: publisherOf(manifest),
    disabled: manifest.flag('isDisabled') || manifest.text('disabledByMicrosoftStatus').startsWith('Disabled'),
    jwks: undefined,
    provesByKey: false,
    idTokenAlg: undefined,
  } as const
  noteTheRest(manifest, note)
  const web: Imported[] = [
    { ...same, name, type: 'web', ...uris(platforms.web), requirePkce: false, permissions, notes },
  ]
  if (!isPublic) return web
  const delegated = permissions.filter(({ kinds }) => kinds.includes('delegated'))
  const publicClient = { ...same, type: 'native', ...uris(platforms.public), requirePkce: true } as const
  if (!isConfidential) return [{ ...publicClient, name, permissions: delegated, notes }]
  note('publicClient', `its public side becomes a registration of its own: ${name} (public client)`)
  return [...web, { ...publicClient, name: `${name} (public client)`, permissions: delegated, notes: [] }]
}

/** There, people who sign out may go on at any redirect URI. */
function uris(redirectUris: string[]): Pick<Imported, 'redirectUris' | 'logoutRedirectUris'> {
  return { redirectUris, logoutRedirectUris: redirectUris.filter((uri) => /^https?:/.test(uri)) }
}

function platformsOf(manifest: ImportRecord, note: AddNote): Platforms {
  const web = manifest.record('web')
  const grants = web.record('implicitGrantSettings')
  const implicit =
    grants.flag('enableAccessTokenIssuance') ||
    grants.flag('enableIdTokenIssuance') ||
    manifest.flag('oauth2AllowImplicitFlow') ||
    manifest.flag('oauth2AllowIdTokenImplicitFlow')
  if (implicit) note('implicitGrantSettings', reasons.implicit)
  if ((web.text('logoutUrl') || manifest.text('logoutUrl')) !== '') {
    note('logoutUrl', 'the application is not told when somebody signs out')
  }
  web.skip(['redirectUris', 'redirectUriSettings', 'homePageUrl'])
  for (const field of web.unread()) note(`web.${field}`, reasons.noCounterpart)
  const spa = manifest.record('spa').texts('redirectUris')
  // In the oldest form it is a flag.
  const isFlag = typeof manifest.value('publicClient') === 'boolean'
  const installed = isFlag ? [] : manifest.record('publicClient').texts('redirectUris')
  const older = olderReplyUrls(manifest)
  const ours = (uri: string) => {
    const isOfIssuer = pagesOfIssuer.test(uri)
    if (isOfIssuer) note('redirectUris', `${uri} is a page of Microsoft: use a loopback address`)
    return !isOfIssuer
  }
  return {
    web: distinct([...web.texts('redirectUris'), ...older.web]).filter(ours),
    public: distinct([...spa, ...installed, ...older.public]).filter(ours),
  }
}

/** `replyUrlsWithType` of the older form, and `replyUrls` of the one before. */
function olderReplyUrls(manifest: ImportRecord): Platforms {
  const typed = manifest.records('replyUrlsWithType').map((one) => ({ url: one.text('url'), type: one.text('type') }))
  const isPublicClient = manifest.flag('allowPublicClient') || manifest.value('publicClient') === true
  const untyped = manifest.texts('replyUrls').map((url) => ({ url, type: isPublicClient ? 'InstalledClient' : 'Web' }))
  const all = [...typed, ...untyped]
  const isWeb = ({ type }: { type: string }) => !['spa', 'installedclient'].includes(type.toLowerCase())
  return {
    web: all.filter(isWeb).map(({ url }) => url),
    public: all.filter((one) => !isWeb(one)).map(({ url }) => url),
  }
}

function audienceOf(manifest: ImportRecord, note: AddNote): Imported['audience'] {
  const named = manifest.text('signInAudience')
  const forOthers = manifest.flag('availableToOtherTenants')
  if (named.includes('Personal')) note('signInAudience', 'there are no personal accounts: any tenant may install it')
  return named === '' ? (forOthers ? 'any' : 'home') : named === 'AzureADMyOrg' ? 'home' : 'any'
}

function publisherOf(manifest: ImportRecord): string {
  const verified = manifest.record('verifiedPublisher').text('displayName').trim()
  return verified || manifest.text('publisherDomain').trim()
}

function noteTheRest(manifest: ImportRecord, note: AddNote): void {
  manifest.skip(needless)
  for (const field of manifest.unread()) note(field, messages[field] ?? reasons.noCounterpart)
}

function distinct(uris: readonly string[]): string[] {
  return [...new Set(uris)]
}
