import type { FileLineage, LineageFile } from '@switchyard/contract/dispatch/lineage';
import { useQuery } from '@tanstack/react-query';
import { ChevronRight } from 'lucide-react';
import { Fragment } from 'react';
import { Link } from 'wouter';
import { Thumb } from '../../../kit/pictures/thumb.tsx';
import { fileLineageQuery } from '../../../lib/data/files.ts';
import { useText } from '../../../lib/i18n.ts';

const thumbSize = 56;
const maxInLevel = 12;

/** What the file came from, on the left, and what came of it, on the right. */
export function LineageStrip({ fileId }: { fileId: string }) {
  const text = useText('gallery');
  const { data } = useQuery(fileLineageQuery(fileId));
  const levels = data ? lineageLevels(data) : [];
  if (levels.length < 2) return null;
  return (
    <section className="flex flex-col gap-2" aria-label={text('lineage.label')}>
      <h3 className="text-meta text-text-2">{text('lineage.label')}</h3>
      <ol className="flex items-center gap-1 overflow-x-auto pb-1">
        {levels.map(({ level, files }, index) => (
          <Fragment key={level}>
            {index > 0 ? (
              <ChevronRight size={16} strokeWidth={1.75} aria-hidden className="shrink-0 text-text-3" />
            ) : null}
            <li className="flex shrink-0 gap-1" aria-current={level === 0 ? 'true' : undefined}>
              {files.slice(0, maxInLevel).map((file) => (
                <LineageThumb key={file.id} file={file} isCurrent={file.fileId === fileId} />
              ))}
              {files.length > maxInLevel ? (
                <span className="self-center text-table text-text-2">+{files.length - maxInLevel}</span>
              ) : null}
            </li>
          </Fragment>
        ))}
      </ol>
      {data?.cut ? <p className="text-meta text-text-2">{text('lineage.cut')}</p> : null}
    </section>
  );
}

/** The files of a lineage by generation, the oldest first. */
function lineageLevels({ files }: Pick<FileLineage, 'files'>): { level: number; files: LineageFile[] }[] {
  const levels = new Map<number, LineageFile[]>();
  for (const file of files) {
    const present = levels.get(file.level);
    if (present) present.push(file);
    else levels.set(file.level, [file]);
  }
  return [...levels].sort(([a], [b]) => a - b).map(([level, ofLevel]) => ({ level, files: ofLevel }));
}

function LineageThumb({ file, isCurrent }: { file: LineageFile; isCurrent: boolean }) {
  const text = useText('gallery');
  const { fileId, filename, contentType } = file;
  if (fileId === null) {
    return (
      <span
        title={text('lineage.gone', { name: filename })}
        className="flex size-14 items-center justify-center rounded-control border border-dashed border-control p-1 text-center text-meta text-text-3"
      >
        <span className="line-clamp-3 break-all">{text('lineage.gone', { name: filename })}</span>
      </span>
    );
  }
  return (
    <Link
      href={`/gallery?kind=all&source=all&file=${fileId}`}
      aria-label={filename}
      title={filename}
      className={`rounded-control outline-accent focus-visible:outline-2 ${isCurrent ? 'ring-2 ring-accent' : ''}`}
    >
      <Thumb fileId={fileId} alt="" size={thumbSize} contentType={contentType ?? undefined} />
    </Link>
  );
}
