// On Apps with access: the permissions of one application, each with what can be done about it.

import type { VNode } from 'preact'
import type { Catalogue } from '../../config/settings/settings.js'
import { useReading, useTexts } from '../../web/language/texts.js'
import { Time } from '../../web/language/time.js'
import { Button } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import type { HeldPermission } from './held-permissions.js'
import { PermissionText } from './parts.js'
import { type Sentence, sentenceOf } from './sentences.js'

/** Longer lists are folded. */
const mostOpen = 5

export interface HeldListProps {
  permissions: readonly HeldPermission[]
  catalogue: Catalogue
  /** Apart from others on the same page. */
  id: string
  /** Where forms go, and what they hand back. */
  form: { action: string; token: string; hidden: Readonly<Record<string, string>> }
}

/** The value under which a form names a permission; a resource has no spaces. */
export function permissionValue({ resource, id }: { resource: string; id: string }): string {
  return `${resource} ${id}`
}

/** The list, and below it one button for all that is not used. */
export function HeldList(props: HeldListProps): VNode | null {
  const { permissions, id } = props
  const { apps } = useTexts().consent
  if (permissions.length === 0) return null
  const list = (
    <ul class="permissions" id={`permissions-${id}`}>
      {permissions.map((one, at) => (
        <HeldItem key={permissionValue(one)} one={one} at={at} {...props} />
      ))}
    </ul>
  )
  return (
    <>
      {permissions.length > mostOpen ? (
        <details>
          <summary>{apps.permissions(permissions.length)}</summary>
          {list}
        </details>
      ) : (
        list
      )}
      <TakeUnused {...props} />
    </>
  )
}

function HeldItem({ one, at, catalogue, id, form }: HeldListProps & { one: HeldPermission; at: number }): VNode {
  const { apps } = useTexts().consent
  const { language } = useReading()
  const line = sentenceOf(catalogue, one, 'own', language)
  return (
    <li class="held">
      <div class="what">
        <PermissionText line={line} />
        <UseNote one={one} />
      </div>
      {one.isOfTenant ? null : (
        <Form
          id={`take-${at}-${id}`}
          action={form.action}
          token={form.token}
          hidden={{ ...form.hidden, act: 'take', permission: permissionValue(one) }}
        >
          <button type="submit" class="plain small" aria-label={apps.takeOf(line.text)}>
            {apps.take}
          </button>
        </Form>
      )}
    </li>
  )
}

function UseNote({ one: { isOfTenant, lastUsedAt, unusedSince } }: { one: HeldPermission }): VNode | null {
  const { apps } = useTexts().consent
  if (isOfTenant) return <p class="fine">{apps.ofTenant}</p>
  if (unusedSince !== undefined) return <p class="fine">{apps.unusedSince(<Time at={unusedSince} />)}</p>
  return lastUsedAt === undefined ? null : <p class="fine">{apps.lastUsed(<Time at={lastUsedAt} />)}</p>
}

/** Exactly what the page shows as unused: what is used meanwhile is named in the question all the same. */
function TakeUnused({ permissions, id, form }: HeldListProps): VNode | null {
  const { apps } = useTexts().consent
  const unused = permissions.filter(({ isOfTenant, unusedSince }) => !isOfTenant && unusedSince !== undefined)
  if (unused.length === 0) return null
  return (
    <Form id={`take-unused-${id}`} action={form.action} token={form.token} hidden={{ ...form.hidden, act: 'take' }}>
      <NamedPermissions permissions={unused} />
      <Button id={`unused-${id}`} kind="plain">
        {apps.takeUnused(unused.length)}
      </Button>
    </Form>
  )
}

/** The fields that name several permissions. */
export function NamedPermissions({ permissions }: { permissions: readonly Sentence['ref'][] }): VNode {
  return (
    <>
      {permissions.map((one) => (
        <input key={permissionValue(one)} type="hidden" name="permission" value={permissionValue(one)} />
      ))}
    </>
  )
}
