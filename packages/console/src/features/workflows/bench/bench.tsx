import type { SavedWorkflowDetail } from '@switchyard/contract/dispatch/workflow';
import { Columns2, Expand, RotateCcw, Scan, Shrink, Star, Trash2, ZoomIn } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useMemo, useRef, useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { NewRows } from '../../../kit/new-rows.tsx';
import { mediaKindOf } from '../../../kit/pictures/picture.ts';
import { useDeletions } from '../../../kit/pictures/use-deletions.ts';
import { wholePicture, type Zoom } from '../../../kit/pictures/zoom.ts';
import type { ZoomControl } from '../../../kit/pictures/zoomed-picture.tsx';
import { ErrorState } from '../../../kit/states/error-state.tsx';
import { type Shortcuts, useShortcuts } from '../../../kit/use-shortcuts.ts';
import { useText } from '../../../lib/i18n.ts';
import { stateOf, type TaskState } from '../../../lib/task-state.ts';
import { useMarkedResults, usePlace, useStars } from './bench-choices.ts';
import { type BenchTool, BenchTools, takesOf } from './bench-tools.tsx';
import {
  type BenchResult,
  hasEnded,
  openResults,
  picturesToCompare,
  resultBeside,
  resultsOf,
} from './results.ts';
import { Stage } from './stage.tsx';
import { StageStatus } from './stage-status.tsx';
import { Strip } from './strip.tsx';
import { benchId, type Sitting } from './use-sitting.ts';

const FullStage = lazy(async () => ({ default: (await import('./bench-layers.tsx')).FullStage }));
const CompareResults = lazy(async () => ({
  default: (await import('./bench-layers.tsx')).CompareResults,
}));

interface BenchProps {
  workflow: SavedWorkflowDetail;
  sitting: Sitting;
  onRun: (options: { newSeed: boolean }) => void;
}

