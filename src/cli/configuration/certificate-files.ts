// What `check` and a start say of the certificates that the settings name: what keeps the server from serving, and what
// only keeps clients away.

import type { Settings } from '../../config/settings/settings.js'
import { dateProblem, loadAuthorities, loadPair, UnusableCertificate } from '../../http/tls/tls-pair.js'

type Server = Pick<Settings['server'], 'tls' | 'certificates' | 'clientCertificates'>

/** Sentences, one for each pair that cannot be used; empty when all can. Reads the files. */
export function certificateRefusals({ server }: { server: Server }): string[] {
  const { clientCertificates } = server
  return [
    ...pairsOf(server).flatMap(({ setting, files }) => refusal(setting, () => loadPair(files))),
    ...(clientCertificates === undefined
      ? []
      : refusal('server.clientCertificates', () => loadAuthorities(clientCertificates))),
  ]
}

/** Sentences about certificates that have ended or not begun at `now`, epoch ms. After certificateRefusals. */
export function certificateWarnings({ server }: { server: Server }, now: number): string[] {
  return pairsOf(server).flatMap(({ setting, files }) => {
    const problem = dateProblem(files, now)
    return problem === undefined ? [] : [`${setting}: ${problem}`]
  })
}

function pairsOf({ tls, certificates }: Server) {
  const own = tls.kind === 'files' ? [{ setting: 'server.tls', files: filesOf(tls) }] : []
  const more = tls.kind === 'off' ? [] : certificates
  return [...own, ...more.map((pair, at) => ({ setting: `server.certificates[${at}]`, files: filesOf(pair) }))]
}

const filesOf = ({ cert, key }: { cert: string; key: string }) => ({ certFile: cert, keyFile: key })

function refusal(setting: string, load: () => unknown): string[] {
  try {
    load()
    return []
  } catch (error) {
    if (!(error instanceof UnusableCertificate)) throw error
    return [`${setting} cannot be used: ${error.message}`]
  }
}
