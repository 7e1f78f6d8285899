import { File, FileAudio, FileVideo, ImageOff, Play } from 'lucide-react';
import { useState } from 'react';
import { useFormat } from '../../lib/format/use-format.ts';
import { fileAddress, mediaKindOf, thumbnailAddress } from './picture.ts';

/** A smaller picture has no room for a name or a frame of a film. */
const minNamed = 96;

/** A small square of a stored picture. It takes its room before it has loaded. */
export function Thumb({
  fileId,
  alt,
  size,
  contentType = 'image/png',
}: {
  fileId: string;
  /** The text for a screen reader; empty when the name stands beside it. */
  alt: string;
  /** The side of the square, in pixels. */
  size: number;
  contentType?: string | undefined;
}) {
  return (
    <span
      className="relative inline-block shrink-0 overflow-hidden rounded-control bg-sunken"
      style={{ width: size, height: size }}
    >
      <ThumbPicture fileId={fileId} alt={alt} cssPixels={size} contentType={contentType} />
    </span>
  );
}

/** Fills the box around it with a thumbnail, or with a sign of what the file is. */
export function ThumbPicture({
  fileId,
  alt,
  cssPixels,
  contentType,
}: {
  fileId: string;
  alt: string;
  cssPixels: number;
  contentType: string;
}) {
  const [failedId, setFailedId] = useState<string | null>(null);
  const kind = mediaKindOf(contentType);
  const isLarge = cssPixels >= minNamed;
  if (kind === 'video' && isLarge && failedId !== fileId)
    return <Film fileId={fileId} alt={alt} onFail={() => setFailedId(fileId)} />;
  if (kind !== 'picture' || failedId === fileId) {
    return (
      <span
        role="img"
        aria-label={alt}
        className="absolute inset-0 flex flex-col items-center justify-center gap-2 p-2 text-text-3"
      >
        <Sign kind={kind} size={Math.min(32, Math.max(16, cssPixels / 3))} />
        {isLarge ? (
          <span className="line-clamp-2 max-w-full text-center text-meta wrap-anywhere text-text-2">
            {alt}
          </span>
        ) : null}
      </span>
    );
  }
  return (
    <img
      src={thumbnailAddress(fileId, cssPixels, window.devicePixelRatio)}
      alt={alt}
      loading="lazy"
      decoding="async"
      draggable={false}
      onError={() => setFailedId(fileId)}
      className="absolute inset-0 size-full object-cover"
    />
  );
}

/** The first frame of a film, and how long it is. It plays where it is opened, and nowhere else. */
function Film({ fileId, alt, onFail }: { fileId: string; alt: string; onFail: () => void }) {
  const format = useFormat();
  const [seconds, setSeconds] = useState<number | null>(null);
  return (
    <span role="img" aria-label={alt} className="absolute inset-0">
      <video
        // Browsers show no frame before they have sought one.
        src={`${fileAddress({ fileId, filename: 'film' })}#t=0.01`}
        preload="metadata"
        muted
        playsInline
        tabIndex={-1}
        aria-hidden
        onLoadedMetadata={({ currentTarget }) => setSeconds(currentTarget.duration)}
        onError={onFail}
        className="size-full object-cover"
      />
      <span
        aria-hidden
        className="absolute bottom-1 left-1 flex items-center gap-1 rounded-control bg-surface px-1.5 text-meta text-text tabular-nums"
      >
        <Play size={12} strokeWidth={2} aria-hidden />
        {seconds !== null && Number.isFinite(seconds) ? format.duration(seconds * 1000) : ''}
      </span>
    </span>
  );
}

const signs = { picture: ImageOff, video: FileVideo, audio: FileAudio, other: File };

function Sign({ kind, size }: { kind: keyof typeof signs; size: number }) {
  const Icon = signs[kind];
  return <Icon size={size} strokeWidth={1.75} aria-hidden />;
}
