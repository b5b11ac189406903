// Events in words, made from their names, so that a new one needs nothing here; a few read better otherwise.

const better: Readonly<Record<string, string>> = {
  'user.signed-in': 'Signed in',
  'user.signed-out': 'Signed out',
  'user.sign-in-failed': 'Sign-in failed',
  'user.sign-in-delayed': 'Sign-in delayed after failures',
  'user.created': 'Account created',
  'user.changed': 'Account changed',
  'user.email-asked': 'Another address requested',
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
