import { File, FileAudio, FileVideo, ImageOff } from 'lucide-react';
import { useState } from 'react';
import { mediaKindOf, thumbnailAddress } from './picture.ts';

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
  if (kind !== 'picture' || failedId === fileId) {
    return (
      <span
        role="img"
        aria-label={alt}
        className="absolute inset-0 flex items-center justify-center text-text-3"
      >
        <Sign kind={kind} size={Math.min(32, Math.max(16, cssPixels / 3))} />
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

const signs = { picture: ImageOff, video: FileVideo, audio: FileAudio, other: File };

function Sign({ kind, size }: { kind: keyof typeof signs; size: number }) {
  const Icon = signs[kind];
  return <Icon size={size} strokeWidth={1.75} aria-hidden />;
}
