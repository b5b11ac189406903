// Instances: whether they run and agree, what they reach, and what their processes use.

import { type Dashboard, gauge, rate } from './dashboard.js'

const day = 86_400

/** `portcullis-runtime`. */
export const runtimeDashboard: Dashboard = {
  uid: 'portcullis-runtime',
  title: 'Portcullis: runtime',
  about: 'Whether instances run and agree, what they reach, and what their processes use.',
  rows: [
    {
      title: 'Instances',
      panels: [
        {
          title: 'Answering',
          about: 'Instances that Prometheus reaches, and those that each of them sees alive.',
          unit: 'short',
          kind: 'value',
          queries: [
            { expr: 'sum(up{job="portcullis"})', legend: 'scraped' },
            { expr: `min(${gauge('portcullis_instances')})`, legend: 'seen, least' },
            { expr: `max(${gauge('portcullis_instances')})`, legend: 'seen, most' },
          ],
        },
        {
          title: 'Leader',
          about: 'The instance that does the periodic work for all. There must be exactly one.',
          unit: 'short',
          queries: [{ expr: gauge('portcullis_leader'), legend: '{{instance}}' }],
        },
        {
          title: 'Store and Redis',
          about: '1: it answers, and takes writes.',
          unit: 'short',
          queries: [
            { expr: gauge('portcullis_store_up'), legend: '{{instance}} Store' },
            { expr: gauge('portcullis_store_writable'), legend: '{{instance}} Store, writes' },
            { expr: gauge('portcullis_redis_up'), legend: '{{instance}} Redis {{use}}' },
          ],
        },
        {
          title: 'Configuration',
          about: 'How many different ones are loaded (it should be one), and whether the last reload was good.',
          unit: 'short',
          kind: 'value',
          queries: [
            { expr: `count(count by (hash) (${gauge('portcullis_config_info')}))`, legend: 'different' },
            { expr: `min(${gauge('portcullis_config_last_reload_successful')})`, legend: 'last reload good' },
          ],
        },
        {
          title: 'Reloads',
          about: 'Of the configuration, by result.',
          unit: 'short',
          queries: [
            {
              expr: `sum by (result) (increase(portcullis_config_reloads_total{instance=~"$instance"}[$__rate_interval]))`,
              legend: '{{result}}',
            },
          ],
        },
        {
          title: 'Age of the configuration',
          about: 'Since it was read.',
          unit: 's',
          kind: 'value',
          queries: [
            {
              expr: `time() - max(${gauge('portcullis_config_last_reload_timestamp_seconds')})`,
              legend: 'since the last reload',
            },
          ],
        },
        {
          title: 'Clocks',
          about: 'How far the clock of the instance that differs most is off. At 60 s tokens are refused.',
          unit: 's',
          queries: [{ expr: gauge('portcullis_clock_skew_seconds'), legend: '{{instance}}' }],
        },
        {
          title: 'Certificate',
          about: 'Days until the served certificate ends; nothing where something in front ends TLS.',
          unit: 'd',
          kind: 'value',
          queries: [
            {
              expr: `((${gauge('portcullis_tls_cert_not_after_seconds')} > 0) - time()) / ${day}`,
              legend: '{{instance}}',
            },
          ],
        },
        {
          title: 'TLS handshakes',
          about: 'Resumed ones cost a third. None resumed: clients close their sessions, or show certificates.',
          unit: 'cps',
          queries: [{ expr: `sum by (kind) (${rate('portcullis_tls_handshakes_total')})`, legend: '{{kind}}' }],
        },
        {
          title: 'Shutting down',
          about: '1: this instance takes no new requests and ends.',
          unit: 'short',
          queries: [{ expr: gauge('portcullis_draining'), legend: '{{instance}}' }],
        },
      ],
    },
    {
      title: 'Processes',
      panels: [
        {
          title: 'Processor',
          about: 'Cores used. One process uses about one at most, apart from password hashes.',
          unit: 'short',
          queries: [{ expr: rate('portcullis_process_cpu_seconds_total'), legend: '{{instance}}' }],
        },
        {
          title: 'Event loop delay',
          about: 'By how much the loop comes late to a timer: as long waits every request. Above 50 ms people feel it.',
          unit: 's',
          queries: [0.5, 0.99, 0.999].map((quantile) => ({
            expr: `histogram_quantile(${quantile}, sum by (instance, le) (${rate('portcullis_event_loop_delay_seconds_bucket')}))`,
            legend: `{{instance}} p${quantile * 100}`,
          })),
        },
        {
          title: 'Shed requests',
          about:
            'Refused with 503 because the process had more to do than it could, by their priority. It should be 0.',
          unit: 'reqps',
          queries: [
            {
              expr: `sum by (instance, priority) (${rate('portcullis_shed_requests_total')})`,
              legend: '{{instance}} {{priority}}',
            },
            { expr: gauge('portcullis_shedding'), legend: '{{instance}} is shedding' },
          ],
        },
        {
          title: 'Memory',
          about: 'Resident, and the heap of JavaScript in use.',
          unit: 'bytes',
          queries: [
            { expr: gauge('portcullis_process_resident_memory_bytes'), legend: '{{instance}} resident' },
            { expr: gauge('portcullis_nodejs_heap_size_used_bytes'), legend: '{{instance}} heap' },
          ],
        },
        {
          title: 'Garbage collection',
          about: 'Seconds in each second, by kind.',
          unit: 'percentunit',
          queries: [
            {
              expr: `sum by (instance, kind) (${rate('portcullis_nodejs_gc_duration_seconds_sum')})`,
              legend: '{{instance}} {{kind}}',
            },
          ],
        },
        {
          title: 'File descriptors',
          about: 'Open ones as a share of what the process may have.',
          unit: 'percentunit',
          queries: [
            {
              expr: `${gauge('portcullis_process_open_fds')} / ${gauge('portcullis_process_max_fds')}`,
              legend: '{{instance}}',
            },
          ],
        },
        {
          title: 'Log lines lost',
          about: 'Lines that could not be written. It should be 0.',
          unit: 'cps',
          queries: [{ expr: rate('portcullis_log_lines_dropped_total'), legend: '{{instance}}' }],
        },
        {
          title: 'Workers',
          about: 'Only with `--workers`: those that should be there and those that answer.',
          unit: 'short',
          queries: [
            { expr: gauge('portcullis_workers_expected'), legend: '{{instance}} expected' },
            { expr: gauge('portcullis_workers_answering'), legend: '{{instance}} answering' },
          ],
        },
        {
          title: 'Workers that ended',
          about: 'By themselves, and were replaced. The log says why.',
          unit: 'short',
          queries: [
            {
              expr: `increase(portcullis_worker_ends_total{instance=~"$instance"}[$__rate_interval])`,
              legend: '{{instance}}',
            },
          ],
        },
      ],
    },
  ],
}
