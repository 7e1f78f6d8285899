import { Image } from 'lucide-react';
import { useText } from '../../lib/i18n.ts';

/** Small pictures in a row; a place without a picture is empty. */
export function Pictures({
  files,
  slots,
  label,
}: {
  files: readonly { fileId: string; filename: string }[];
  /** So many places are kept while the pictures are made, so that nothing moves when they come. */
  slots: number;
  label: string;
}) {
  const text = useText('start');
  const places = Array.from({ length: Math.max(slots, files.length) }, (_, place) => ({
    place,
    file: files[place],
  }));
  return (
    <div className="grid grid-cols-2 gap-1">
      {places.map(({ place, file }) => (
        <div
          key={place}
          className="flex aspect-square items-center justify-center overflow-hidden rounded-control bg-sunken text-text-3"
        >
          {file ? (
            <img
              src={`/api/files/${encodeURIComponent(file.fileId)}/thumbnail?size=256`}
              alt={text('picture', { number: place + 1, label })}
              title={file.filename}
              className="size-full object-cover"
            />
          ) : (
            <Image size={16} strokeWidth={1.75} aria-hidden />
          )}
        </div>
      ))}
    </div>
  );
}
