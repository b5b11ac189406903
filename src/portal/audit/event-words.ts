// Events in words, made from their names, so that a new one needs nothing here; a few read better otherwise.

const better: Readonly<Record<string, string>> = {
  'user.signed-in': 'Signed in',
  'user.signed-out': 'Signed out',
  'session.ended': 'Session ended',
  'user.sign-in-failed': 'Sign-in failed',
  'user.sign-in-delayed': 'Sign-in delayed after failures',
  'user.created': 'Account created',
  'user.changed': 'Account changed',
  'user.email-asked': 'Another address requested',
  'user.second-factor-added': 'Second factor added',
  'user.second-factor-removed': 'Second factor removed',
  'user.recovery-codes-renewed': 'Recovery codes renewed',
  'user.recovery-code-used': 'Recovery code used',
  'user.passkey-added': 'Passkey added',
  'user.passkey-removed': 'Passkey removed',
  'user.passkey-renamed': 'Passkey renamed',
  'user.password-changed': 'Password changed',
  'user.password-change-failed': 'Password change failed',
  'user.provider-linked': 'Provider linked',
  'user.provider-unlinked': 'Provider unlinked',
  'user.ways-in-removed': 'Passkeys and providers removed',
  'user.operator-made': 'Made an operator',
  'user.operator-ended': 'No operator any more',
  'user.revoked': 'Tokens of a person revoked',
  'token.issued-to-operator': 'Token of the application taken by an operator',
  'token.issued-for-trial': 'Token issued to try the application',
  'user.deleted': 'Account deleted',
  'user.enabled': 'Account enabled',
  'user.disabled': 'Account disabled',
  'secret.created': 'Private key created',
  'secret.ended': 'Private key ended',
  'secret.expiring': 'Private key ends soon',
  'client.authentication-failed': 'Application did not prove itself',
  'browser.form-refused': 'Foreign form refused',
  'ledger.pruned': 'Beginning of the audit log removed',
  'grant.reuse-detected': 'Refresh token used twice',
}

/**
 * `Admin consent granted` of `admin-consent.granted`. Whatever stands in a row that somebody changed is shown as it is.
 */
export function eventWords(event: string): string {
  if (Object.hasOwn(better, event)) return better[event] ?? event
  const text = event.replace(/[.-]/g, ' ')
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}
