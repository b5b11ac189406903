// What a dashboard shows, without the words of Grafana: grafana.ts adds those.

/** A line or several of a panel. */
export interface PanelQuery {
  /** PromQL; `$instance`, `$route` and `$__rate_interval` are variables of the dashboard. */
  expr: string
  /** How a line is called: text with `{{label}}`. */
  legend: string
}

/** One panel: a chart over time, or the last value large. */
export interface Panel {
  title: string
  /** What it shows and when to look closer. */
  about: string
  /** A unit of Grafana: reqps, s, percentunit, bytes, short … */
  unit: string
  kind?: 'chart' | 'value'
  queries: readonly PanelQuery[]
}

/** A dashboard of rows of panels. */
export interface Dashboard {
  /** Also the name of its file; stays the same for ever, for links lead to it. */
  uid: string
  title: string
  about: string
  /** Whether it can be narrowed to routes. */
  byRoute?: true
  rows: readonly { title: string; panels: readonly Panel[] }[]
}

/** Per second, of a counter; `labels` are more matchers, such as `decision="denied"`. */
export function rate(metric: string, labels = ''): string {
  return `rate(${metric}{instance=~"$instance"${labels === '' ? '' : `, ${labels}`}}[$__rate_interval])`
}

/** A quantile of a histogram, by these labels beside its buckets. */
export function quantile(q: number, metric: string, by: readonly string[] = [], labels = ''): string {
  const grouping = ['le', ...by].join(', ')
  return `histogram_quantile(${q}, sum by (${grouping}) (${rate(`${metric}_bucket`, labels)}))`
}

/** A gauge of the chosen instances. */
export function gauge(metric: string, labels = ''): string {
  return `${metric}{instance=~"$instance"${labels === '' ? '' : `, ${labels}`}}`
}
