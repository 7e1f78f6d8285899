import type { MaskPlace } from '@switchyard/contract/dispatch/file';
import { Brush } from 'lucide-react';
import { useState } from 'react';
import { useQueryState } from '../../lib/address.ts';
import { useText } from '../../lib/i18n.ts';
import { lazyPart, useLazyPart } from '../../lib/lazy-part.ts';
import { Button } from '../button.tsx';
import type { MaskEditorProps } from './mask-editor.tsx';
import type { MaskedFile } from './mask-file.ts';

const editor = lazyPart(async () => (await import('./mask-editor.tsx')).MaskEditor);

interface PaintMaskProps {
  /** The file of the field: a picture, one with a mask, or a mask of its own. */
  file: MaskedFile | undefined;
  /** Where the graph takes the mask from. */
  place: MaskPlace;
  /** The picture of the form below a mask of its own. */
  below?: MaskedFile | undefined;
  onPainted: (file: MaskedFile) => void;
}

/** Opens the painting of a mask over a file of a form. Without a picture there is nothing to paint over. */
export function PaintMask({ file, place, below, onPainted }: PaintMaskProps) {
  const text = useText('pictures');
  const [isOpen, setOpen] = useState(false);
  // A result may be handed over by the address, to be painted over at once.
  const [wanted, setWanted] = useQueryState('paint');
  const isWanted = file !== undefined && wanted === file.fileId;
  const close = () => {
    setOpen(false);
    if (isWanted) setWanted(null);
  };
  if (file === undefined && (place === 'alpha' || below === undefined)) return null;
  return (
    <>
      <Button
        size="s"
        icon={<Brush size={16} strokeWidth={1.75} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        {text('mask.paint')}
      </Button>
      {isOpen || isWanted ? (
        <LazyMaskEditor
          mask={file}
          picture={place === 'channel' ? below : undefined}
          place={place}
          onClose={close}
          onPainted={(painted) => {
            close();
            onPainted(painted);
          }}
        />
      ) : null}
    </>
  );
}

/** The editor, whose code is loaded when a mask is first painted. */
function LazyMaskEditor(props: MaskEditorProps) {
  const Opened = useLazyPart(editor);
  return Opened === null ? null : <Opened {...props} />;
}
