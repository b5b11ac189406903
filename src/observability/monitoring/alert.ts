// What an alert of Prometheus says. The files of deploy/ are made from these (write-files.ts), and the metrics reference
// names them beside what they watch.

/** One alerting rule. */
export interface Alert {
  /** CamelCase, beginning with Portcullis. */
  name: string
  /** Why it is written like this; becomes a comment of the file. */
  why?: string
  /** PromQL; lines are kept. */
  expr: string
  /** How long it must hold, such as `15s`; left out: at once. */
  for?: string
  severity: 'info' | 'warning' | 'critical'
  /** What happened, with Prometheus' templates. */
  summary: string
  /** What to do next. */
  action?: string
}
