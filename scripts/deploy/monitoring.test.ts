/** The alert rules, the board and the guide, against the metrics that a gateway serves. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Metrics } from '@switchyard/server/platform/telemetry/metrics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const root = resolve(import.meta.dirname, '../..');
const rulesFile = join(root, 'deploy/monitoring/alerts.yaml');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

interface Rule {
  alert: string;
  expr: string;
}
interface Panel {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string }[];
}

const { rules } = (parse(read('deploy/monitoring/alerts.yaml')) as { groups: [{ rules: Rule[] }] }).groups[0];
const { panels } = JSON.parse(read('deploy/monitoring/grafana-board.json')) as { panels: Panel[] };
const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

describe('the metrics of a gateway', () => {
  /** The labels of each name under which a series may be asked for. */
  const labelsOf = new Map<string, string[]>();
  const declared: string[] = [];
  beforeAll(() => {
    const metrics = new Metrics({ version: 'test' });
    for (const { name, type, labelNames = [] } of metrics.registry.getMetricsAsArray() as unknown as {
      name: string;
      type: string;
      labelNames?: string[];
    }[]) {
      declared.push(name);
      const endings = type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
      for (const ending of endings) labelsOf.set(name + ending, labelNames);
    }
    metrics.close();
  });

  /** The names in a text, each with the labels that stand behind it. */
  const namesIn = (text: string): { name: string; labels: string[] }[] =>
    [...text.matchAll(/\b((?:switchyard|process|nodejs)_[a-z\d_]+)(?:\{([^}]*)\})?/g)].map(
      ([, name = '', inside = '']) => ({
        name,
        labels: [...inside.matchAll(/(\w+)\s*(?:[=!]~?|,|$)/g)].map(([, label = '']) => label),
      }),
    );
  /** Prometheus gives each series the labels of its target, and renames ours that has the same name. */
  const ofTarget = new Set(['job', 'instance']);

  it.each([
    ['the alert rules', () => rules.map(({ expr }) => expr).join('\n')],
    ['the board', () => queries.join('\n')],
  ])('have the names and labels in %s', (_title, text) => {
    const used = namesIn(text());
    expect(used.length).toBeGreaterThan(10);
    expect(used.map(({ name }) => name).filter((name) => !labelsOf.has(name))).toEqual([]);
    for (const { name, labels } of used)
      expect([...(labelsOf.get(name) ?? []), ...ofTarget, 'le'], name).toEqual(
        expect.arrayContaining(labels),
      );
  });

  it.each(['monitoring', 'operations', 'kubernetes', 'cluster', 's3'])(
    'have the names in the page %s of the guide',
    (page) => {
      const names = namesIn(read(`docs/guide/${page}.md`)).map(({ name }) => name);
      expect(names.filter((name) => !declared.includes(name) && !labelsOf.has(name))).toEqual([]);
    },
  );

  it('are listed in the guide, every one with its labels', () => {
    const table = read('docs/guide/monitoring.md')
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    const listed = new Map(namesIn(table.join('\n')).map(({ name, labels }) => [name, labels]));
    expect(declared.filter((name) => !listed.has(name))).toEqual([]);
    for (const name of declared) {
      const labels = labelsOf.get(name) ?? labelsOf.get(`${name}_sum`);
      if (labels?.length) expect(listed.get(name), name).toEqual(labels);
    }
  });
});

it('the board has no two panels in one place', () => {
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  for (const { title, gridPos: a } of panels) {
    expect(a.x + a.w).toBeLessThanOrEqual(24);
    const over = panels.filter(
      ({ gridPos: b }) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h,
    );
    expect(over.map((panel) => panel.title)).toEqual([title]);
  }
});

