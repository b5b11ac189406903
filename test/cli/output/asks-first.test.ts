// Every command: those that stop others have --yes and refuse without it where nobody is there to answer, before they
// have changed anything; the others are named with the reason why they ask nothing.

import { Command } from 'commander'
import t from 'tap'
import { commandGroups } from '../../../src/cli/command-groups.js'
import { commandsAgainst, runCommand } from '../../support/rooms/cli.js'

/** With arguments that stop something. */
const asking: readonly string[] = [
  'app set A --no-redirect-uri',
  'app rotate A',
  'app permit A',
  'app permission remove A P',
  'app federation remove A 1',
  'app disable A',
  'app delete A',
  'app restore A --credentials',
  'consent revoke A',
  'registration-token revoke 1',
  'tenant set T --device-codes off',
  'tenant disable T',
  'user set-role U --tenant T --role member',
  'user remove U --tenant T',
  'user disable U',
  'user drop-operator U',
  'user sign-out U',
  'user delete U',
  'user recover --tenant T --email zoe@example.test',
  'revoke secret k1',
  'revoke application A',
  'revoke tenant T',
  'keys rotate --immediately',
  'keys remove K',
  'webhook disable W',
  'webhook rotate-secret W --overlap 0',
  'webhook delete W',
]
/** They put questions of their own, because they cannot be taken back. */
const otherwise = ['mcp approve', 'api delete', 'usage', 'audit prune', 'restore', 'migrate-store']
const harmless: Readonly<Record<string, string>> = {
  'catalogue callers': 'reads',
  'mcp changes': 'reads',
  'app apply': 'the file says it and was looked at; --dry-run says beforehand what changes',
  'app owner remove': 'no token, sign-in or call ends; they are added again',
  'app new-origin dismiss': 'takes a notice away; the audit keeps it',
  'api permission remove': 'what an application has is not taken away: the server refuses it',
  'consent decline': 'answers a request; nothing that works stops',
  'revoke token': 'one token of one caller, who is named by it',
  'tenant brand remove': 'nothing stops; pages look like the server’s',
  'app brand remove': 'nothing stops; a logo and links are gone',
  'app plan clear': 'no token ends; another plan is chosen by one command',
  'app plan override': 'no token ends; the numbers are changed again by one command',
  'app permission withdraw': 'takes one’s own request back',
  'consent take-back': 'takes one’s own request back',
  'app plan withdraw': 'takes one’s own request back',
  'plan decline': 'answers a request; nothing that works stops',
  'user end-session': 'one browser of one person, who signs in again there',
  trust: 'this machine only, and it is taken back by --remove',
  'user uninvite': 'nobody has used it yet; they are invited again',
  'user link-provider': 'a link: nothing changes until its person uses it',
  'user reset-password': 'a link: the old password works until somebody uses it',
  logout: 'one’s own sign-in on this machine',
  reload: 'the file says it, and diff says beforehand what it changes for whom',
}
/** What only reads, makes something new, or gives. */
const adding =
  /(^| )(init|overview|top|list|show|status|check|test|diff|routes|create|add|grant|consent|approve|enable|set|invite|invitations|members|sessions|apps|sign-ins|deliveries|delivery|redeliver|replay|use|request|requests|login|whoami|token|call|explain|logs|doctor|backup|verify|export|events|activity|tail|archive|checkpoint|make-operator|confirm-email|set-up-link|auth0|entra|hydra|keycloak|openapi)$/

const terminal = { out() {}, say() {}, env: {}, cwd: '/', interactive: false, colours: false, input: async () => '' }

function leaves(command: Command, words: string[]): [string, Command][] {
  if (command.commands.length === 0) return [[words.join(' '), command]]
  // One with an argument of its own is a command too, as usage is beside usage export.
  const own: [string, Command][] = command.registeredArguments.length === 0 ? [] : [[words.join(' '), command]]
  return [...own, ...command.commands.flatMap((inner) => leaves(inner, [...words, inner.name()]))]
}

t.test('every command asks before it stops others, or is named with the reason why it does not', async (t) => {
  const program = new Command('portcullis')
  for (const group of commandGroups) (await group.load())(program, terminal)
  const all = leaves(program, []).filter(([name]) => name !== 'complete')
  for (const [name, command] of all) {
    const asks = asking.some((line) => line === name || line.startsWith(`${name} `))
    const hasYes = command.options.some(({ long }) => long === '--yes')
    t.equal(hasYes, asks || otherwise.includes(name), `${name} has --yes`)
    if (asks || otherwise.includes(name)) continue
    t.ok(Object.hasOwn(harmless, name) || adding.test(name), `${name}: why does it ask nothing?`)
  }
  const names = all.map(([name]) => name)
  for (const name of [...otherwise, ...Object.keys(harmless)]) t.ok(names.includes(name), name)
})

