import type { Task } from '@switchyard/contract/dispatch/task';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useState } from 'react';
import { Link } from 'wouter';
import { useFailure } from '../../../kit/failures/use-failure.ts';
import { LongText } from '../../../kit/long-text.tsx';
import { fileAddress, mediaKindOf } from '../../../kit/pictures/picture.ts';
import type { Zoom } from '../../../kit/pictures/zoom.ts';
import { type ZoomControl, ZoomedPicture } from '../../../kit/pictures/zoomed-picture.tsx';
import { StatusWord } from '../../../kit/status-word.tsx';
import { fileRecipeQuery } from '../../../lib/data/files.ts';
import { previewQuery } from '../../../lib/data/previews.ts';
import { useText } from '../../../lib/i18n.ts';
import { glyphOf, stateOf } from '../../../lib/task-state.ts';
import type { BenchResult } from './results.ts';
import { Why } from './stage-status.tsx';

interface StageProps {
  shown: BenchResult | undefined;
  /** What is being made while something else is shown. */
  next: Task | undefined;
  zoom: Zoom;
  onZoom: (zoom: Zoom) => void;
  control: RefObject<ZoomControl | null>;
  onNext: () => void;
  /** Stands where there is no result yet. */
  empty: ReactNode;
}

/** One result as large as its place. What is being made stands in its corner, so that nothing moves when it comes. */
export function Stage({ shown, next, zoom, onZoom, control, onNext, empty }: StageProps) {
  return (
    <div className="relative min-h-[max(18rem,45dvh)] min-w-0 flex-1 overflow-hidden lg:min-h-0">
      {shown === undefined ? (
        <div className="flex size-full items-center justify-center p-4">{empty}</div>
      ) : (
        <Shown shown={shown} zoom={zoom} onZoom={onZoom} control={control} />
      )}
      {next === undefined ? null : <NextPreview task={next} onOpen={onNext} />}
    </div>
  );
}

type ShownProps = Pick<StageProps, 'zoom' | 'onZoom' | 'control'> & { shown: BenchResult };

function Shown({ shown, zoom, onZoom, control }: ShownProps) {
  const { task, output } = shown;
  if (output === null) {
    if (stateOf(task) === 'failed') return <Failure task={task} />;
    return stateOf(task) === 'done' ? <Texts task={task} /> : <Making task={task} />;
  }
  if (mediaKindOf(output.contentType) === 'picture') {
    return <PictureOf output={output} zoom={zoom} onZoom={onZoom} control={control} />;
  }
  return <OtherFile output={output} />;
}

type Output = NonNullable<BenchResult['output']>;

function PictureOf({
  output,
  ...view
}: Pick<StageProps, 'zoom' | 'onZoom' | 'control'> & { output: Output }) {
  const text = useText('workflows');
  const cache = useQueryClient();
  const [lostId, setLostId] = useState<string | null>(null);
  const isLost = lostId === output.fileId;
  // The gateway says why: the file is gone, or the connection.
  const { error } = useQuery({ ...fileRecipeQuery(output.fileId), enabled: isLost, retry: false });
  if (isLost) {
    return (
      <Centred>
        <p role="status" className="text-body text-text-2">
          {error ? text('bench.gone', { name: output.filename }) : text('bench.notLoaded')}
        </p>
      </Centred>
    );
  }
  return (
    <ZoomedPicture
      {...view}
      src={fileAddress(output)}
      alt={output.filename}
      onGone={() => {
        void cache.invalidateQueries({ queryKey: fileRecipeQuery(output.fileId).queryKey });
        setLostId(output.fileId);
      }}
    />
  );
}

function OtherFile({ output }: { output: Output }) {
  const text = useText('workflows');
  const kind = mediaKindOf(output.contentType);
  const address = fileAddress(output);
  return (
    <Centred>
      {kind === 'video' ? (
        // biome-ignore lint/a11y/useMediaCaption: what a workflow makes has no captions
        <video
          key={address}
          src={address}
          controls
          className="max-h-full max-w-full"
          aria-label={output.filename}
        />
      ) : kind === 'audio' ? (
        // biome-ignore lint/a11y/useMediaCaption: what a workflow makes has no captions
        <audio key={address} src={address} controls aria-label={output.filename} />
      ) : (
        <p className="max-w-[40ch] text-body break-words text-text-2">
          {text('bench.otherFile', { name: output.filename, type: output.contentType })}{' '}
          <a href={address} download={output.filename} className="text-accent underline">
            {text('bench.download')}
          </a>
        </p>
      )}
    </Centred>
  );
}

/** What a run without files has to say. */
function Texts({ task }: { task: Task }) {
  const text = useText('workflows');
  const texts = task.result?.texts ?? [];
  return (
    <div className="absolute inset-0 flex flex-col gap-3 overflow-y-auto p-4">
      {texts.length === 0 ? <p className="text-body text-text-2">{text('bench.nothing')}</p> : null}
      {texts.map(({ node, text: value }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the texts of a task that has ended do not change
        <LongText key={`${node} ${place}`} text={value} />
      ))}
    </div>
  );
}

/** What went wrong, where, and what to try. The task has the rest of what the worker said. */
function Failure({ task: { id, error } }: { task: Task }) {
  const text = useText('workflows');
  const failureOf = useFailure();
  const told = error && failureOf(error);
  return (
    <div className="absolute inset-0 flex flex-col items-start gap-3 overflow-y-auto p-4">
      <StatusWord kind="failed">{text('state.failed')}</StatusWord>
      {error?.nodeTitle ? <p className="text-body font-medium">{error.nodeTitle}</p> : null}
      {told ? (
        <>
          <p className="max-w-[68ch] text-body break-words">{told.cause}</p>
          <p className="max-w-[68ch] text-body font-medium">{told.advice}</p>
        </>
      ) : null}
      <Link href={`/tasks/${id}`} className="text-body text-accent underline">
        {text('bench.openTask')}
      </Link>
    </div>
  );
}

/** The picture as far as the worker has drawn it. */
function Making({ task }: { task: Task }) {
  const text = useText('workflows');
  const { data: preview } = useQuery(previewQuery(task.id));
  const state = stateOf(task);
  // A task that waits again has the preview of an attempt that is over.
  if (preview && state !== 'waiting') {
    return (
      <img
        src={preview.url}
        alt={text('bench.preview')}
        className="absolute inset-0 size-full object-contain"
      />
    );
  }
  return (
    <Centred>
      <div className="flex max-w-[48ch] flex-col items-center gap-2 text-center text-body">
        <StatusWord kind={glyphOf[state]}>{text(`state.${state}`)}</StatusWord>
        {state === 'waiting' ? (
          <p className="break-words text-text-2">
            <Why taskId={task.id} />
          </p>
        ) : null}
      </div>
    </Centred>
  );
}

function NextPreview({ task, onOpen }: { task: Task; onOpen: () => void }) {
  const text = useText('workflows');
  const { data: preview } = useQuery(previewQuery(task.id));
  if (!preview) return null;
  return (
    <button
      type="button"
      aria-label={text('bench.showNext')}
      title={text('bench.showNext')}
      onClick={onOpen}
      className="absolute right-3 bottom-3 w-[min(12rem,30%)] cursor-pointer overflow-hidden rounded-control border border-border bg-surface shadow-layer outline-accent focus-visible:outline-2"
    >
      <img src={preview.url} alt="" className="w-full" />
    </button>
  );
}

function Centred({ children }: { children: ReactNode }) {
  return <div className="absolute inset-0 flex items-center justify-center p-4">{children}</div>;
}
