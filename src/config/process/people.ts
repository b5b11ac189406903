// Sign-in, mail, the ledger and usage, as the program works with them.

import { resolve } from 'node:path'
import { characterProblem } from '../../naming/characters.js'
import type { Path } from '../read/places.js'
import { secretValue } from '../read/secret-value.js'
import type { Report } from '../report/report.js'
import type { ConfigurationFile } from '../schema/file.js'
import type { ProviderSettings, Settings } from '../settings/settings.js'
import { breachFileProblem } from './breach-file.js'
import { DURATION_PATTERN, quantity } from './units.js'

const shortestRetentionMs = 30 * 24 * 3_600_000
const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Reads `signIn`, `mail`, `ledger` and `usage`; files of hashes lie beside the configuration, checkpoints in the data
 * folder. Mistakes go to the report.
 */
export function compilePeople(
  { signIn, mail, ledger, usage }: ConfigurationFile,
  folders: { data: string; configuration: string },
  report: Report,
): Pick<Settings, 'signIn' | 'mail' | 'ledger' | 'usage'> {
  const sessionIdleMs = quantity.milliseconds(signIn.idle)
  const sessionMs = quantity.milliseconds(signIn.lifetime)
  if (sessionIdleMs > sessionMs) report.problem(['signIn', 'idle'], 'must not be longer than signIn.lifetime')
  if (quantity.milliseconds(usage.unusedAfter) > quantity.milliseconds(usage.keep))
    report.problem(['usage', 'unusedAfter'], 'must not be longer than usage.keep')
  // What another instance has counted may not have been written yet.
  if (quantity.milliseconds(usage.unusedAfter) < 2 * quantity.milliseconds(usage.flushEvery))
    report.problem(['usage', 'unusedAfter'], 'must be at least twice usage.flushEvery')
  const providers = Object.entries(signIn.providers).map(
    ([name, provider]) => [name, compileProvider(name, provider, report)] as const,
  )
  return {
    signIn: {
      sessionIdleMs,
      sessionMs,
      recentMs: quantity.milliseconds(signIn.recent),
      administrators: signIn.administrators,
      secondFactor: compileSecondFactor(signIn.secondFactor, report),
      passwordLength: signIn.passwordLength,
      breachedPasswords: breachFile(signIn.breachedPasswords, folders.configuration, report),
      perAccount: quantity.rate(signIn.perAccount),
      perAddress: quantity.rate(signIn.perAddress),
      overall: quantity.rate(signIn.overall),
      deviceCodes: signIn.deviceCodes,
      language: signIn.language,
      providers: new Map(providers),
    },
    mail: compileMail(mail, report),
    ledger: {
      checkpoints: resolve(folders.data, ledger.checkpoints),
      checkpointEveryMs: quantity.milliseconds(ledger.checkpointEvery),
      activityEntries: ledger.activity,
      retentionMs: retentionOf(ledger.retention, report),
      archive: ledger.archive === 'off' ? undefined : resolve(folders.data, ledger.archive),
    },
    usage: {
      flushEveryMs: quantity.milliseconds(usage.flushEvery),
      keepMs: quantity.milliseconds(usage.keep),
      unusedAfterMs: quantity.milliseconds(usage.unusedAfter),
    },
  }
}

const roles = ['member', 'developer', 'administrator', 'owner'] as const

/** A role that may do more is not guarded less. */
function compileSecondFactor(
  { grace, ...demands }: ConfigurationFile['signIn']['secondFactor'],
  report: Report,
): Settings['signIn']['secondFactor'] {
  const least = roles.find((role) => demands[role] === 'required')
  for (const role of roles.slice(least === undefined ? roles.length : roles.indexOf(least))) {
    if (demands[role] === 'optional')
      report.problem(['signIn', 'secondFactor', role], `must be required, because ${least} is, who may do less`)
  }
  const required = ([...roles, 'operator'] as const).filter((role) => demands[role] === 'required')
  return { required: new Set(required), graceMs: quantity.milliseconds(grace) }
}

function breachFile(written: string | undefined, folder: string, report: Report): string {
  if (written === undefined) return ''
  const file = resolve(folder, written)
  const problem = breachFileProblem(file)
  if (problem !== undefined) report.problem(['signIn', 'breachedPasswords'], problem)
  return file
}

/** An operator who writes 30 for 30d must not lose everything at the next start. */
function retentionOf(text: string, report: Report): number | undefined {
  if (text === 'off') return undefined
  const ms = new RegExp(DURATION_PATTERN).test(text) ? quantity.milliseconds(text) : 0
  if (ms >= shortestRetentionMs) return ms
  report.problem(['ledger', 'retention'], 'must be off, or a duration of at least 30d')
  return undefined
}

function compileProvider(
  name: string,
  provider: ConfigurationFile['signIn']['providers'][string],
  report: Report,
): ProviderSettings {
  const path: Path = ['signIn', 'providers', name]
  const hidden = characterProblem(provider.label ?? '')
  if (hidden !== undefined) report.problem([...path, 'label'], `is a name: ${hidden}`)
  if (name === 'local') report.problem(path, 'is what accounts without a provider are called', 'key')
  const issuer = provider.issuer ?? ''
  if (!URL.canParse(issuer) || !/^https:\/\/[^?#@\s]+$/.test(issuer)) {
    report.problem([...path, 'issuer'], 'must be an https URL without query, such as https://login.example.com')
  }
  if (provider.createUsers && provider.tenant === undefined) {
    report.problem([...path, 'createUsers'], 'needs the tenant that new people join')
  }
  if (provider.tenant !== undefined && !guid.test(provider.tenant)) {
    report.problem([...path, 'tenant'], 'must be the identifier (GUID) of a tenant')
  }
  const { label = name, clientId = '', clientSecret = '' } = provider
  const values = Object.entries(provider.roles?.values ?? {})
  return {
    name,
    label,
    issuer,
    clientId,
    clientSecret: clientSecret === '' ? undefined : secretValue(clientSecret),
    scope: provider.scope,
    createUsers: provider.createUsers,
    tenantId: provider.tenant?.toLowerCase(),
    role: provider.role,
    roles: values.length === 0 ? undefined : { claim: provider.roles?.claim ?? 'roles', values: new Map(values) },
    ca: provider.ca,
  }
}

function compileMail(mail: ConfigurationFile['mail'], report: Report): Settings['mail'] {
  const { url, from } = mail
  if (url === '') return undefined
  if (!URL.canParse(url) || !/^smtps?:\/\/[^/?#\s]+\/?$/.test(url)) {
    report.problem(['mail', 'url'], 'must be smtp://user:password@host:587 or smtps://host:465')
  }
  return {
    url: secretValue(url),
    from,
    perTenant: quantity.rate(mail.perTenant),
    perRecipient: quantity.rate(mail.perRecipient),
    perSender: quantity.rate(mail.perSender),
    overall: quantity.rate(mail.overall),
  }
}
