import { type RefObject, useLayoutEffect, useRef } from 'react';

/**
 * Returns the place in the document of what floats above a control: inside its dialog, or the landmark of the page. Beside
 * them, a user who goes from landmark to landmark would miss it.
 */
export function useLandmark(control: RefObject<HTMLElement | null>): RefObject<HTMLElement | null> {
  const landmark = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    landmark.current = control.current?.closest<HTMLElement>('main, [role="dialog"]') ?? null;
  }, [control]);
  return landmark;
}
