// Reads `server.forwardAuth`: where proxies ask for decisions, which proxies, and for which hosts of theirs.

import { resolve } from 'node:path'
import type { Path } from '../read/places.js'
import type { Report } from '../report/report.js'
import { textsOf } from '../report/texts.js'
import { parseRouteKey } from '../routes/route-key.js'
import type { ConfigurationFile } from '../schema/file.js'
import type { ForwardAuthSettings } from '../settings/forward-auth-settings.js'
import { parseHostPort, whyNotAddressBlock } from './addresses.js'

const unixPrefix = 'unix:'
const section: Path = ['server', 'forwardAuth']

/** Undefined: there is no such listener. `folder` is where the configuration file lies. Mistakes go to the report. */
export function compileForwardAuth(
  server: ConfigurationFile['server'],
  folder: string,
  report: Report,
): ForwardAuthSettings | undefined {
  const { listen, proxies, hosts } = server.forwardAuth
  const blocks = textsOf(proxies, [...section, 'proxies']).map(({ text, path }) => {
    const wrong = whyNotAddressBlock(text)
    if (wrong !== undefined) report.problem(path, `${report.places.quoted(path)} ${wrong}`)
    return text
  })
  const prefixes = new Map(Object.entries(hosts).map(([host, prefix]) => [host, prefixOf(host, prefix, report)]))
  const ownHost = URL.canParse(server.baseUrl) ? new URL(server.baseUrl).hostname : undefined
  const mistaken = Object.keys(hosts).find((host) => host === ownHost)
  if (mistaken !== undefined) {
    report.problem(
      [...section, 'hosts', mistaken],
      "is this server's own host, by server.baseUrl, so that its own paths are meant: name the host that people open at the proxy",
    )
  }
  if (listen === '') return undefined
  if (listen === server.listen || listen === server.operator) {
    report.problem([...section, 'listen'], 'must differ from server.listen and server.operator')
  }
  return { listen: addressOf(listen, folder, report), proxies: blocks, hosts: prefixes }
}

function addressOf(text: string, folder: string, report: Report): ForwardAuthSettings['listen'] {
  if (text.startsWith(unixPrefix)) return { file: resolve(folder, text.slice(unixPrefix.length)) }
  const path: Path = [...section, 'listen']
  const address = parseHostPort(text)
  if (address === undefined)
    report.problem(path, `${report.places.quoted(path)} is no address with a port from 0 to 65535`)
  return address ?? { host: '', port: 0 }
}

/** A prefix is a path as routes spell it, of plain segments: what a question says of a host is put behind it. */
function prefixOf(host: string, prefix: string, report: Report): string {
  if (prefix === '/') return ''
  const wrong = whyNotPrefix(prefix)
  if (wrong !== undefined) report.problem([...section, 'hosts', host], wrong)
  return prefix
}

function whyNotPrefix(prefix: string): string | undefined {
  if (!prefix.startsWith('/') || /[{*]/.test(prefix)) return 'must be a path of plain segments, such as /wiki'
  const parsed = parseRouteKey(prefix)
  return 'wrong' in parsed ? parsed.wrong : undefined
}
