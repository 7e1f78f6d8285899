import { type ComponentProps, type ReactNode, useCallback, useRef, useState } from 'react';
import { classes } from '../parts/classes.ts';
import { mediaKindOf, type Picture, thumbnailAddress } from './picture.ts';
import { ThumbPicture } from './thumb.tsx';

interface PictureButtonProps extends Omit<ComponentProps<'button'>, 'type' | 'ref'> {
  label: string;
  /** What the button shows, once there is something. */
  file: Pick<Picture, 'fileId' | 'filename' | 'contentType'> | null;
  /** Its longer side. */
  cssPixels: number;
  /** Stands in the place of the file while there is none. */
  children?: ReactNode;
}

/** A thumbnail that is a button. A picture is one element, since a page may have hundreds of them. */
export function PictureButton({ label, file, cssPixels, children, className, ...rest }: PictureButtonProps) {
  const [failedId, setFailedId] = useState<string | null>(null);
  // A picture takes the place of a word, and the focus stays where it was.
  const hasFocus = useRef(false);
  const keepFocus = useCallback((element: HTMLElement | null) => {
    if (hasFocus.current) element?.focus();
  }, []);
  const look = classes(
    'cursor-pointer overflow-hidden outline-offset-1 outline-accent focus-visible:outline-2',
    className,
  );
  const marks = {
    onFocusCapture: () => {
      hasFocus.current = true;
    },
    onBlurCapture: () => {
      hasFocus.current = false;
    },
  };
  if (file && file.fileId !== failedId && mediaKindOf(file.contentType) === 'picture') {
    return (
      <input
        {...(rest as ComponentProps<'input'>)}
        {...marks}
        ref={keepFocus}
        type="image"
        alt={label}
        src={thumbnailAddress(file.fileId, cssPixels, window.devicePixelRatio)}
        onError={() => setFailedId(file.fileId)}
        className={classes(look, 'object-cover')}
      />
    );
  }
  // The name of the file is read where it is seen, so that speech can name the button by it.
  const isNamed = file === null || label.includes(file.filename);
  return (
    <button
      {...rest}
      {...marks}
      ref={keepFocus}
      type="button"
      aria-label={isNamed ? label : `${label} ${file.filename}`}
      className={classes(look, 'flex items-center justify-center p-1')}
    >
      {file ? <ThumbPicture {...file} alt={file.filename} cssPixels={cssPixels} /> : children}
    </button>
  );
}
