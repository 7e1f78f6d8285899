import { useState } from 'react';
import { Button } from '../src/kit/button.tsx';
import { ConfirmDialog } from '../src/kit/confirm-dialog.tsx';
import { CopyDialog } from '../src/kit/copy/copy-dialog.tsx';
import { Dialog } from '../src/kit/dialog.tsx';
import { Field } from '../src/kit/field.tsx';
import { ConfirmedButton } from '../src/kit/forms/confirmed-button.tsx';
import { FormDialog } from '../src/kit/forms/form-dialog.tsx';
import { SecretDialog } from '../src/kit/forms/secret-dialog.tsx';
import { FullWindow } from '../src/kit/pictures/full-window.tsx';
import { Lightbox } from '../src/kit/pictures/lightbox.tsx';
import { SidePanel } from '../src/kit/side-panel.tsx';
import { TextInput } from '../src/kit/text-input.tsx';
import { useToast } from '../src/kit/toast.tsx';
import { pictureOf } from './sample-pictures.ts';
import { Part, State } from './specimen.tsx';

const layers = [
  'Dialog',
  'ConfirmDialog',
  'FormDialog',
  'SecretDialog',
  'CopyDialog',
  'SidePanel',
  'Lightbox',
  'FullWindow',
] as const;
type Layer = (typeof layers)[number];

const items = [pictureOf('first', 960, 640), pictureOf('second')];
const later = () => Promise.resolve();

/** The layers above the page. Each button opens one; the browser tests press them all. */
export function Layers() {
  const toast = useToast();
  const [open, setOpen] = useState<Layer | null>(null);
  return (
    <Part name="Layers">
      <State name="Dialogs, a panel and a picture">
        {layers.map((layer) => (
          <Button key={layer} data-opens={layer} onClick={() => setOpen(layer)}>
            {layer}
          </Button>
        ))}
        <ConfirmedButton
          data-opens="ConfirmedButton"
          question={{
            title: 'Delete agent?',
            effect: 'Its memory is deleted with it.',
            confirm: 'Delete agent',
          }}
          work={later}
          done="The agent was deleted."
          refresh={['kit']}
        >
          ConfirmedButton
        </ConfirmedButton>
      </State>
      <State name="Messages">
        <Button
          data-says="The view was deleted."
          onClick={() => toast({ text: 'The view was deleted.', undo: () => undefined })}
        >
          Message with a way back
        </Button>
        <Button
          data-says="The worker is gone."
          onClick={() => toast({ error: new Error('The worker is gone.') })}
        >
          Failure
        </Button>
      </State>
      <Opened layer={open} onClose={() => setOpen(null)} />
    </Part>
  );
}

function Opened({ layer, onClose }: { layer: Layer | null; onClose: () => void }) {
  const [picture, setPicture] = useState(items[0] ?? null);
  const common = (of: Layer) => ({ open: layer === of, onClose });
  return (
    <>
      <Dialog
        {...common('Dialog')}
        title="Two pictures"
        wide
        actions={<Button onClick={onClose}>Keep both</Button>}
      >
        <p>A wide dialog with one action.</p>
      </Dialog>
      <ConfirmDialog
        {...common('ConfirmDialog')}
        title="Cancel 60 tasks?"
        confirm="Cancel 60 tasks"
        typed="60"
        onConfirm={onClose}
      >
        <p>60 tasks that have not ended are cancelled.</p>
      </ConfirmDialog>
      <FormDialog {...common('FormDialog')} title="Add an account" submit="Add account" onSubmit={later}>
        <Field label="E-mail address">
          <TextInput type="email" />
        </Field>
      </FormDialog>
      <SecretDialog
        secret={layer === 'SecretDialog' ? 'sy_example' : null}
        title="Your new token"
        lead="Send it as a header."
        onClose={onClose}
      />
      {layer === 'CopyDialog' && <CopyDialog text="switchyard tasks list" onClose={onClose} />}
      <SidePanel {...common('SidePanel')} title="Portrait">
        <p>What belongs to one row.</p>
      </SidePanel>
      <Lightbox
        items={items}
        current={layer === 'Lightbox' ? picture : null}
        altOf={({ filename }) => filename}
        onMove={setPicture}
        onClose={onClose}
        side={<p className="p-4">How it was made.</p>}
      />
      {layer === 'FullWindow' ? (
        <FullWindow title="Compare 2 pictures" onClose={onClose}>
          <p className="p-4">The pictures, with the whole window for them.</p>
        </FullWindow>
      ) : null}
    </>
  );
}
