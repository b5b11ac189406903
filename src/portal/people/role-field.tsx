// Choosing a role: those that the person who is signed in may give, with what each is for.

import type { VNode } from 'preact'
import type { Role } from '../../config/settings/settings.js'
import { isAtLeast } from '../../users/memberships/roles.js'

const roles: readonly (readonly [Role, string])[] = [
  ['member', 'member: signs in, and decides what applications may do for them'],
  ['developer', 'developer: registers applications'],
  ['administrator', 'administrator: consents for everybody, and looks after people'],
  ['owner', 'owner: everything, and makes other owners'],
]

/**
 * The field `role`, with what is chosen now. `most` is the own role of the person who is signed in: nobody gives one
 * above it.
 */
export function RoleField({ chosen, most }: { chosen: Role; most: Role }): VNode {
  return (
    <div class="field">
      <label for="role">Role</label>
      <select id="role" name="role">
        {roles
          .filter(([role]) => isAtLeast(most, role))
          .map(([role, text]) => (
            <option key={role} value={role} selected={role === chosen}>
              {text}
            </option>
          ))}
      </select>
    </div>
  )
}

/** The role that a form says; member for whatever is none. */
export function roleOf(text: string | undefined): Role {
  return roles.find(([role]) => role === text)?.[0] ?? 'member'
}
