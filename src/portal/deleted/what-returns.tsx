// What a restore brings back, on the page that offers it.

import type { ComponentChildren, VNode } from 'preact'
import type { DeletedDetails } from '../../management/deleted/deleted-schemas.js'
import { displayName } from '../../web/pages/display-name.js'
import { Facts } from '../../web/pages/elements.js'
import { date } from '../dates.js'

/** Longer lists end with how many more there are. */
const mostShown = 20

/** What comes back, and what does by choice of the credentials. */
export function WhatReturns({ deleted }: { deleted: DeletedDetails }): VNode {
  const { state, verified, permissions, redirectUris, owners, plan, hasOwnLimits } = deleted
  const rows: [string, ComponentChildren][] = [
    ['State', state === 'enabled' ? 'Enabled' : 'Disabled: somebody has to enable it'],
    ['Permissions on its list', listOf(permissions, 'none', permissionLine)],
    ['Redirect addresses', listOf(redirectUris, 'none', (uri) => <code>{uri}</code>)],
    ['Owners', listOf(owners, 'none: administrators look after it', ownerLine)],
    [
      'Plan',
      `${plan ?? 'that of everybody'}${hasOwnLimits ? ', with numbers of its own that an operator gave it' : ''}`,
    ],
  ]
  if (verified) rows.push(['Publisher', 'Verified by an operator'])
  if (deleted.credentials > 0 || deleted.hasRegistrationToken) {
    rows.push(['Credentials, if chosen below', <CredentialList key="credentials" deleted={deleted} />])
  }
  return <Facts id="returns" rows={rows} />
}

function permissionLine({ id, listed, consented, tenants, people }: DeletedDetails['permissions'][number]): VNode {
  const elsewhere = tenants - (consented ? 1 : 0)
  const said = [
    ...(listed ? [] : ['not on the list any more']),
    ...(consented ? ['consented for everybody here'] : []),
    ...(elsewhere > 0 ? [`in ${elsewhere} other ${elsewhere === 1 ? 'tenant' : 'tenants'}, which decide again`] : []),
    ...(people > 0 ? [`${people} ${people === 1 ? 'person' : 'people'} had allowed it, and are prompted again`] : []),
  ]
  return (
    <>
      <code>{id}</code>
      {said.length === 0 ? null : <span class="under">{said.join('; ')}</span>}
    </>
  )
}

function ownerLine({ ownerId, name, kind, returns }: DeletedDetails['owners'][number]): VNode {
  const shown = name === '' ? ownerId : displayName(name, 60)
  return (
    <>
      {kind === 'application' ? `${shown} (application)` : shown}
      {returns ? null : <span class="under">cannot be an owner now, and is none then</span>}
    </>
  )
}

function CredentialList({ deleted }: { deleted: DeletedDetails }): VNode {
  const { secrets, keys, federatedCredentials, hasRegistrationToken } = deleted
  const lines: VNode[] = [
    ...secrets.map(({ keyId, label, hint, endsAt, works }) => (
      <li key={keyId}>
        {`Client secret ${label === '' ? '' : `“${displayName(label, 60)}” `}`}
        <code>{`${hint}…`}</code>
        {works ? `, good until ${date(Date.parse(endsAt))}` : ', which has ended and stays so'}
      </li>
    )),
    ...(keys === 0 ? [] : [<li key="keys">{`Public keys of its own: ${keys}`}</li>]),
    ...federatedCredentials.map(({ name, issuer, subject }) => (
      <li key={`${issuer} ${subject}`}>
        {`Federated credential “${displayName(name, 60)}”: `}
        <code>{subject}</code> of <code>{issuer}</code>
      </li>
    )),
    ...(hasRegistrationToken
      ? [<li key="token">Its registration access token, whose holder changes and deletes it</li>]
      : []),
  ]
  return (
    <ul class="plain-list" id="credential-list">
      {lines.slice(0, mostShown)}
      {lines.length > mostShown ? <li>{`and ${lines.length - mostShown} more`}</li> : null}
    </ul>
  )
}

function listOf<T>(all: readonly T[], none: string, line: (one: T) => ComponentChildren): ComponentChildren {
  if (all.length === 0) return none
  const more = all.length - mostShown
  return (
    <ul class="plain-list">
      {all.slice(0, mostShown).map((one, at) => (
        <li key={String(at)}>{line(one)}</li>
      ))}
      {more > 0 ? <li>{`and ${more} more`}</li> : null}
    </ul>
  )
}
