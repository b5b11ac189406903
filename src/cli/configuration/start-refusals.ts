// Why a start on these settings would be refused although the file has no mistake: the rules of `portcullis serve`, for
// pipelines that check before they deploy.

import type { Settings } from '../../config/settings/settings.js'
import type { Terminal } from '../output/terminal.js'

/** Sentences, each with what to set; empty when it would start. Reads the certificates that are named. */
export async function startRefusals(settings: Settings, terminal: Terminal): Promise<string[]> {
  const [{ certificateRefusals }, { developmentMaterial }, { missingForWorkers }] = await Promise.all([
    import('./certificate-files.js'),
    import('../../config/process/development-material.js'),
    import('../../config/process/worker-needs.js'),
  ])
  return [
    ...developmentMaterial(settings),
    ...(terminal.env['PORTCULLIS_WORKERS'] ? missingForWorkers(settings) : []),
    ...certificateRefusals(settings),
  ]
}
