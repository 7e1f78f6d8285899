import { type DragEvent, useState } from 'react';

/** Makes an element, which gets `place`, one to drop files on. `isOver` is true while something is held over it. */
export function useDrop(onFiles: (files: FileList) => void) {
  const [isOver, setOver] = useState(false);
  const place = {
    onDragOver: (event: DragEvent) => {
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      onFiles(event.dataTransfer.files);
    },
  };
  return { isOver, place };
}
