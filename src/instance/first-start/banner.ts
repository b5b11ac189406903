// What a development start prints: at most 14 lines, with commands that work as pasted.

import { relative } from 'node:path'
import type { Settings } from '../../config/settings/settings.js'
import { firstCall } from './first-call.js'

export interface BannerFacts {
  version: string
  caFile: string | undefined
  /** The demo application's credential and the first owner's link, on the first start only. */
  demo: { clientId: string; clientSecret: string; setUpLink: string } | undefined
  /** Whether anybody owns anything yet. */
  hasOwner: boolean
  nodeVersion: string
  /** How this program is run, for commands that are to be pasted. */
  command: string
  /** The configuration that they name, when it is not the usual one; quoted here. */
  config: string | undefined
}

/**
 * The lines of the banner. A command is a whole line, so that it can be pasted as it is; all else is indented or empty.
 */
export function bannerLines(settings: Settings, facts: BannerFacts): string[] {
  const { baseUrl, operator } = settings.server
  const folder = here(settings.data.folder)
  const old = Number(facts.nodeVersion.replace(/^v/, '').split('.')[0]) < 22
  return [
    '',
    `  Portcullis ${facts.version} · ${settings.mode} · Node ${facts.nodeVersion.replace(/^v/, '')}${old ? ' (no longer supported upstream: use 24 in production)' : ''}`,
    '',
    `  Portal     ${baseUrl}/portal`,
    `  API        ${baseUrl}/api/v2, described at ${baseUrl}/portal/reference`,
    `  Operator   http://${operator.host}:${operator.port}/metrics · /readyz`,
    `  State      ${stateLine(settings)}; keys in ${folder}/keys`,
    ...(facts.caFile === undefined ? [] : [`  CA file    ${here(facts.caFile)} (development only)`]),
    `  ${setUpLine(settings, facts)}`,
    ...commands(settings, facts),
    '',
  ]
}

function stateLine({ store, redis }: Settings): string {
  const where = store.kind === 'sqlite' ? `SQLite ${here(store.file)}` : 'PostgreSQL'
  return `${where}; limits in ${redis === undefined ? "this process's memory" : 'Redis'}`
}

function setUpLine({ server }: Settings, facts: BannerFacts): string {
  const { demo, hasOwner } = facts
  if (demo !== undefined) return `Set up     ${demo.setUpLink} (once, 24 h)`
  return hasOwner
    ? `Account    ${server.baseUrl}/account`
    : `Set up     ${commandLine(facts, 'set-up-link')} prints a link for the first owner`
}

function commands(settings: Settings, facts: BannerFacts): string[] {
  const ca = facts.caFile === undefined ? '' : ` --cacert ${quoted(here(facts.caFile))}`
  const { baseUrl } = settings.server
  const first = firstCall(settings)
  if (first === undefined) return nextSteps(settings, facts)
  const url = quoted(`${baseUrl}${first.path}`)
  if (!first.needsToken) return ['', '  A call that needs no token:', `curl -sS -i${ca} ${url}`]
  const call = `curl -sS -i${ca} -H "Authorization: Bearer $TOKEN" ${url}`
  if (facts.demo === undefined) {
    return [
      '',
      '  A token for the demo application, and a call with it:',
      `TOKEN=$(${commandLine(facts, 'token', ' --app hello')}); echo "$TOKEN"`,
      call,
    ]
  }
  const form = `-d grant_type=client_credentials -d client_id=${facts.demo.clientId} -d client_secret=${facts.demo.clientSecret} -d requested_scopes=default`
  const token = `curl -sS${ca} ${form} ${baseUrl}/api/v2/oauth2/v2.0/token`
  return [
    '',
    '  A token for the demo application (its secret is shown on this first start only), and a call with it:',
    `TOKEN=$(${token} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/'); echo "$TOKEN"`,
    call,
  ]
}

/** Where the demo application can call nothing. */
function nextSteps(settings: Settings, facts: BannerFacts): string[] {
  const lacking = settings.routes.length === 0 ? 'has no routes yet' : 'has no route that the demo application may GET'
  return [
    '',
    `  ${here(settings.file)} ${lacking}. /docs/your-own-service says how to add one;`,
    '  what can be called, and what it needs:',
    commandLine(facts, 'routes'),
  ]
}

function commandLine({ command, config }: BannerFacts, name: string, options = ''): string {
  return `${command} ${name}${config === undefined ? '' : ` --config ${quoted(here(config))}`}${options}`
}

/** A path as it is shown: relative to the working directory when it is below it. */
function here(path: string): string {
  const short = relative(process.cwd(), path)
  return short.startsWith('..') || short === '' ? path : short
}

function quoted(path: string): string {
  return /^[\w./:-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}
