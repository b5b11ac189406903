// How applications and fresh secrets are shown. A secret appears in exactly one answer of the server and so in exactly
// one output: marked in the table, plain in JSON and env, or only in a file that nobody else may read.

import type { Answer } from '../../../management/schemas.js'
import { type Field, type OutputFormat, printRecord } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'

/** Shows one application. */
export function printApplication(terminal: Terminal, format: OutputFormat, application: Answer<'application'>): void {
  printRecord(terminal, format, application, applicationFields(application))
}

/** Shows a new application with its secret, when it has one that is not kept in a file. */
export function printNewApplication(
  terminal: Terminal,
  format: OutputFormat,
  { answer, kept }: { answer: Answer<'createdApplication'>; kept: boolean },
): void {
  const { clientSecret, ...rest } = answer
  const fields = applicationFields(answer).filter(({ label }) => label !== 'secret')
  const shown = clientSecret === undefined || kept ? [] : [secretField(clientSecret)]
  const ends = answer.secret === undefined ? [] : [{ label: 'secret ends', value: answer.secret.endsAt }]
  printRecord(terminal, format, kept ? rest : answer, [...fields, ...shown, ...ends])
}

/** Shows a new secret of an application, unless it is kept in a file. */
export function printNewSecret(
  terminal: Terminal,
  format: OutputFormat,
  { answer, kept }: { answer: Answer<'addedSecret'>; kept: boolean },
): void {
  const { clientSecret, ...rest } = answer
  printRecord(terminal, format, kept ? rest : answer, [
    { label: 'key id', value: answer.keyId, variable: 'PORTCULLIS_SECRET_KEY_ID' },
    ...(kept ? [] : [secretField(clientSecret)]),
    { label: 'secret ends', value: answer.endsAt },
  ])
}

function applicationFields(application: Answer<'application'>): Field[] {
  const permissions = application.permissions.map(({ kind, resource, id }) => `${kind}:${resource}/${id}`)
  const consents = application.consents.flatMap((consent) =>
    consent.permissions.map(({ kind, resource, id }) => `${consent.tenantId} ${kind}:${resource}/${id}`),
  )
  const keyIds = (application.jwks?.keys ?? []).map((key) => `${key['kid'] ?? ''}, ${key['alg'] ?? ''}`)
  const publisher =
    application.publisher === ''
      ? []
      : [`${application.publisher} (${application.verified ? 'verified' : 'not verified'})`]
  const secrets = application.secrets.map(({ keyId, label, endsAt, lastUsedAt, safeToDelete }) =>
    [
      keyId,
      label,
      `${Date.parse(endsAt) > Date.now() ? 'ends' : 'ended'} ${endsAt}`,
      lastUsedAt === null ? 'never used' : `used ${lastUsedAt}`,
      ...(safeToDelete ? ['safe to delete'] : []),
    ].join(', '),
  )
  // An application that only acts as itself uses neither.
  const redirects = application.type === 'native' || application.redirectUris.length > 0
  const signsIn = redirects || application.deviceCodes === 'allowed'
  return [
    { label: 'name', value: application.name },
    // The variable that the token command reads.
    { label: 'application id', value: application.applicationId, variable: 'PORTCULLIS_CLIENT_ID' },
    { label: 'public key', value: application.publicKey, variable: 'PORTCULLIS_PUBLIC_KEY' },
    { label: 'tenant', value: application.tenantId, variable: 'PORTCULLIS_TENANT_ID' },
    { label: 'type', value: application.type },
    { label: 'state', value: application.state },
    { label: 'proves itself by', value: application.type === 'native' ? 'nothing (PKCE)' : application.authMethod },
    ...listed('key', keyIds),
    ...(redirects ? [{ label: 'PKCE', value: application.requirePkce ? 'required' : 'not required' }] : []),
    // An older server knows no plans.
    ...(application.plan ? [{ label: 'plan', value: application.plan }] : []),
    ...(signsIn ? [{ label: 'ID tokens', value: application.idTokenAlg }] : []),
    ...listed('publisher', publisher),
    ...listed('redirect URI', application.redirectUris),
    ...listed('admin consent redirect URI', application.adminConsentRedirectUris),
    ...listed('logout redirect URI', application.logoutRedirectUris),
    { label: 'device codes', value: application.deviceCodes },
    ...listed('owner', application.owners),
    ...listed('permission', permissions),
    ...listed('consented in', consents),
    ...listed('secret', secrets),
  ]
}

function listed(label: string, values: readonly string[]): Field[] {
  return values.map((value) => ({ label, value }))
}

function secretField(value: string): Field {
  return { label: 'client secret (shown only now)', value, variable: 'PORTCULLIS_CLIENT_SECRET' }
}
