// One person as the commands show them.

import type { PeopleAnswer } from '../../../management/people/people-schemas.js'
import { type OutputFormat, printRecord } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'

/** Prints a person with their memberships. */
export function printUser(terminal: Terminal, output: OutputFormat, user: PeopleAnswer<'user'>): void {
  const proofs = [
    ...(user.hasPassword ? ['password'] : []),
    ...(user.hasSecondFactor ? ['second factor'] : []),
    ...(user.idProvider === 'local' ? [] : [user.idProvider]),
  ]
  printRecord(terminal, output, user, [
    { label: 'name', value: user.name },
    { label: 'e-mail', value: `${user.email}${user.emailVerified || user.email === '' ? '' : ' (not confirmed)'}` },
    ...[user.pendingEmail ?? ''].filter(Boolean).map((value) => ({ label: 'waits to be confirmed', value })),
    { label: 'user id', value: user.userId, variable: 'PORTCULLIS_USER_ID' },
    { label: 'state', value: user.state },
    { label: 'signs in by', value: proofs.join(', ') || 'nothing yet' },
    { label: 'language', value: user.language ?? 'as their browser says' },
    { label: 'last sign-in', value: user.lastSignInAt ?? 'never' },
    ...user.memberships.map(({ tenantId, role }) => ({ label: 'member', value: `${tenantId} ${role}` })),
  ])
}
