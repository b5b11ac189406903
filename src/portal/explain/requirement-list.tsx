// What a route asks for, permission by permission, and how far the caller has come with each.

import type { VNode } from 'preact'
import type { Explanation } from '../../gateway/explain/explanation.js'
import { date } from '../dates.js'

type Alternative = Explanation['requirement'][number]
type RequirementLine = Alternative['permissions'][number]

/** Each alternative with its permissions. */
export function RequirementList({ requirement }: { requirement: Explanation['requirement'] }): VNode {
  return (
    <ul class="alternatives">
      {requirement.map((alternative) => (
        <li key={keyOf(alternative)} class={alternative.met ? 'met' : ''}>
          {alternative.permissions.map((one) => (
            <span key={one.id} class="line">
              <code>{one.id}</code> <span class="soft">({one.kind})</span>: {stateOf(one)}
            </span>
          ))}
        </li>
      ))}
    </ul>
  )
}

function keyOf({ kind, permissions }: Alternative): string {
  return [kind, ...permissions.map(({ id }) => id)].join(' ')
}

function stateOf({ through, configured, consentedBy, consentedAt, inToken, role }: RequirementLine): string {
  const granted =
    consentedBy === null
      ? 'nobody consented'
      : `consented by ${consentedBy === 'administrator' ? 'an administrator' : 'the person'}${consentedAt === null ? '' : ` on ${date(Date.parse(consentedAt))}`}`
  return [
    configured ? 'configured' : 'not configured',
    granted,
    inToken ? 'in the token' : 'not in the token',
    ...(through === null ? [] : [`stands in by ${through}`]),
    ...(role === null ? [] : [role.enough ? `role ${role.has} is enough` : `needs the role ${role.needed}`]),
  ].join(', ')
}