/** Series of a gateway in order, over two hours. `values` is the notation of promtool, such as `0+1x120`. */
const healthy: Record<string, string> = {
  'up{job="switchyard",instance="a"}': '1x120',
  'process_start_time_seconds{job="switchyard",instance="a"}': '1000x60 2000x60',
  switchyard_queue_depth: '3x120',
  switchyard_instances_up: '1x120',
  'switchyard_instance_up{exported_instance="w1"}': '1x120',
  switchyard_task_wait_seconds_count: '0+1x120',
  'switchyard_tasks_total{status="completed"}': '0+9x120',
  'switchyard_tasks_total{status="failed"}': '0+1x120',
  'switchyard_runs_total{status="success",cause="none"}': '0+9x120',
  'switchyard_runs_total{status="error",cause="none"}': '0+1x120',
  'switchyard_model_calls_total{provider="openai",model="fast",outcome="ok"}': '0+9x120',
  'switchyard_model_calls_total{provider="openai",model="fast",outcome="error"}': '0+1x120',
  'switchyard_webhook_calls_total{source="task",outcome="delivered"}': '0+1x120',
  'switchyard_webhook_calls_total{source="task",outcome="failed"}': '4x120',
  'switchyard_webhooks_waiting{source="task"}': '900x120',
  'switchyard_job_failures_total{kind="sweep",outcome="retried"}': '0+1x120',
  'switchyard_job_failures_total{kind="sweep",outcome="given_up"}': '2x120',
  'switchyard_database_up{instance="a"}': '1x120',
  'switchyard_database_wait_seconds_bucket{instance="a",le="0.5"}': '0+100x120',
  'switchyard_database_wait_seconds_bucket{instance="a",le="2.5"}': '0+101x120',
  'switchyard_database_wait_seconds_bucket{instance="a",le="+Inf"}': '0+101x120',
  'switchyard_disk_free_bytes{instance="a",place="data_home"}': '2000000000x120',
  'switchyard_backup_last_success_timestamp_seconds{instance="a"}': '-160000x120',
  'switchyard_backup_failures{instance="a"}': '0x120',
  'switchyard_redis_up{instance="a"}': '1x120',
  'switchyard_http_requests_total{status="2xx"}': '0+97x120',
  'switchyard_http_requests_total{status="5xx"}': '0+3x120',
  'nodejs_eventloop_delay_seconds{job="switchyard",instance="a",quantile="0.99"}': '0.1x120',
};

/** For each alert the series that fire it, in the place of the healthy ones. No other alert fires. */
const faults: Record<string, Record<string, string>[]> = {
  SwitchyardDown: [{ 'up{job="switchyard",instance="a"}': '1x117 0x3' }],
  SwitchyardRestarts: [{ 'process_start_time_seconds{job="switchyard",instance="a"}': '1x100 2x5 3x5 4x10' }],
  SwitchyardQueueStands: [
    {
      switchyard_task_wait_seconds_count: '0+1x89 89x31',
      'switchyard_tasks_total{status="completed"}': '0+9x89 800x31',
      'switchyard_tasks_total{status="failed"}': '0+1x89 89x31',
    },
    // Nothing has ever ended.
    {
      switchyard_task_wait_seconds_count: '0x120',
      'switchyard_tasks_total{status="completed"}': '_x120',
      'switchyard_tasks_total{status="failed"}': '_x120',
    },
  ],
  SwitchyardNoWorker: [{ switchyard_instances_up: '1x110 0x10' }],
  SwitchyardWorkerLost: [{ 'switchyard_instance_up{exported_instance="w1"}': '1x110 0x10' }],
  SwitchyardTasksFail: [{ 'switchyard_tasks_total{status="failed"}': '0+3x120' }],
  SwitchyardRunsFail: [
    { 'switchyard_runs_total{status="error",cause="none"}': '0+3x120' },
    { 'switchyard_runs_total{status="timeout",cause="timeout"}': '0+3x120' },
  ],
  SwitchyardModelFails: [
    { 'switchyard_model_calls_total{provider="openai",model="fast",outcome="error"}': '0+3x120' },
  ],
  SwitchyardWebhooksFail: [
    { 'switchyard_webhook_calls_total{source="task",outcome="failed"}': '4x100 5x20' },
    // The first failure of all.
    { 'switchyard_webhook_calls_total{source="run",outcome="failed"}': '_x110 1x10' },
  ],
  SwitchyardWebhooksWait: [{ 'switchyard_webhooks_waiting{source="task"}': '0x100 1001x20' }],
  SwitchyardWorkGivenUp: [
    { 'switchyard_job_failures_total{kind="sweep",outcome="given_up"}': '2x100 3x20' },
    { 'switchyard_job_failures_total{kind="prune",outcome="given_up"}': '_x110 1x10' },
  ],
  SwitchyardDatabaseDown: [{ 'switchyard_database_up{instance="a"}': '1x118 0x2' }],
  SwitchyardDatabaseWaits: [{ 'switchyard_database_wait_seconds_bucket{instance="a",le="0.5"}': '0+90x120' }],
  SwitchyardDiskFull: [{ 'switchyard_disk_free_bytes{instance="a",place="data_home"}': '1000000000x120' }],
  SwitchyardBackupOld: [{ 'switchyard_backup_last_success_timestamp_seconds{instance="a"}': '-170000x120' }],
  SwitchyardBackupFails: [{ 'switchyard_backup_failures{instance="a"}': '0x119 1' }],
  SwitchyardRedisAway: [{ 'switchyard_redis_up{instance="a"}': '1x118 0x2' }],
  SwitchyardServerErrors: [{ 'switchyard_http_requests_total{status="5xx"}': '0+9x120' }],
  SwitchyardEventLoopLate: [
    { 'nodejs_eventloop_delay_seconds{job="switchyard",instance="a",quantile="0.99"}': '0.3x120' },
  ],
};

