import { useQuery } from '@tanstack/react-query';
import { File as FileIcon } from 'lucide-react';
import { ResultMenu } from '../../../kit/results/result-menu.tsx';
import { previewQuery } from '../../../lib/data/previews.ts';
import { useText } from '../../../lib/i18n.ts';
import { isOpenPhase, maxSlots, type TaskCardView } from '../model/task-card.ts';
import type { ResultFile } from '../model/tool-result.ts';

const emptyPlace = 'size-32 overflow-hidden rounded-control bg-sunken forced-colors:border';

/** A place for each picture. The places are there before the pictures, so nothing moves when they come. */
export function PictureSlots({ view }: { view: TaskCardView }) {
  const text = useText('chat');
  const { files, slots, phase, taskId } = view;
  if (slots === 0) return null;
  const shown = files.slice(0, maxSlots);
  const isOpen = isOpenPhase(phase);
  return (
    <ul className="flex flex-wrap gap-2" aria-label={text('task.pictures')}>
      {shown.map((file) => (
        <li key={file.fileId} className="group relative">
          <FileSlot file={file} />
          <span className="absolute top-1 right-1 rounded-control bg-surface opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100">
            <ResultMenu file={file} />
          </span>
        </li>
      ))}
      {isOpen
        ? Array.from({ length: slots - shown.length }, (_, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: places have nothing but their number
            <li key={`place ${place}`} className={emptyPlace}>
              {place === 0 && taskId !== null ? <LivePreview taskId={taskId} /> : null}
            </li>
          ))
        : null}
      {files.length > maxSlots ? (
        <li className="flex size-32 items-center justify-center rounded-control bg-sunken text-lead">
          {text('task.more', { count: files.length - maxSlots })}
        </li>
      ) : null}
    </ul>
  );
}

function FileSlot({ file: { fileId, filename, contentType } }: { file: ResultFile }) {
  const href = `/uploads/${encodeURIComponent(fileId)}/${encodeURIComponent(filename)}`;
  const isImage = contentType.startsWith('image/');
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer"
      title={filename}
      className="flex size-32 items-center justify-center overflow-hidden rounded-control bg-sunken outline-accent focus-visible:outline-2 focus-visible:outline-offset-2"
    >
      {isImage ? (
        <img
          src={`/api/files/${encodeURIComponent(fileId)}/thumbnail?size=256`}
          alt={filename}
          className="size-full object-cover"
        />
      ) : (
        <span className="flex min-w-0 flex-col items-center gap-1 p-2 text-meta text-text-2">
          <FileIcon size={20} strokeWidth={1.75} aria-hidden />
          <span className="line-clamp-2 break-all">{filename}</span>
        </span>
      )}
    </a>
  );
}

/** The picture as far as the worker has drawn it. */
function LivePreview({ taskId }: { taskId: string }) {
  const text = useText('chat');
  const { data } = useQuery(previewQuery(taskId));
  return data ? <img src={data.url} alt={text('task.preview')} className="size-full object-cover" /> : null;
}
