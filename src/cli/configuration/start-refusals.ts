// Why a start on these settings would be refused although the file has no mistake: the rules of `portcullis serve`, for
// pipelines that check before they deploy.

import type { Settings } from '../../config/settings/settings.js'
import type { Terminal } from '../output/terminal.js'

/** Sentences, each with what to set; empty when it would start. Reads the certificates that are named. */
export async function startRefusals(settings: Settings, terminal: Terminal): Promise<string[]> {
  const [{ developmentMaterial }, { missingForWorkers }] = await Promise.all([
    import('../../config/process/development-material.js'),
    import('../../config/process/worker-needs.js'),
  ])
  return [
    ...developmentMaterial(settings),
    ...(terminal.env['PORTCULLIS_WORKERS'] ? missingForWorkers(settings) : []),
    ...(await certificateRefusals(settings)),
  ]
}

/** A key of another certificate, or what is no certificate. */
async function certificateRefusals({ server }: Settings): Promise<string[]> {
  const { tls, certificates, clientCertificates } = server
  if (tls.kind !== 'files') return []
  const { loadTls } = await import('../../http/tls/tls.js')
  const files = ({ cert, key }: { cert: string; key: string }) => ({ certFile: cert, keyFile: key })
  try {
    loadTls({ ...files(tls), more: certificates.map(files), clientsFile: clientCertificates })
    return []
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return [`server.tls cannot be used: ${why}. Does the key belong to the certificate, and are both PEM?`]
  }
}