/** A large result, the work that goes on, and the strip of everything that this sitting has made. */
export function Bench({ workflow, sitting, onRun }: BenchProps) {
  const text = useText('workflows');
  const { hidden, remove } = useDeletions();
  const results = useMemo(() => resultsOf(sitting.tasks, hidden), [sitting.tasks, hidden]);
  const place = usePlace(results);
  const { shown } = place;
  const open = openResults(results);
  const [zoom, setZoom] = useState<Zoom>(wholePicture);
  const [isFull, setFull] = useState(false);
  const marks = useMarkedResults();
  const { stars, toggle: toggleStar } = useStars(workflow.id);
  const [compared, setCompared] = useState<readonly BenchResult[]>([]);
  const control = useRef<ZoomControl | null>(null);
  const output = shown?.output ?? null;
  const isPicture = output !== null && mediaKindOf(output.contentType) === 'picture';
  const neighbour = (step: 1 | -1) => resultBeside(results, shown, step);
  const choose = (result: BenchResult | undefined) => place.look(result, { closely: zoom.scale > 1 });
  const toNewest = () => choose(place.newest);
  const go = (step: 1 | -1) => {
    const next = neighbour(step);
    if (next) choose(next);
  };
  const throwAway = () => {
    if (output === null) return;
    // Where the newest is followed, the one before it takes its place.
    if (!place.isFollowing) choose(neighbour(1) ?? neighbour(-1));
    remove([output.fileId]);
  };
  const isStarred = output !== null && stars.has(output.fileId);
  const star = () => output && toggleStar(output.fileId);
  const pictures = picturesToCompare(results, marks.keys, shown);
  const compare = () => pictures && setCompared(pictures);
  const onZoom = (next: Zoom) => {
    place.look(shown, { closely: next.scale > 1 });
    setZoom(next);
  };
  const keys: Shortcuts = {
    r: () => onRun({ newSeed: false }),
    R: () => onRun({ newSeed: true }),
    ArrowRight: ({ shiftKey }) => (shiftKey ? control.current?.move(-1, 0) : go(1)),
    ArrowLeft: ({ shiftKey }) => (shiftKey ? control.current?.move(1, 0) : go(-1)),
    ArrowUp: ({ shiftKey }) => shiftKey && control.current?.move(0, 1),
    ArrowDown: ({ shiftKey }) => shiftKey && control.current?.move(0, -1),
    n: toNewest,
    s: star,
    d: throwAway,
    Delete: throwAway,
    c: compare,
    f: () => setFull((full) => !full),
    z: () => control.current?.toggle(),
    '+': () => control.current?.by(1.5),
    '-': () => control.current?.by(1 / 1.5),
  };
  useShortcuts(keys);
  const tools: BenchTool[] = [
    {
      name: isStarred ? 'unstar' : 'star',
      Icon: Star,
      isFilled: isStarred,
      isOff: output === null,
      run: star,
    },
    { name: 'delete', Icon: Trash2, isOff: output === null, run: throwAway },
    { name: 'compare', Icon: Columns2, isOff: pictures === null, run: compare },
    {
      name: zoom.scale > 1 ? 'fit' : 'zoom',
      Icon: zoom.scale > 1 ? Scan : ZoomIn,
      isOff: !isPicture,
      run: () => control.current?.toggle(),
    },
    {
      name: isFull ? 'leaveFull' : 'full',
      Icon: isFull ? Shrink : Expand,
      isOff: shown === undefined,
      run: () => setFull(!isFull),
    },
  ];
  const stage = (
    <>
      <NewRows count={place.newCount} onShow={toNewest} />
      <Stage
        shown={shown}
        next={open.find(({ key }) => key !== shown?.key)?.task}
        zoom={zoom}
        onZoom={onZoom}
        control={control}
        onNext={() => choose(open[0])}
        empty={<Empty sitting={sitting} />}
      />
      <div className="flex shrink-0 flex-wrap items-center justify-end gap-x-3 gap-y-1 border-t border-border bg-surface px-3 py-1">
        <StageStatus shown={shown} open={open} />
        <BenchTools tools={tools} output={output} takes={takesOf(workflow)} />
      </div>
    </>
  );
  return (
    <section aria-label={text('bench.label')} className="flex min-h-0 min-w-0 flex-1 flex-col gap-2">
      <div
        id={benchId}
        className="flex min-h-0 min-w-0 flex-1 flex-col overflow-hidden rounded-card border border-border bg-sunken"
      >
        {isFull ? (
          <Suspense>
            <FullStage onClose={() => setFull(false)} keys={keys}>
              {stage}
            </FullStage>
          </Suspense>
        ) : (
          stage
        )}
      </div>
      {results.length === 0 ? null : (
        <>
          <StripHead results={results} marked={marks.keys} onUnmark={marks.clear} onClear={sitting.clear} />
          <Strip
            results={results}
            shownKey={shown?.key}
            isFollowing={place.isFollowing}
            chosen={marks.keys}
            stars={stars}
            onOpen={choose}
            onChoose={({ key }) => marks.toggle(key)}
          />
        </>
      )}
      {compared.length > 0 ? (
        <Suspense>
          <CompareResults results={compared} onClose={() => setCompared([])} />
        </Suspense>
      ) : null}
    </section>
  );
}

function StripHead({
  results,
  marked,
  onUnmark,
  onClear,
}: {
  results: readonly BenchResult[];
  marked: ReadonlySet<string>;
  onUnmark: () => void;
  onClear: () => void;
}) {
  const text = useText('workflows');
  const tasks = [...new Map(results.map(({ task }) => [task.id, task])).values()];
  const count = (state: TaskState) => tasks.filter((task) => stateOf(task) === state).length;
  return (
    <div className="flex min-h-8 flex-wrap items-center gap-x-3 text-table text-text-2">
      <h2 className="font-medium text-text">{text('bench.sitting')}</h2>
      <p role="status" className="min-w-0 flex-1 basis-28">
        {text('started.summary', {
          done: count('done'),
          count: tasks.length,
          running: count('running'),
          stopping: count('stopping'),
          waiting: count('waiting'),
          failed: count('failed'),
        })}
      </p>
      {marked.size > 0 ? (
        <Button size="s" variant="plain" onClick={onUnmark}>
          {text('bench.unmark', { count: marked.size })}
        </Button>
      ) : null}
      {results.every(hasEnded) ? (
        <Button
          size="s"
          variant="plain"
          icon={<RotateCcw size={14} strokeWidth={1.75} aria-hidden />}
          onClick={onClear}
        >
          {text('bench.clear')}
        </Button>
      ) : null}
    </div>
  );
}

function Empty({ sitting }: { sitting: Sitting }): ReactNode {
  const text = useText('workflows');
  if (sitting.error) return <ErrorState error={sitting.error} retry={sitting.retry} />;
  if (sitting.isLoading) return null;
  return <p className="max-w-[36ch] text-center text-body text-text-2">{text('bench.empty')}</p>;
}
