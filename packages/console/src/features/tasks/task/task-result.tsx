import type { TaskDetail } from '@switchyard/contract/dispatch/task';
import { Link } from 'wouter';
import { LongText } from '../../../kit/long-text.tsx';
import { ThumbPicture } from '../../../kit/pictures/thumb.tsx';
import { Section } from '../../../kit/section.tsx';
import { useFormat } from '../../../lib/format/use-format.ts';
import { useText } from '../../../lib/i18n.ts';
import { picturesOf } from '../task-state.ts';

const maxShown = 48;

/** What the task made: pictures first, then other files and texts. */
export function TaskResult({ task, wide }: { task: TaskDetail; wide: boolean }) {
  const text = useText('tasks');
  const { result } = task;
  if (result === null) return null;
  const pictures = picturesOf(task);
  const others = result.outputs.filter((output) => !pictures.includes(output));
  const nothing = result.outputs.length === 0 && result.texts.length === 0;
  return (
    <Section
      title={text('result.title')}
      aside={
        pictures.length > 0 ? (
          <Link href={`/gallery?task=${task.id}`} className="text-table text-accent hover:underline">
            {text('result.gallery')}
          </Link>
        ) : undefined
      }
    >
      {pictures.length > 0 ? <Pictures pictures={pictures.slice(0, maxShown)} wide={wide} /> : null}
      {pictures.length > maxShown ? (
        <p className="text-table text-text-2">{text('list.more', { count: pictures.length - maxShown })}</p>
      ) : null}
      <FileList files={others} />
      {result.texts.map(({ node, text: content }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: one node may make several texts, and their order never changes
        <LongText key={`${node}-${index}`} text={content} label={text('result.text', { node })} />
      ))}
      {nothing ? <p className="text-body text-text-2">{text('result.nothing')}</p> : null}
      {result.outputsReused ? <p className="text-table text-text-2">{text('result.reused')}</p> : null}
      {result.outputsMissing > 0 ? (
        <p className="text-table text-failed">{text('result.missing', { count: result.outputsMissing })}</p>
      ) : null}
    </Section>
  );
}

type Output = NonNullable<TaskDetail['result']>['outputs'][number];

function Pictures({ pictures, wide }: { pictures: readonly Output[]; wide: boolean }) {
  const columns = wide ? 'grid-cols-2 sm:grid-cols-3 lg:grid-cols-4' : 'grid-cols-2';
  return (
    <ul className={`grid gap-1 ${pictures.length === 1 ? 'max-w-[32rem] grid-cols-1' : columns}`}>
      {pictures.map(({ fileId, filename, url, contentType }) => (
        <li key={fileId} className="min-w-0">
          <a
            href={url}
            target="_blank"
            rel="noopener noreferrer"
            className="relative block aspect-square overflow-hidden rounded-control bg-sunken outline-accent focus-visible:outline-2 focus-visible:outline-offset-2"
          >
            <ThumbPicture fileId={fileId} alt={filename} cssPixels={320} contentType={contentType} />
          </a>
        </li>
      ))}
    </ul>
  );
}

function FileList({ files }: { files: readonly Output[] }) {
  const format = useFormat();
  if (files.length === 0) return null;
  return (
    <ul className="flex flex-col">
      {files.map(({ fileId, filename, url, size }) => (
        <li
          key={fileId}
          className="flex min-h-8 items-center justify-between gap-3 border-b border-border text-table"
        >
          <a href={url} download={filename} className="min-w-0 truncate text-accent hover:underline">
            {filename}
          </a>
          <span className="shrink-0 text-text-2">{format.bytes(size)}</span>
        </li>
      ))}
    </ul>
  );
}
