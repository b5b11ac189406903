// Which events of the ledger somebody hears of by mail, who, and in which words.

import type { Texts } from '../../languages/english/texts.js'
import { dateTimeIn } from '../../languages/formats.js'
import type { Language } from '../../languages/language.js'
import type { LedgerRow } from '../../storage/sql/ledger/ledger-head.js'
import type { MailText } from '../mail/mail-texts.js'

type Mails = Texts['mails']

/** Where this server is, where the mail leads, and for whom it is written. */
export interface Around {
  host: string
  url: string
  language: Language
}

export interface Notice {
  /**
   * The person of the row, or who read mail at their former address; the owners of its application, or else its
   * tenant's administrators; those alone.
   */
  to: 'person' | 'former address' | 'owners' | 'administrators'
  /** Work that waits may be switched off; what happened to an account may not. */
  kind: 'sign-in' | 'account' | 'work'
  /**
   * What is counted together: of an account and of work each event by itself, so that no number of others keeps the
   * word of a changed password back, and what anybody may ask for none of a secret that ends.
   */
  counted: string
  /** The organisation that it is about; null: it is about an account. */
  tenantId: string | null
  path: string
  text: (mails: Mails, around: Around) => MailText
}

/** Undefined: nobody hears of it. */
export function noticeOf(row: LedgerRow): Notice | undefined {
  const details = read(row.details)
  if (row.event === 'user.signed-in') return details['newBrowser'] === true ? signedIn(row) : undefined
  const change = changes[row.event]
  if (change !== undefined) {
    const text: Notice['text'] = (mails, { host, url }) => mails.accountChanged(host, url, mails.changes[change])
    return { to: 'person', kind: 'account', counted: row.event, tenantId: null, path: '/account/sessions', text }
  }
  if (row.event === 'user.changed') return hasMoved(details) ? addressChanged : undefined
  const work = (to: Notice['to'], path: string, text: Notice['text']): Notice => ({
    to,
    kind: 'work',
    counted: row.event,
    tenantId: row.tenant_id,
    path,
    text,
  })
  switch (row.event) {
    case 'admin-consent.granted':
      return work('administrators', '/portal/consents/apps', (mails, { host, url }) => mails.consentGranted(host, url))
    case 'admin-consent.requested':
      return work('administrators', '/consent-requests', (mails, { host, url }) => mails.consentWaits(host, url))
    case 'secret.expiring': {
      const days = Number(details['days'])
      const path = `/portal/applications/${row.application_id ?? ''}/credentials`
      return work('owners', path, (mails, { host, url }) => mails.secretEnds(host, url, days))
    }
    default:
      return undefined
  }
}

const changes: Readonly<Record<string, keyof Mails['changes']>> = {
  'user.second-factor-added': 'secondFactorAdded',
  'user.second-factor-removed': 'secondFactorRemoved',
  'user.recovery-codes-renewed': 'recoveryCodesRenewed',
  'user.recovery-code-used': 'recoveryCodeUsed',
  'user.passkey-added': 'passkeyAdded',
  'user.passkey-removed': 'passkeyRemoved',
  'user.password-changed': 'passwordChanged',
  'user.provider-linked': 'providerLinked',
  'user.provider-unlinked': 'providerUnlinked',
}

const addressChanged: Notice = {
  to: 'former address',
  kind: 'account',
  counted: 'address',
  tenantId: null,
  path: '/account/details',
  text: (mails, { host }) => mails.addressChanged(host),
}

function hasMoved({ changed }: Record<string, unknown>): boolean {
  return Array.isArray(changed) && changed.includes('email')
}

function signedIn({ at, address }: LedgerRow): Notice {
  return {
    to: 'person',
    kind: 'sign-in',
    counted: 'sign-in',
    tenantId: null,
    path: '/account/sessions',
    text: (mails, { host, url, language }) => {
      const time = dateTimeIn(language, at)
      return mails.newSignIn(host, url, address === null ? time : `${time} (${address})`)
    },
  }
}

/** Somebody may have put a row there that says nothing readable. */
function read(details: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(details)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