const id = '7a1c1c3e-0000-4000-8000-000000000001'
const place = '7a1c1c3e-0000-4000-8000-00000000000a'
const numbers = {
  ...{
    tenantId: null,
    applications: 12,
    people: 3,
    signIns: 0,
    sessions: null,
    tokens: 200,
    tokenLifetimeSeconds: 3600,
  },
  ...{ calls: { lastHour: 340, lastDay: 1200 }, atLeast: [] },
}
const application = {
  ...{ applicationId: id, name: 'A', type: 'web', tenantId: place, redirectUris: ['https://a.test/'] },
  permissions: [{ kind: 'application', resource: 'https://api.test', id: 'P' }],
}
const user = { userId: id, email: 'U', name: 'Una', memberships: [{ tenantId: place, role: 'owner' }] }
const waiting = {
  ...{ applicationId: id, name: 'A', permissions: [], redirectUris: [], owners: [], secrets: [] },
  ...{ keys: 0, federatedCredentials: [], hasRegistrationToken: false },
}
const tenant = { tenantId: place, name: 'T', state: 'enabled', deviceCodes: 'allowed' }

/** Numbers that only these have. */
const own: readonly (readonly [string, RegExp])[] = [
  ['registration-token', /registered with it, which stay: 12\n.*last hour: 2\n.*left and end: 3\n/s],
  ['user recover', /Second factor: is removed\n.*Passkeys that are removed: 2\n.*providers that are removed: none\n/s],
]

t.test(
  'where nobody answers, nothing is sent that stops others without --yes; with it, no question is put',
  async (t) => {
    const { cwd, requests, run } = await commandsAgainst(t, {
      'GET /api/v2/applications': { value: [application] },
      [`GET /api/v2/applications/${id}`]: application,
      'GET /api/v2/applications/A': application,
      [`GET /api/v2/applications/${id}/consequences`]: numbers,
      'GET /api/v2/applications/A/consequences': numbers,
      'GET /api/v2/tenants': { value: [tenant] },
      [`GET /api/v2/tenants/${place}`]: tenant,
      [`GET /api/v2/tenants/${place}/consequences`]: numbers,
      [`GET /api/v2/tenants/${place}/memberships`]: { value: [{ ...tenant, userId: id, role: 'owner' }] },
      'GET /api/v2/users': { value: [user] },
      [`GET /api/v2/users/${id}`]: user,
      [`GET /api/v2/users/${id}/consequences`]: numbers,
      'GET /api/v2/keys/consequences': numbers,
      'GET /api/v2/credentials/k1/consequences': numbers,
      'GET /api/v2/registrationTokens/1/consequences': {
        ...numbers,
        registrations: { sofar: 12, lastHour: 2, left: 3 },
      },
      'GET /api/v2/recoveryLinks/consequences?email=zoe%40example.test': {
        ...{ ...numbers, proofs: { secondFactor: true, passkeys: 2, providers: 0 } },
      },
      'GET /api/v2/deletedApplications': { value: [{ applicationId: id, name: 'A' }] },
      [`GET /api/v2/deletedApplications/${id}`]: waiting,
      'GET /api/v2/webhooks/W': { id: 'W', url: 'https://receiver.test/' },
      'GET /api/v2/webhooks/W/backlog': { waiting: 2, dead: 3, atLeast: [] },
    })
    const changes = () => requests.filter(({ method }) => method !== 'GET').length
    for (const line of asking) {
      const refused = await run(line.replace(/\bU\b/, id))
      t.equal(refused.code, 2, `${line}: ${refused.err}`)
      t.match(refused.err, /say --yes/, line)
      const hasNumbers = !/^(app restore|webhook|registration-token)/.test(line)
      if (hasNumbers) t.match(refused.err, /Applications: 12\n.*Calls in the last hour: 340\n/s, line)
      for (const [command, text] of own) if (line.startsWith(command)) t.match(refused.err, text, line)
      t.equal(changes(), 0, `${line} has changed nothing`)
    }
    const env = { PORTCULLIS_SOCKET: 'admin.sock' }
    const answered = await runCommand(['app', 'disable', 'A'], { cwd, env, answer: 'n' })
    t.match(answered.err, /It can be enabled again, and then needs new tokens.*nothing was done/s)
    t.equal(changes(), 0)
    await run('app disable A --yes')
    t.equal(changes(), 1)
  },
)