/** Series that come near a fault, and fire nothing. */
const calm: Record<string, string>[] = [
  {},
  // A gateway without workers, Redis, webhooks and models, in which nothing has happened yet.
  Object.fromEntries(Object.keys(healthy).map((series) => [series, '_x120'])),
  // Too few to judge by.
  {
    'switchyard_tasks_total{status="completed"}': '1x120',
    'switchyard_tasks_total{status="failed"}': '0x117 1 2 3 3',
    'switchyard_runs_total{status="success",cause="none"}': '1x120',
    'switchyard_runs_total{status="error",cause="none"}': '0x117 1 2 3 3',
    'switchyard_model_calls_total{provider="openai",model="fast",outcome="ok"}': '1x120',
    'switchyard_model_calls_total{provider="openai",model="fast",outcome="error"}': '0x117 1 2 3 3',
  },
  // Shorter than the time of each alert.
  {
    'up{job="switchyard",instance="a"}': '1x119 0x1',
    'process_start_time_seconds{job="switchyard",instance="a"}': '1x110 2x5 3x5',
    switchyard_task_wait_seconds_count: '0+1x99 99x21',
    'switchyard_tasks_total{status="completed"}': '0+9x99 891x21',
    'switchyard_tasks_total{status="failed"}': '0+1x99 99x21',
    switchyard_instances_up: '1x116 0x4',
    'switchyard_instance_up{exported_instance="w1"}': '1x116 0x4',
    'switchyard_webhooks_waiting{source="task"}': '0x110 5000x10',
    'switchyard_redis_up{instance="a"}': '1x119 0x1',
    'switchyard_database_up{instance="a"}': '1x119 0x1',
    'nodejs_eventloop_delay_seconds{job="switchyard",instance="a",quantile="0.99"}': '0.1x115 2x5',
  },
  // A worker that another replica reaches.
  {
    'switchyard_instance_up{exported_instance="w1",instance="a"}': '0x120',
    'switchyard_instance_up{exported_instance="w1",instance="b"}': '1x120',
  },
];

const promtool = findPromtool();
const reason = 'no promtool; scripts/install-services.sh brings it';
const title = promtool ? 'promtool' : `promtool (${reason})`;

describe.skipIf(!promtool && process.env.CI !== 'true')(title, () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchyard-rules-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const run = (name: string, content: object, command: string): string => {
    const file = join(folder, name);
    writeFileSync(file, JSON.stringify(content));
    return execFileSync('promtool', [command, 'rules', file], { encoding: 'utf8', stdio: 'pipe' });
  };

  it('finds that each alert fires by its own series alone, and none by series that come near', () => {
    expect(Object.keys(faults)).toEqual(rules.map(({ alert }) => alert));
    const scenarios = [
      ...Object.entries(faults).flatMap(([alert, each]) => each.map((series) => ({ alert, series }))),
      ...calm.map((series) => ({ alert: null, series })),
    ];
    const tests = scenarios.map(({ alert, series }) => ({
      interval: '1m',
      input_series: Object.entries({ ...healthy, ...series }).map(([name, values]) => ({
        series: name,
        values,
      })),
      promql_expr_test: [
        {
          expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
          eval_time: '120m',
          exp_samples: alert ? [{ labels: `{alertname="${alert}"}`, value: 1 }] : [],
        },
      ],
    }));
    run('tests.json', { rule_files: [rulesFile], evaluation_interval: '1m', tests }, 'test');
  });

  it('reads every query of the board', () => {
    const recorded = queries.map((expr, at) => ({
      record: `query:${at}`,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$job', 'switchyard'),
    }));
    expect(recorded.length).toBeGreaterThan(20);
    run('queries.json', { groups: [{ name: 'board', rules: recorded }] }, 'check');
  });
});

function findPromtool(): boolean {
  try {
    execFileSync('promtool', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
