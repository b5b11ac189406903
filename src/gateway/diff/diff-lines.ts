// An access diff as text for people, one line a change, never more than they read.

import type { AccessDiff, HolderChange } from './access-diff.js'
import type { CallChange, CallChangeKind, CallRule, HolderCounts, Place } from './call-change.js'
import { joinedCalls, joinedPlaces } from './joined-places.js'

/** The lines; of each part at most `most`, then how many more there are. Empty when nothing changes. */
export function accessDiffLines({ calls, holders, limits, plans }: AccessDiff, most: number): string[] {
  return [
    ...part('calls', joinedCalls(calls).map(callLines), most),
    ...part(
      'applications',
      (holders ?? []).map((one) => holderLines(one, most)),
      most,
    ),
    ...part(
      'limits',
      limits.map(({ of, name, before, after }) => [`${limitName(of, name)}: ${before ?? 'none'} → ${after ?? 'none'}`]),
      most,
    ),
    ...part('plans', plans.map(planLines), most),
  ]
}

/** In one sentence, such as `2 calls change; 3 applications and 41 people lose some of them`. */
export function accessDiffSummary({ calls, holders, limits, plans }: AccessDiff): string {
  if (calls.length + limits.length + plans.length === 0) return 'nobody gains or loses a call'
  const parts = [calls.length === 0 ? 'nobody gains or loses a call' : changing(joinedCalls(calls).length, 'call')]
  for (const way of ['gains', 'loses'] as const) {
    const concerned = holders?.filter((one) => one[way].length > 0) ?? []
    if (concerned.length > 0) parts.push(`${holdersText(concerned)} ${way === 'gains' ? 'gain' : 'lose'} some`)
  }
  if (limits.length > 0) parts.push(changing(limits.length, 'limit'))
  if (plans.length > 0) parts.push(changing(plans.length, 'plan'))
  return parts.join('; ')
}

const longestText = 300

const words: Readonly<Record<CallChangeKind, string>> = {
  appears: 'is new',
  disappears: 'is gone',
  public: 'becomes public: nobody needs a token',
  guarded: 'is no longer public',
  shadow: 'only watches now: permissions are told, not enforced',
  enforced: 'enforces its permissions now',
  requirement: 'needs other permissions',
  resource: 'takes tokens for another API',
  permissions: 'needs the same permissions, which open it to others',
  issuers: 'takes tokens of other issuers',
  conditions: 'asks something else of who calls',
  upstream: 'goes to another service',
  rule: 'has another rule',
}

function callLines({ changes, before, after, permissions, gain, lose, ...place }: CallChange): string[] {
  const lines = [`${placeText(place)} ${changes.map((one) => words[one]).join(', ')}`]
  if (before !== null) lines.push(`  was ${ruleText(before)}`)
  if (after !== null) lines.push(`  now ${ruleText(after)}`)
  const names = (refs: CallChange['permissions']['gain']) => refs.map(({ id, kind }) => `${id} (${kind})`).join(', ')
  if (permissions.gain.length > 0) lines.push(`  opened by ${names(permissions.gain)}`)
  if (permissions.lose.length > 0) lines.push(`  no longer opened by ${names(permissions.lose)}`)
  if (gain !== null && isSomebody(gain)) lines.push(`  ${countsText(gain)} can call it now`)
  if (lose !== null && isSomebody(lose)) lines.push(`  ${countsText(lose)} can no longer call it`)
  return lines
}

function planLines({ plan, change, parts, applications }: AccessDiff['plans'][number]): string[] {
  const lines = parts.map(({ name, before, after }) => `${name}: ${shortened(before)} → ${shortened(after)}`)
  const who = applications === null ? '' : counted(applications, 'application')
  if (plan === null) return lines.map((line) => (who === '' ? line : `${line}, for ${who} that nobody put on a plan`))
  const on = who === '' ? '' : `, with ${who} on it`
  if (change === 'gone') {
    const instead = parts[0]?.after ?? null
    const holds = instead === null ? 'the limits of all count instead' : `the plan ${instead} counts instead`
    return [`plan ${plan} is gone${on}: ${holds}`]
  }
  return [`plan ${plan} ${change === 'new' ? 'is new' : 'changes'}${on}`, ...lines.map((line) => `  ${line}`)]
}

/** A list of routes may be of hundreds. */
function shortened(text: string | null): string {
  if (text === null) return 'none'
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text
}

function holderLines(holder: HolderChange, most: number): string[] {
  const { applicationName, applicationId, tenantId, kind, role, people, gains, loses } = holder
  const who = kind === 'application' ? 'as itself' : `for ${counted(people, 'person', 'people')} (${role})`
  const lines = [`${applicationName} (${applicationId}) ${who} in tenant ${tenantId}`]
  if (loses.length > 0) lines.push(`  loses ${placesText(loses, most)}`)
  if (gains.length > 0) lines.push(`  gains ${placesText(gains, most)}`)
  return lines
}

function placesText(all: readonly Place[], most: number): string {
  const places = joinedPlaces(all)
  const shown = places.slice(0, most).map(placeText)
  return places.length > most ? `${shown.join(', ')} and ${places.length - most} more` : shown.join(', ')
}

function placeText({ method, path, operation }: Place): string {
  return [method, path, ...(operation === undefined ? [] : [operation])].join(' ')
}

function part(title: string, entries: readonly (readonly string[])[], most: number): string[] {
  if (entries.length === 0) return []
  const lines = entries.slice(0, most).flat()
  if (entries.length > most) lines.push(`and ${entries.length - most} more`)
  return [`${title}:`, ...lines.map((line) => `  ${line}`)]
}

function ruleText({ needs, shadow, rule, upstream, route, file, line, column }: CallRule): string {
  return `${needsText(needs)}${shadow ? ' (shadow)' : ''}${rule === undefined ? '' : `, ${ruleWords[rule]}`}, to ${upstream} (${JSON.stringify(route)} at ${file}:${line}:${column})`
}

const ruleWords: Readonly<Record<NonNullable<CallRule['rule']>, string>> = {
  approval: 'approved call by call',
  second_factor: 'after a second factor',
  never: 'never',
}

function needsText(needs: CallRule['needs']): string {
  if (needs === 'public') return 'public'
  return needs.map((list) => list.join(' and ')).join(', or ')
}

function limitName(of: AccessDiff['limits'][number]['of'], name: string): string {
  if (of === 'token') return 'limits of the token endpoint'
  return of === 'limit' ? `limit ${name}` : `limits of ${name}`
}

function isSomebody({ applications, applicationsForPeople }: HolderCounts): boolean {
  return applications + applicationsForPeople > 0
}

function countsText({ applications, applicationsForPeople, people }: HolderCounts): string {
  const themselves =
    applications > 0
      ? [`${counted(applications, 'application')} as ${applications === 1 ? 'itself' : 'themselves'}`]
      : []
  const others =
    applicationsForPeople > 0
      ? [`${counted(applicationsForPeople, 'application')} for ${counted(people, 'person', 'people')}`]
      : []
  return [...themselves, ...others].join(' and ')
}

function holdersText(holders: readonly HolderChange[]): string {
  const ids = (kind: HolderChange['kind']) =>
    new Set(holders.filter((one) => one.kind === kind).map(({ applicationId }) => applicationId)).size
  const people = holders.reduce((sum, one) => sum + one.people, 0)
  return countsText({ applications: ids('application'), applicationsForPeople: ids('delegated'), people })
}

function changing(count: number, noun: string): string {
  return `${counted(count, noun)} ${count === 1 ? 'changes' : 'change'}`
}

function counted(count: number, noun: string, many = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : many}`
}
