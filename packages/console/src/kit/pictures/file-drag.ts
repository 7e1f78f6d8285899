import { type DragEvent, useState } from 'react';

const type = 'application/x-switchyard-files';

/** Begins to drag stored files inside the page. */
export function dragFiles({ dataTransfer }: DragEvent, fileIds: readonly string[]): void {
  dataTransfer.setData(type, JSON.stringify(fileIds));
  dataTransfer.effectAllowed = 'copyMove';
}

/** The ids of the files that were dropped. */
export function draggedFiles({ dataTransfer }: DragEvent): string[] {
  const text = dataTransfer.getData(type);
  return text === '' ? [] : (JSON.parse(text) as string[]);
}

/** Makes an element, which gets `place`, one to drop stored files of the page on. Nothing else can be dropped there. */
export function useFileDrop(onDrop: ((event: DragEvent) => void) | undefined) {
  const [isOver, setOver] = useState(false);
  const place = {
    onDragOver: (event: DragEvent) => {
      if (onDrop === undefined || !event.dataTransfer.types.includes(type)) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      setOver(false);
      if (onDrop === undefined || !event.dataTransfer.types.includes(type)) return;
      event.preventDefault();
      onDrop(event);
    },
  };
  return { isOver, place };
}
