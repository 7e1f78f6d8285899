import type { PoolOverview } from '@switchyard/contract/dispatch/overview';
import { Link } from 'wouter';
import { LinkButton } from '../../kit/button.tsx';
import { focusRing } from '../../kit/parts/classes.ts';
import { ThumbPicture } from '../../kit/pictures/thumb.tsx';
import { Section } from '../../kit/section.tsx';
import { useText } from '../../lib/i18n.ts';

const maxPictures = 12;

/** The last pictures that were made; each leads to its task. */
export function RecentOutput({ board }: { board: PoolOverview }) {
  const text = useText('overview');
  const pictures = board.recent
    .flatMap(({ id, result }) => (result?.outputs ?? []).map((output) => ({ ...output, taskId: id })))
    .filter(({ contentType }) => contentType.startsWith('image/'))
    .slice(0, maxPictures);
  return (
    <Section
      title={text('recent.title')}
      aside={
        <Link href="/gallery" className="text-table text-accent hover:underline">
          {text('recent.gallery')}
        </Link>
      }
    >
      {pictures.length === 0 ? (
        <div className="flex flex-col items-start gap-2">
          <p className="text-body text-text-2">{text('recent.none')}</p>
          <LinkButton href="/start">{text('recent.start')}</LinkButton>
        </div>
      ) : (
        <ul className="grid grid-cols-4 gap-1 sm:grid-cols-6">
          {pictures.map(({ fileId, filename, taskId, contentType }) => (
            <li key={fileId} className="min-w-0">
              <Link
                href={`/tasks/${taskId}`}
                className={`${focusRing} relative block aspect-square overflow-hidden rounded-control bg-sunken`}
              >
                <ThumbPicture fileId={fileId} alt={filename} cssPixels={96} contentType={contentType} />
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
