// What is counted of reloads: by the process that decides them, which is an instance by itself or the primary of
// several workers.

import { Counter, Gauge, type Registry } from 'prom-client'

/** Registers them. */
export function createReloadMetrics(registry: Registry) {
  const registers = [registry]
  const gauge = (name: string, help: string, aggregator: 'min' | 'max') =>
    new Gauge({ name: `portcullis_${name}`, help, registers, aggregator })
  const reloads = new Counter({
    name: 'portcullis_config_reloads_total',
    help: 'Reloads of the configuration: reloaded, unchanged, refused.',
    labelNames: ['result'],
    registers,
  })
  for (const result of ['reloaded', 'unchanged', 'refused']) reloads.inc({ result }, 0)
  return {
    reloads,
    lastSuccessful: gauge('config_last_reload_successful', 'Whether the file was good when it was last read.', 'min'),
    lastTimestamp: gauge('config_last_reload_timestamp_seconds', 'When the active configuration was read.', 'max'),
  }
}

export type ReloadMetrics = ReturnType<typeof createReloadMetrics>
