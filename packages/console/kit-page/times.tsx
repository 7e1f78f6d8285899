import { useState } from 'react';
import { StandingBars } from '../src/kit/bars/standing-bars.tsx';
import { Chart } from '../src/kit/chart.tsx';
import type { TimelineSpan } from '../src/kit/timeline/span.ts';
import { TimelineView } from '../src/kit/timeline/timeline-view.tsx';
import { wholeView } from '../src/kit/timeline/view-range.ts';
import { pictureOf } from './sample-pictures.ts';
import { Full, Part, State } from './specimen.tsx';

const days = ['1 Jan', '2 Jan', '3 Jan', '4 Jan', '5 Jan'];

/** The parts that show lengths: charts, bars and the time axis. */
export function Times() {
  return (
    <>
      <Part name="Chart">
        <State name="Three series, of which one is hatched; a day has no number" isWide>
          <Full>
            <Chart
              title="Tokens by day"
              labelName="Day"
              labels={days}
              formatValue={(value) => value.toLocaleString('en')}
              fileName="tokens.csv"
              series={[
                { id: 'in', label: 'Tokens in', colour: 1, values: [400, 900, null, 300, 1200] },
                { id: 'out', label: 'Tokens out', colour: 3, values: [200, 300, null, 500, 400] },
                {
                  id: 'demo',
                  label: 'Simulated',
                  colour: 5,
                  values: [0, 100, null, 0, 300],
                  isHatched: true,
                },
              ]}
            />
          </Full>
        </State>
      </Part>
      <Part name="StandingBars">
        <State name="Two layers">
          <StandingBars
            className="h-16 w-full"
            layers={[
              { className: 'fill-chart-3', bars: [0.2, 0.9, 0.4].map((to) => ({ from: 0, to })) },
              { className: 'fill-failed', bars: [0.1, 0, 0.2].map((to) => ({ from: 0, to })) },
            ]}
          />
        </State>
      </Part>
      <Part name="TimelineView">
        <State name="One span of each kind, with pictures, idle time and a playhead" isWide>
          <Full>
            <Timeline />
          </Full>
        </State>
      </Part>
    </>
  );
}

const span = (id: string, more: Partial<TimelineSpan> & Pick<TimelineSpan, 'kind'>): TimelineSpan => ({
  id,
  parentId: 'run',
  name: id,
  attempt: null,
  startMs: 0,
  endMs: 1_000,
  state: 'success',
  tokens: null,
  cost: null,
  currency: null,
  simulated: false,
  workerSeconds: null,
  toolCallId: null,
  taskId: null,
  instanceName: null,
  ...more,
});

const spans: TimelineSpan[] = [
  span('run', { kind: 'run', parentId: null, endMs: null, state: 'running' }),
  span('wait', { kind: 'queue', endMs: 400 }),
  span('demo', { kind: 'model', startMs: 400, endMs: 1_600, simulated: true }),
  span('run_workflow', { kind: 'tool', startMs: 1_600, endMs: 9_000 }),
  span('portrait', { kind: 'task', parentId: 'run_workflow', startMs: 1_700, endMs: 9_000, taskId: 't' }),
  span('box-a', {
    kind: 'attempt',
    parentId: 'portrait',
    startMs: 2_000,
    endMs: 4_000,
    state: 'error',
    attempt: 1,
  }),
  span('box-b', { kind: 'attempt', parentId: 'portrait', startMs: 4_500, endMs: 9_000, attempt: 2 }),
  span('KSampler', { kind: 'node', parentId: 'box-b', startMs: 5_000, endMs: 8_000 }),
  span('VAEDecode', { kind: 'node', parentId: 'box-b', startMs: 8_000, endMs: 8_900, state: 'cached' }),
  span('reviewer', { kind: 'subagent', startMs: 40_000, endMs: null, state: 'running' }),
];

function Timeline() {
  const [selectedId, setSelected] = useState<string | null>('box-b');
  const [view, setView] = useState(wholeView);
  const [hidesIdle, setHidesIdle] = useState(true);
  return (
    <TimelineView
      spans={spans}
      nowMs={44_000}
      pictures={[
        { id: 'a', atMs: 6_000, alt: 'Preview', source: pictureOf('a').source, isPreview: true },
        { id: 'b', atMs: 9_000, alt: 'Finished picture', source: pictureOf('b').source },
      ]}
      onOpenPicture={() => undefined}
      selectedId={selectedId}
      onSelect={setSelected}
      view={view}
      onView={setView}
      hidesIdle={hidesIdle}
      onHidesIdle={setHidesIdle}
      playheadMs={7_000}
    />
  );
}
